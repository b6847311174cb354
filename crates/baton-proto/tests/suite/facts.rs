//! The schemas contain exactly the facts of the published ones; `tests/python/schema_facts.py` writes the tables.

use crate::generated;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, ServiceDescriptorProto,
    field_descriptor_proto::{Label, Type},
};
use std::collections::BTreeSet;

#[test]
fn schemas_contain_exactly_the_published_facts() {
    let set = generated::schemas();
    for (package, published) in
        [("lf.a2a.v1", include_str!("../facts/lf.a2a.v1.txt")), ("a2a.v1", include_str!("../facts/a2a.v1.txt"))]
    {
        let ours = set.file.iter().find(|file| file.package() == package).map(facts).unwrap();
        let published: BTreeSet<String> = published.lines().map(str::to_owned).collect();
        let missing: Vec<_> = published.difference(&ours).collect();
        let added: Vec<_> = ours.difference(&published).collect();
        assert!(published.len() > 150 && missing.is_empty() && added.is_empty(), "{package}: {missing:#?} {added:#?}");
    }
}

fn facts(file: &FileDescriptorProto) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    for message in &file.message_type {
        of_message(message, "", &mut facts);
    }
    for one in &file.enum_type {
        of_enum(one, "", &mut facts);
    }
    for service in &file.service {
        of_service(service, &mut facts);
    }
    facts
}

fn of_message(message: &DescriptorProto, path: &str, facts: &mut BTreeSet<String>) {
    let name = format!("{path}{}", message.name());
    if message.field.is_empty() {
        facts.insert(format!("{name} = empty"));
    }
    for field in &message.field {
        let mut line = format!("{name}.{} = {}:{}", field.name(), field.number(), type_of(field));
        if field.label() == Label::Repeated {
            line.push_str(":repeated");
        }
        if field.proto3_optional() {
            line.push_str(":optional");
        } else if let Some(index) = field.oneof_index {
            let oneof = message.oneof_decl[usize::try_from(index).unwrap()].name();
            line.push_str(&format!(":oneof={oneof}"));
        }
        facts.insert(format!("{line}:json={}", field.json_name()));
    }
    for nested in &message.nested_type {
        of_message(nested, &format!("{name}."), facts);
    }
    for one in &message.enum_type {
        of_enum(one, &format!("{name}."), facts);
    }
}

fn type_of(field: &FieldDescriptorProto) -> String {
    match field.r#type() {
        Type::Message | Type::Enum => field.type_name().trim_start_matches('.').to_owned(),
        plain => plain.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
    }
}

fn of_enum(one: &EnumDescriptorProto, path: &str, facts: &mut BTreeSet<String>) {
    facts.extend(one.value.iter().map(|value| format!("{path}{}.{} = {}", one.name(), value.name(), value.number())));
}

fn of_service(service: &ServiceDescriptorProto, facts: &mut BTreeSet<String>) {
    for rpc in &service.method {
        let stream = |yes: bool| if yes { "stream " } else { "" };
        facts.insert(format!(
            "{}.{} = {}{} -> {}{}",
            service.name(),
            rpc.name(),
            stream(rpc.client_streaming()),
            rpc.input_type().trim_start_matches('.'),
            stream(rpc.server_streaming()),
            rpc.output_type().trim_start_matches('.'),
        ));
    }
}

//! The key `a2a`: A2A features that are offered.

use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue};
use baton_types::A2aSettings;
use baton_wire::a2a::v1::CardBinding;
use std::collections::BTreeSet;

pub(in crate::config) const MAX_EXTENSIONS: usize = 64;
const URI_HINT: &str = "write the extension's full URI, such as https://example.com/ext/audit/v1 or urn:example:audit";

/// The key `a2a`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawA2a {
    pub(in crate::config) streaming: Option<bool>,
    pub(in crate::config) push: Option<bool>,
    pub(in crate::config) extended_card: Option<bool>,
    pub(in crate::config) version: Option<MissingVersionPolicy>,
    pub(in crate::config) bindings: Option<Vec<CardBinding>>,
    pub(in crate::config) extensions: Vec<Extension>,
    pub(in crate::config) settings: A2aSettings,
}

/// Version of a request that names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::config) enum MissingVersionPolicy {
    /// Derived from the method name.
    Lenient,
    /// Version 0.3, as specified.
    Strict,
}

/// An extension that cards declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extension {
    pub(crate) uri: String,
    pub(crate) description: String,
    /// Whether clients must activate it.
    pub(crate) required: bool,
}

impl RawA2a {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "a2a", node)?;
        let versions = [("lenient", MissingVersionPolicy::Lenient), ("strict", MissingVersionPolicy::Strict)];
        let switch = |fields: &mut Fields, reader: &mut DocumentReader, key| {
            fields.take(key).and_then(|node| reader.boolean(key, &node))
        };
        let raw = Self {
            streaming: switch(&mut fields, reader, "streaming"),
            push: switch(&mut fields, reader, "push"),
            extended_card: switch(&mut fields, reader, "extended_card"),
            version: fields.take("version").and_then(|node| reader.choice("version", &node, &versions)),
            settings: baton_agentdir::read_a2a_settings(reader, &mut fields),
            bindings: fields.take("bindings").and_then(|node| bindings(reader, node)),
            extensions: fields.take("extensions").map(|node| extensions(reader, node)).unwrap_or_default(),
        };
        fields.finish(reader);
        Some(raw)
    }
}

/// Names of bindings in the configuration.
const BINDINGS: [(&str, CardBinding); 3] =
    [("jsonrpc", CardBinding::JsonRpc), ("rest", CardBinding::Rest), ("grpc", CardBinding::Grpc)];

/// The bindings that cards list, preferred first: at least one, each once.
fn bindings(reader: &mut DocumentReader, node: DocumentNode) -> Option<Vec<CardBinding>> {
    const HINT: &str = "list jsonrpc, rest and grpc, each at most once, preferred first";
    let (location, errors) = (node.location, reader.error_count());
    let nodes = reader.list("bindings", node);
    if nodes.is_empty() {
        if reader.error_count() == errors {
            reader.error(location, "bindings is empty", HINT);
        }
        return None;
    }
    let mut bindings = Vec::with_capacity(BINDINGS.len());
    for node in nodes {
        let binding = reader.choice("a binding", &node, &BINDINGS)?;
        if bindings.contains(&binding) {
            reader.error(node.location, "bindings has this entry twice", HINT);
            return None;
        }
        bindings.push(binding);
    }
    Some(bindings)
}

fn extensions(reader: &mut DocumentReader, node: DocumentNode) -> Vec<Extension> {
    let location = node.location;
    let mut nodes = reader.list("extensions", node);
    if nodes.len() > MAX_EXTENSIONS {
        let message = format!("extensions has {} entries", nodes.len());
        reader.error(location, message, format!("keep it to {MAX_EXTENSIONS}"));
        nodes.truncate(MAX_EXTENSIONS);
    }
    let mut seen = BTreeSet::new();
    nodes.into_iter().filter_map(|node| extension(reader, node, &mut seen)).collect()
}

fn extension(reader: &mut DocumentReader, node: DocumentNode, seen: &mut BTreeSet<String>) -> Option<Extension> {
    let mut fields = Fields::open(reader, "an extension", node)?;
    let uri = fields.required_text(reader, "uri", URI_HINT);
    let description = fields.text(reader, "description").map(|text| text.value).unwrap_or_default();
    let required = fields.take("required").and_then(|node| reader.boolean("required", &node)).unwrap_or_default();
    fields.finish(reader);
    let LocatedValue { location, value: uri } = uri?;
    if !is_uri(&uri) {
        reader.error(location, format!("'{}' is not a URI", uri.escape_debug()), URI_HINT);
        return None;
    }
    if !seen.insert(uri.clone()) {
        reader.error(location, format!("the extension '{uri}' is listed twice"), "keep one of them");
    }
    Some(Extension { uri, description, required })
}

/// A scheme and a non-empty rest without commas, because the header that lists extensions is split at commas.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(in_scheme)
        && !rest.is_empty()
        && rest.chars().all(|c| c.is_ascii_graphic() && c != ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_named_once_each() {
        use CardBinding::{Grpc, JsonRpc, Rest};
        for (yaml, expect) in [
            ("bindings: [grpc, jsonrpc, rest]", Ok(vec![Grpc, JsonRpc, Rest])),
            ("bindings: [rest]", Ok(vec![Rest])),
            ("bindings: []", Err("bindings is empty")),
            ("bindings: rest", Err("bindings must be a list, not text")),
            ("bindings: [rest, soap]", Err("a binding cannot be 'soap'")),
            ("bindings: [rest, grpc, rest]", Err("bindings has this entry twice")),
        ] {
            let mut reader = DocumentReader::new("baton.yaml");
            let node = baton_document::read("baton.yaml", yaml.as_bytes()).expect("YAML");
            let raw = RawA2a::read(&mut reader, node).expect("a map");
            let remarks = reader.finish();
            let messages: Vec<&str> = remarks.iter().map(|remark| remark.message.as_str()).collect();
            match expect {
                Ok(bindings) => assert_eq!((raw.bindings, messages), (Some(bindings), vec![]), "{yaml}"),
                Err(message) => assert_eq!((raw.bindings, messages), (None, vec![message]), "{yaml}"),
            }
        }
    }

    #[test]
    fn extensions_have_full_uris() {
        for good in ["urn:a2a:tck:required-extension", "https://example.com/ext/v1", "a:b"] {
            assert!(is_uri(good), "{good}");
        }
        for bad in ["", "audit", "urn:", ":x", "1a:b", "https://a b", "urn:a,b", "urn:ä"] {
            assert!(!is_uri(bad), "{bad}");
        }
    }
}

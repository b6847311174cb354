//! Structure of the document, its published copy and the document of a running server.

use super::checker::{BASE_URL, document};
use crate::{
    bindings::{headers, raw},
    world::{configured, engine, options},
};
use boon::{Compiler, Draft, Schemas};
use http_body_util::BodyExt as _;
use serde_json::Value;
use std::collections::BTreeSet;

/// Calls `see` with every object in a value.
fn walk<'a>(value: &'a Value, see: &mut impl FnMut(&'a serde_json::Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            see(members);
            members.values().for_each(|member| walk(member, see));
        }
        Value::Array(list) => list.iter().for_each(|one| walk(one, see)),
        _ => {}
    }
}

/// Method, path and Operation Object of every operation.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths
        .flat_map(|(path, item)| {
            item.as_object().unwrap().iter().map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
        })
        .collect()
}

#[test]
fn published_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let text = format!("{}\n", baton_server::openapi_document(BASE_URL));
    if std::env::var_os("BATON_WRITE_SCHEMA").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap();
    assert!(published == text, "docs/openapi.json is outdated: run the test with BATON_WRITE_SCHEMA=1 and commit it");
}

#[tokio::test]
async fn server_serves_the_published_document() {
    let surface = baton_server::surface(
        engine(&["weather"]),
        configured(options(), |options| options.http.public_url = Some(format!("{BASE_URL}/"))),
    );
    let get = |given: Vec<(&'static str, String)>| {
        let app = surface.router.clone();
        async move {
            let given: Vec<(&str, &str)> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
            raw(&app, "GET", "/api/openapi.json", headers(&given), "").await
        }
    };
    let response = get(Vec::new()).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"application/json".parse().unwrap())
    );
    let tag = response.headers()["etag"].to_str().unwrap().to_owned();
    let served = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(serde_json::from_slice::<Value>(&served).unwrap(), document());
    assert_eq!(get(vec![("if-none-match", tag)]).await.status(), 304);

    // The document of another address has another tag.
    let other = baton_server::app(engine(&["weather"]), options());
    let response = raw(&other, "GET", "/api/openapi.json", headers(&[("host", "localhost:1")]), "").await;
    let served = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(serde_json::from_slice::<Value>(&served).unwrap()["servers"][0]["url"], "http://localhost:1");
}

/// A route below `/api/` that is not described fails here.
#[test]
fn every_route_of_the_api_is_described() {
    let document = document();
    let entries = baton_server::surface(engine(&["weather"]), options()).operations;
    let is_ours = |path: &str| path.starts_with("/api/") && !path.starts_with("/api/v1/mcp");
    let mut mounted = BTreeSet::new();
    for entry in &entries {
        assert_eq!(
            entry.operation.is_some(),
            document["paths"][&entry.path].get(entry.method.to_lowercase()).is_some()
        );
        if entry.operation.is_some() || is_ours(&entry.path) {
            mounted.insert((entry.method.to_lowercase(), entry.path.clone()));
            let operation = &document["paths"][&entry.path][entry.method.to_lowercase()];
            assert_eq!(operation["x-baton-access"], entry.access.to_string(), "{} {}", entry.method, entry.path);
        }
    }
    let described: BTreeSet<(String, String)> =
        operations(&document).into_iter().map(|(method, path, _)| (method.to_owned(), path.to_owned())).collect();
    assert_eq!(mounted, described);
}

#[test]
fn operations_are_complete() {
    let document = document();
    let mut ids = BTreeSet::new();
    let tags: BTreeSet<&str> =
        document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    for (method, path, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{id} is not unique");
        for text in ["summary", "description"] {
            assert!(!operation[text].as_str().unwrap().is_empty(), "{id} has no {text}");
        }
        assert!(!operation["summary"].as_str().unwrap().ends_with('.'), "the summary of {id} ends with a full stop");
        assert!(tags.contains(operation["tags"][0].as_str().unwrap()), "{id}");
        assert!(operation["security"].is_array(), "{id}");
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let in_path: Vec<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let braces: Vec<&str> = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(in_path, braces, "{method} {path}");
        for parameter in &parameters {
            let about = parameter["description"].as_str().unwrap_or_default();
            assert!(!about.is_empty(), "{id}: {parameter}");
            assert!(parameter["schema"].is_object(), "{id}: {parameter}");
        }
        let replies = operation["responses"].as_object().unwrap();
        assert!(replies.keys().any(|status| status.starts_with('2')), "{id} has no success");
        assert!(replies.contains_key("default"), "{id} has no error");
        let may_have_body = matches!(method, "post" | "put" | "patch");
        assert!(may_have_body || operation.get("requestBody").is_none(), "{id} has a body");
    }
}

#[test]
fn references_resolve_and_members_are_described() {
    let document = document();
    let mut referenced = BTreeSet::new();
    walk(&document, &mut |members| {
        if let Some(Value::String(reference)) = members.get("$ref") {
            let found = document.pointer(reference.strip_prefix('#').unwrap());
            assert!(found.is_some(), "{reference}");
            referenced.insert(reference.clone());
        }
    });
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.keys().is_sorted());
    for (name, schema) in schemas {
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name} is a duplicate");
        assert!(referenced.contains(&format!("#/components/schemas/{name}")), "{name} is not used");
        assert!(schema["description"].as_str().is_some_and(|about| !about.is_empty()), "{name} has no description");
        for (member, schema) in schema["properties"].as_object().into_iter().flatten() {
            let about = schema["description"].as_str().unwrap_or_default();
            assert!(!about.is_empty(), "{name}.{member} has no description");
            assert!(!about.contains("[`"), "{name}.{member} links to code: {about}");
        }
    }
}

#[test]
fn schemas_are_json_schemas() {
    let document = document();
    let (mut compiler, mut compiled) = (Compiler::new(), Schemas::new());
    compiler.set_default_draft(Draft::V2020_12);
    let meta = compiler.compile("https://json-schema.org/draft/2020-12/schema", &mut compiled).unwrap();
    let mut count = 0;
    let mut check = |schema: &Value| {
        count += 1;
        let wrong = compiled.validate(schema, meta).err().map(|error| format!("{error:#}"));
        assert_eq!(wrong, None, "{schema:#}");
    };
    document["components"]["schemas"].as_object().unwrap().values().for_each(&mut check);
    walk(&document["paths"], &mut |members| {
        members.get("schema").into_iter().for_each(&mut check);
    });
    assert!(count > 100, "{count}");
}

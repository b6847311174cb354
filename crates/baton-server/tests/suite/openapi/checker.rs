//! Comparison of real replies with the OpenAPI document.

use axum::body::Body;
use boon::{Compiler, Draft, SchemaIndex, Schemas};
use http::{Response, header};
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::OnceLock};

const SCHEMAS: &str = "https://baton.test/schemas.json";

pub(super) const BASE_URL: &str = "http://127.0.0.1:8700";

/// Types that another specification defines.
const FOREIGN: [&str; 2] = ["A2aTask", "A2aMessage"];

/// The published document.
pub(super) fn document() -> Value {
    serde_json::from_str(&baton_server::openapi_document(BASE_URL)).unwrap()
}

/// The document with a compiled schema for each JSON reply.
struct ReplyChecker {
    document: Value,
    schemas: Schemas,
    replies: BTreeMap<String, SchemaIndex>,
}

impl ReplyChecker {
    fn get() -> &'static Self {
        static CHECKER: OnceLock<ReplyChecker> = OnceLock::new();
        CHECKER.get_or_init(|| Self::new(document()))
    }

    fn new(document: Value) -> Self {
        let mut definitions = Map::new();
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let mut schema = relocated(schema);
            if !FOREIGN.contains(&name.as_str()) {
                close(&mut schema);
            }
            definitions.insert(name.clone(), schema);
        }
        let mut names = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for status in operation["responses"].as_object().unwrap().keys() {
                    let reply = reply_of(&document, operation, status).unwrap();
                    let schema = &reply["content"]["application/json"]["schema"];
                    if !schema.is_null() {
                        let number = format!("reply-{}", names.len());
                        names.push((format!("{method} {path} {status}"), number.clone()));
                        definitions.insert(number, relocated(schema));
                    }
                }
            }
        }
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        compiler.add_resource(SCHEMAS, json!({ "$defs": definitions })).unwrap();
        let mut compile = |number: &str| compiler.compile(&format!("{SCHEMAS}#/$defs/{number}"), &mut schemas).unwrap();
        let replies = names.iter().map(|(name, number)| (name.clone(), compile(number))).collect();
        Self { document, schemas, replies }
    }

    /// The problem of a reply, if it has one.
    fn problem(&self, (method, route): (&str, &str), status: u16, content_type: &str, body: &[u8]) -> Option<String> {
        let method = method.to_lowercase();
        let operation = &self.document["paths"][route][&method];
        let numbered = status.to_string();
        let described = operation["responses"].get(&numbered).is_some();
        if !described && status < 300 {
            return Some(format!("the status {status} is not described"));
        }
        let key = if described { numbered.as_str() } else { "default" };
        let reply = reply_of(&self.document, operation, key).unwrap();
        let media_type = content_type.split(';').next().unwrap().trim();
        let contents = reply["content"].as_object().map(|contents| contents.keys().collect::<Vec<_>>());
        match contents {
            None if body.is_empty() => return None,
            None => return Some("the body is not described".to_owned()),
            Some(known) if !known.iter().any(|known| *known == media_type) => {
                return Some(format!("the media type '{media_type}' is not described"));
            }
            Some(_) if media_type != "application/json" => return None,
            Some(_) => {}
        }
        let value: Value = serde_json::from_slice(body).unwrap();
        let index = self.replies[&format!("{method} {route} {key}")];
        self.schemas.validate(&value, index).err().map(|error| format!("{error:#}\n{value:#}"))
    }
}

/// The Response Object of a status.
fn reply_of<'a>(document: &'a Value, operation: &'a Value, status: &str) -> Option<&'a Value> {
    let reply = operation["responses"].get(status)?;
    match reply.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(reference.strip_prefix('#')?),
        None => Some(reply),
    }
}

/// The schema with references to the place of the compiled schemas.
fn relocated(schema: &Value) -> Value {
    let text = schema.to_string().replace("#/components/schemas/", "#/$defs/");
    serde_json::from_str(&text).unwrap()
}

/// Forbids members that the schema does not describe.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("type") == Some(&json!("object")) && members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

/// The described route of a request, with its parameters in braces.
fn route_of(method: &str, path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split(['?', '#']).next().unwrap().split('/').collect();
    let is_parameter = |segment: &str| segment.starts_with('{');
    let fits = |route: &&String| {
        let parts: Vec<&str> = route.split('/').collect();
        let fits = |(part, segment): (&&str, &&str)| is_parameter(part) && !segment.is_empty() || part == segment;
        parts.len() == segments.len() && parts.iter().zip(&segments).all(fits)
    };
    let routes = ReplyChecker::get().document["paths"].as_object().unwrap().iter();
    let mut routes: Vec<&String> = routes
        .filter(|(_, item)| item.get(method.to_lowercase()).is_some())
        .map(|(route, _)| route)
        .filter(fits)
        .collect();
    routes.sort_by_key(|route| route.matches('{').count());
    routes.first().map(|route| (*route).clone())
}

/// Checks the response to a request of a described operation, and returns it.
pub(crate) async fn check_response(method: &str, path: &str, response: Response<Body>) -> Response<Body> {
    let Some(route) = route_of(method, path) else { return response };
    let status = response.status().as_u16();
    let content_type = response.headers().get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap().to_owned());
    let content_type = content_type.unwrap_or_default();
    let (parts, body) = response.into_parts();
    // Streams need not end.
    let is_stream = matches!(content_type.as_str(), "text/event-stream" | "application/x-ndjson");
    let (body, bytes) = match is_stream {
        true => (body, Default::default()),
        false => {
            let bytes = body.collect().await.unwrap().to_bytes();
            (Body::from(bytes.clone()), bytes)
        }
    };
    // A cached document and a compressed one have no JSON body.
    let is_plain = !parts.headers.contains_key(header::CONTENT_ENCODING);
    if is_plain && status != 304 {
        let problem = ReplyChecker::get().problem((method, &route), status, &content_type, &bytes);
        assert_eq!(problem, None, "{method} {path} is not as described at {method} {route}");
    }
    Response::from_parts(parts, body)
}

#[test]
fn wrong_replies_are_recognized() {
    let check = |route: (&str, &str), status, content_type: &str, body: Value| {
        ReplyChecker::get().problem(route, status, content_type, body.to_string().as_bytes())
    };
    let json = "application/json";
    let right = json!({"status": "ok", "version": "1"});
    assert_eq!(check(("GET", "/healthz"), 200, json, right.clone()), None);
    assert!(check(("GET", "/healthz"), 200, "text/plain", right.clone()).is_some());
    assert!(check(("GET", "/healthz"), 201, json, right.clone()).is_some());
    assert!(check(("GET", "/healthz"), 500, json, right).is_some());
    for wrong in [
        json!({"status": "ok"}),
        json!({"status": 1, "version": "1"}),
        json!({"status": "ok", "version": "1", "more": 1}),
        json!([]),
    ] {
        assert!(check(("GET", "/healthz"), 200, json, wrong.clone()).is_some(), "{wrong}");
    }
    let event = |at: &str| json!({"events": [{"number": 1, "kind": "a", "at": at, "run": null, "body": [1, {}]}]});
    let events = ("GET", "/api/v1/tasks/{task}/events");
    assert_eq!(check(events, 200, json, event("2026-11-19T00:00:00Z")), None);
    assert!(check(events, 200, json, event("yesterday")).is_some());
    assert_eq!(route_of("GET", "/api/v1/tasks/1/events?limit=1").as_deref(), Some(events.1));
    assert_eq!(route_of("PUT", "/api/v1/tasks/1/events"), None);
}

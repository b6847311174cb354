//! The key `http` of a tool.

use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, NodeValue};
use baton_types::HttpBody;

pub(crate) const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const BODIES: [(&str, HttpBody); 3] = [("none", HttpBody::None), ("json", HttpBody::Json), ("form", HttpBody::Form)];

/// A request as written.
pub(crate) struct RawHttp {
    pub(crate) method: Option<&'static str>,
    pub(crate) url: Option<LocatedValue<String>>,
    pub(crate) headers: Vec<(LocatedValue<String>, String)>,
    pub(crate) body: Option<HttpBody>,
}

impl RawHttp {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<LocatedValue<Self>> {
        let location = node.location;
        let mut fields = Fields::open(reader, "http", node)?;
        let method = fields.take("method").map(|mut node| {
            if let NodeValue::Text(text) = &mut node.value {
                text.make_ascii_uppercase();
            }
            reader.choice("method", &node, &METHODS.map(|name| (name, name)))
        });
        let url = fields.required_text(reader, "url", "write it out, as in https://api.example.com/v1/{city}");
        let headers = fields.take("headers").map(|node| headers(reader, node)).unwrap_or_default();
        let body = fields.take("body").and_then(|node| reader.choice("body", &node, &BODIES));
        fields.finish(reader);
        let method = match method {
            Some(method) => Some(method?),
            None => None,
        };
        Some(LocatedValue { location, value: Self { method, url, headers, body } })
    }
}

/// The messages do not repeat header values, which may be secrets.
fn headers(reader: &mut DocumentReader, node: DocumentNode) -> Vec<(LocatedValue<String>, String)> {
    let mut headers = Vec::new();
    for entry in Fields::open(reader, "headers", node).map(Fields::into_entries).unwrap_or_default() {
        let location = entry.location;
        match entry.node.value {
            NodeValue::Text(value) => headers.push((LocatedValue { location, value: entry.key }, value)),
            _ => reader.error(location, "each header must be text", "put its value in quotes"),
        }
    }
    headers
}

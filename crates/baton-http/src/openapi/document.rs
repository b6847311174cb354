//! The OpenAPI document of an operation table.

use super::{
    ApiResource, Operation,
    components::{Components, SchemaDirection},
    operation::OperationBody,
    reply::write_contents,
    show::own_operation,
};
use crate::RouteEntry;
use baton_api::ApiErrorBody;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Methods in the order of the document.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

const ABOUT: &str = "Baton's own API: agents, sessions, tasks, approvals, handoffs, tools, tokens and telemetry. A2A, \
                     MCP, OpenAI, OTLP and Tempo clients use the endpoints of their protocols instead.\n\nAn optional \
                     member is absent rather than null; leave it out of requests too. Replies may have further members.";

const BEARER: &str = "A token of `baton token create` or of a trusted issuer. The roles of an operation are scopes; \
                      some operations also need the scope for the agent concerned. Servers without authentication \
                      accept requests without a token.";

/// The OpenAPI document of an operation table, without the address of the server.
#[derive(Clone, Debug)]
pub struct OpenApiDocument {
    document: Value,
}

impl OpenApiDocument {
    /// The document of the described routes, and of its own route.
    pub fn from_entries(entries: &[RouteEntry]) -> Self {
        let mut components = Components::new();
        let mut paths: BTreeMap<&str, BTreeMap<usize, Value>> = BTreeMap::new();
        let mut tags: BTreeMap<&str, ApiResource> = BTreeMap::new();
        let own = own_operation();
        for operation in entries.iter().filter_map(|entry| entry.operation.as_deref()).chain([&own]) {
            let method = operation.method.to_ascii_lowercase();
            let rank = METHODS.iter().position(|known| *known == method).unwrap_or(METHODS.len() - 1);
            paths.entry(&operation.path).or_default().insert(rank, write_operation(operation, &mut components));
            tags.insert(operation.resource.name, operation.resource);
        }
        let path_item = |(path, operations): (&str, BTreeMap<usize, Value>)| {
            let named = operations.into_iter().map(|(rank, operation)| (METHODS[rank].to_owned(), operation));
            (path.to_owned(), Value::Object(named.collect()))
        };
        let tag = |tag: &ApiResource| json!({"name": tag.name, "description": tag.description});
        let error = components.schema(SchemaGenerator::subschema_for::<ApiErrorBody<'_>>, SchemaDirection::Reply);
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Baton",
                "version": env!("CARGO_PKG_VERSION"),
                "description": ABOUT,
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "servers": [],
            "tags": tags.values().map(tag).collect::<Vec<_>>(),
            "paths": paths.into_iter().map(path_item).collect::<Map<_, _>>(),
            "components": {
                "schemas": {},
                "responses": {
                    "Error": {"description": "Error", "content": {"application/json": {"schema": error}}},
                },
                "securitySchemes": {
                    "bearer": {"type": "http", "scheme": "bearer", "description": BEARER},
                    "notification": {
                        "type": "apiKey", "in": "header", "name": "X-A2A-Notification-Token",
                        "description": "The token that Baton gave the remote agent with the registration. A bearer \
                                        token is accepted as well.",
                    },
                },
            },
        });
        let schemas = components.finish(&mut document);
        document["components"]["schemas"] = schemas.into();
        Self { document }
    }

    /// The document of a server at this address.
    pub fn at(mut self, base_url: &str) -> Value {
        self.document["servers"] = json!([{"url": base_url}]);
        self.document
    }
}

/// The Operation Object.
fn write_operation(operation: &Operation, components: &mut Components) -> Value {
    let access = operation.access;
    let about = format!("{} {}", operation.note, access.requirement());
    let mut written = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": about.trim(),
        "tags": [operation.resource.name],
        "x-baton-access": access.to_string(),
        "security": access.security(),
    });
    let parameters = write_parameters(operation, components);
    if !parameters.is_empty() {
        written["parameters"] = parameters.into();
    }
    if let Some(OperationBody { required, contents }) = &operation.body {
        let content = write_contents(contents, SchemaDirection::Request, components);
        written["requestBody"] = json!({"required": required, "content": content});
    }
    let mut responses = Map::new();
    for reply in &operation.replies {
        responses.insert(reply.status.to_string(), reply.write(components));
    }
    responses.insert("default".to_owned(), json!({"$ref": "#/components/responses/Error"}));
    written["responses"] = responses.into();
    written
}

/// Parameters of the path, of the query, and headers.
fn write_parameters(operation: &Operation, components: &mut Components) -> Vec<Value> {
    let described = operation.resource.parameters;
    let path = path_parameters(&operation.path).map(|name| {
        let about = described.iter().find(|(known, _)| *known == name).map(|(_, about)| *about).unwrap_or_default();
        json!({"name": name, "in": "path", "required": true, "description": about, "schema": {"type": "string"}})
    });
    let mut parameters: Vec<Value> = path.collect();
    if let Some(query) = operation.query {
        let schema = components.schema(query, SchemaDirection::Request);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, member) in schema["properties"].as_object().cloned().unwrap_or_default() {
            let mut member = member;
            let about = member.as_object_mut().and_then(|member| member.remove("description")).unwrap_or_default();
            let required = required.iter().any(|one| *one == name);
            parameters.push(json!({
                "name": name, "in": "query", "required": required, "description": about, "schema": member,
            }));
        }
    }
    parameters.extend(operation.headers.iter().map(|(name, about)| {
        json!({"name": name, "in": "header", "required": false, "description": about, "schema": {"type": "string"}})
    }));
    parameters
}

/// Names in braces.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

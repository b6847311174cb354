//! OAuth settings of a server.

use super::{McpDialect, value};
use baton_document::{DocumentNode, DocumentReader, Fields, NodeValue};
use baton_types::McpOauth;

pub(super) fn read(reader: &mut DocumentReader, dialect: McpDialect, fields: &mut Fields) -> Option<McpOauth> {
    let node = fields.take_any(reader, &["oauth", "auth"]);
    let scopes = fields.take("scopes").map(|node| self::scopes(reader, dialect, node));
    let mut oauth = match node {
        Some(node) => written(reader, dialect, node),
        None => scopes.is_some().then(McpOauth::default),
    }?;
    if oauth.scopes.is_empty() {
        oauth.scopes = scopes.unwrap_or_default();
    }
    Some(oauth)
}

fn written(reader: &mut DocumentReader, dialect: McpDialect, node: DocumentNode) -> Option<McpOauth> {
    match &node.value {
        NodeValue::Bool(enabled) => return enabled.then(McpOauth::default),
        NodeValue::Text(method) if method == "oauth" => return Some(McpOauth::default()),
        NodeValue::Text(_) => {
            // Some programs accept a token here.
            let hint = "write \"oauth\", or send a token as a header: \"Authorization\": \"Bearer ${TOKEN}\"";
            reader.error(node.location, "the login method is not supported", hint);
            return None;
        }
        _ => {}
    }
    let mut fields = Fields::open(reader, "oauth", node)?;
    let client_id = value::field(reader, dialect, &mut fields, &["clientId", "client_id", "CLIENT_ID"]);
    let secret = value::field(reader, dialect, &mut fields, &["clientSecret", "client_secret", "CLIENT_SECRET"]);
    let scopes = fields.take("scopes").map(|node| self::scopes(reader, dialect, node));
    let port = fields.take_any(reader, &["callbackPort", "callback_port"]);
    let oauth = McpOauth {
        client_id: client_id.map(|(_, id)| id),
        client_secret: secret.and_then(|(node, secret)| reference(reader, &node, &secret)),
        scopes: scopes.unwrap_or_default(),
        callback_port: port
            .and_then(|node| reader.integer("callbackPort", &node, 1, u64::from(u16::MAX)))
            .and_then(|port| u16::try_from(port).ok()),
    };
    value::close(reader, dialect, fields);
    Some(oauth)
}

/// A list, or one text with scopes separated by white space.
fn scopes(reader: &mut DocumentReader, dialect: McpDialect, node: DocumentNode) -> Vec<String> {
    match node.value {
        NodeValue::List(nodes) => {
            nodes.iter().filter_map(|node| value::text(reader, dialect, "each entry of scopes", node)).collect()
        }
        _ => {
            let text = value::text(reader, dialect, "scopes", &node).unwrap_or_default();
            text.split_whitespace().map(str::to_owned).collect()
        }
    }
}

/// Reference to the secret, as `env://NAME`. A literal secret is rejected and not repeated in the message.
fn reference(reader: &mut DocumentReader, node: &DocumentNode, written: &str) -> Option<String> {
    let variable = written.strip_prefix("env://").or_else(|| {
        let inner = written.strip_prefix("${")?.strip_suffix('}')?;
        Some(inner.strip_prefix("env:").unwrap_or(inner))
    });
    match variable.filter(|name| value::is_variable(name)) {
        Some(name) => Some(format!("env://{name}")),
        None => {
            let hint = "write env://NAME, and keep the secret in that environment variable";
            reader.error(node.location, "clientSecret must be a reference to the secret, not the secret itself", hint);
            None
        }
    }
}

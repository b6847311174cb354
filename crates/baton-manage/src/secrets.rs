//! Redaction of secrets in servers and providers.

use crate::{ManageError, manage_error};
use baton_agentdir::{provider_entry, server_entry};
use baton_types::{ErrorCode, Json, McpServer, ProviderEntry};
use serde_json::{Map, Value};

/// Placeholder for a redacted value. In a request it stands for the stored value.
pub const REDACTED_VALUE: &str = "***";

/// Maps whose values are always redacted.
const SECRET_MAPS: [&str; 5] = ["env", "headers", "http_headers", "env_http_headers", "providers"];
/// Substrings of names whose values are redacted.
const SECRET_WORDS: [&str; 10] =
    ["key", "token", "secret", "password", "passwd", "pwd", "auth", "credential", "bearer", "cookie"];
/// Authentication schemes, which are not secrets.
const AUTH_SCHEMES: [&str; 4] = ["bearer", "basic", "token", "apikey"];

/// A server as an entry of `mcp.json` with redacted secrets. References such as `env://NAME` are not secrets and stay.
pub fn shown_entry(server: &McpServer) -> Json {
    redact_entry(&server_entry(server))
}

/// A provider as an entry of `providers`, with secrets redacted in the same way.
pub fn shown_provider(provider: &ProviderEntry) -> Json {
    redact_entry(&provider_entry(provider))
}

fn redact_entry(written: &Json) -> Json {
    let mut entry = written.to_value();
    redact(&mut entry, false);
    Json::from(entry)
}

/// Replaces the redacted values of an entry by the stored ones.
pub(crate) fn restore_secrets(entry: &Json, old: Option<&Json>) -> Result<Json, ManageError> {
    let mut entry = entry.to_value();
    if let Some(old) = old {
        restore(&mut entry, &redact_entry(old).to_value(), &old.to_value());
    }
    match contains_redacted(&entry) {
        true => {
            let detail = format!(
                "'{REDACTED_VALUE}' keeps a stored secret, but none is stored; give the value, or a reference to it"
            );
            Err(manage_error(ErrorCode::INVALID_REQUEST, detail))
        }
        false => Ok(Json::from(entry)),
    }
}

fn redact(value: &mut Value, is_secret: bool) {
    match value {
        Value::String(text) if is_secret => *text = redact_value(text),
        Value::String(text) => *text = redact_url(text),
        Value::Array(all) => redact_list(all, is_secret),
        Value::Object(members) => {
            for (key, value) in members {
                redact(value, is_secret || SECRET_MAPS.contains(&key.as_str()) || is_secret_name(key));
            }
        }
        Value::Number(_) if is_secret => *value = REDACTED_VALUE.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Redacts values after arguments such as `--api-key`, and in `--api-key=...` and `API_KEY=...`.
fn redact_list(all: &mut [Value], is_secret: bool) {
    let mut is_next = false;
    for value in all {
        let was_next = std::mem::take(&mut is_next);
        let Value::String(text) = value else {
            redact(value, is_secret || was_next);
            continue;
        };
        let is_flag = text.starts_with('-');
        match text.split_once('=') {
            Some((name, content)) if is_secret_name(name) => *text = format!("{name}={}", redact_value(content)),
            _ if is_flag && is_secret_name(text) => is_next = true,
            _ if is_secret || was_next && !is_flag => *text = redact_value(text),
            _ => *text = redact_url(text),
        }
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Keeps a reference and redacts any other value.
fn redact_value(text: &str) -> String {
    if is_reference(text) { text.to_owned() } else { REDACTED_VALUE.to_owned() }
}

/// Whether a value only refers to a secret.
fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if text.is_empty() || text.strip_prefix("env://").is_some_and(is_name) {
        return true;
    }
    let (mut rest, mut outside, mut refers) = (text, String::new(), false);
    while let Some((before, behind)) = rest.split_once("${") {
        // A default inside the braces may be the secret.
        let Some((name, after)) = behind.split_once('}') else { return false };
        if !is_name(name.strip_prefix("env:").unwrap_or(name)) {
            return false;
        }
        outside.push_str(before);
        (rest, refers) = (after, true);
    }
    outside.push_str(rest);
    let outside = outside.trim().to_ascii_lowercase();
    refers && (outside.is_empty() || AUTH_SCHEMES.contains(&outside.as_str()))
}

/// Redacts the query values and user info of a URL.
fn redact_url(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    if scheme == "env" {
        return text.to_owned();
    }
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host.to_owned(), |(_, host)| format!("{REDACTED_VALUE}@{host}"));
    let mut shown = format!("{scheme}://{host}");
    if let Some(path) = path {
        shown = format!("{shown}/{path}");
    }
    if let Some(query) = query {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) => format!("{name}={}", redact_value(value)),
            None => redact_value(pair),
        };
        shown = format!("{shown}?{}", query.split('&').map(pair).collect::<Vec<_>>().join("&"));
    }
    shown
}

/// Restores values that are given in their redacted form.
fn restore(new: &mut Value, shown: &Value, old: &Value) {
    match (new, shown, old) {
        (Value::Object(new), Value::Object(shown), Value::Object(old)) => restore_members(new, shown, old),
        (Value::Array(new), Value::Array(shown), Value::Array(old)) => {
            for ((new, shown), old) in new.iter_mut().zip(shown).zip(old) {
                restore(new, shown, old);
            }
        }
        (new, shown, old) if new == shown => *new = old.clone(),
        _ => {}
    }
}

fn restore_members(new: &mut Map<String, Value>, shown: &Map<String, Value>, old: &Map<String, Value>) {
    for (key, value) in new {
        if let (Some(shown), Some(old)) = (shown.get(key), old.get(key)) {
            restore(value, shown, old);
        }
    }
}

fn contains_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(REDACTED_VALUE),
        Value::Array(all) => all.iter().any(contains_redacted),
        Value::Object(members) => members.values().any(contains_redacted),
        _ => false,
    }
}

//! Error replies for unknown paths and methods below `/v1`, in OpenAI's format.

use super::error::error_reply;
use axum::response::Response;
use baton_responses::OpenAiError;
use http::{HeaderValue, Method, header};

/// Paths below `/v1` and their methods. `{}` matches one segment.
const SERVED_PATHS: [(&str, &str); 14] = [
    ("responses", "POST, and GET for a WebSocket"),
    ("responses/compact", "POST"),
    ("responses/input_tokens", "POST"),
    ("responses/{}", "GET, DELETE"),
    ("responses/{}/cancel", "POST"),
    ("responses/{}/input_items", "GET"),
    ("chat/completions", "POST"),
    ("completions", "POST"),
    ("models", "GET"),
    ("models/{}", "GET"),
    ("conversations", "POST"),
    ("conversations/{}", "GET, POST, DELETE"),
    ("conversations/{}/items", "GET, POST"),
    ("conversations/{}/items/{}", "GET, DELETE"),
];

/// Error reply for an unknown path.
pub(crate) fn no_such_path(method: &Method, path: &str) -> Response {
    let path = truncate_path(path);
    let message = format!(
        "{method} {path} does not exist. Available are /v1/responses, /v1/chat/completions, /v1/completions, \
         /v1/models and /v1/conversations, and the same paths for one agent under /agents/NAME."
    );
    error_reply(&refusal(404, "unknown_url", message))
}

/// Error reply for a method that the path does not support.
pub(crate) fn no_such_method(method: &Method, path: &str) -> Response {
    let methods = methods_of(path).unwrap_or("other methods");
    let path = truncate_path(path);
    let message = format!("{path} does not support {method}; it supports {methods}.");
    let mut response = error_reply(&refusal(405, "method_not_supported", message));
    let allowed: Vec<&str> =
        ["GET", "POST", "DELETE"].into_iter().filter(|allowed| methods.contains(*allowed)).collect();
    if let Ok(allowed) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Path, truncated for messages.
fn truncate_path(path: &str) -> String {
    path.chars().take(128).collect()
}

fn refusal(status: u16, code: &str, message: String) -> OpenAiError {
    OpenAiError { status, param: None, ..OpenAiError::invalid(code, "", message) }
}

fn methods_of(path: &str) -> Option<&'static str> {
    let (_, below) = path.split_once("/v1/")?;
    let fits = |pattern: &str| {
        let (mut names, mut segments) = (below.trim_end_matches('/').split('/'), pattern.split('/'));
        loop {
            match (names.next(), segments.next()) {
                (None, None) => return true,
                (Some(name), Some(segment)) if segment == "{}" || segment == name => {}
                _ => return false,
            }
        }
    };
    SERVED_PATHS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, methods)| *methods)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_those_of_the_path() {
        for (path, methods) in [
            ("/v1/chat/completions", Some("POST")),
            ("/agents/weather/v1/models", Some("GET")),
            ("/v1/responses/compact", Some("POST")),
            ("/v1/responses/resp_1/", Some("GET, DELETE")),
            ("/v1/conversations/c/items/i", Some("GET, DELETE")),
            ("/v1/nothing", None),
        ] {
            assert_eq!(methods_of(path), methods, "{path}");
        }
    }
}

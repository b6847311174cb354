//! Supported methods of an endpoint, and the error for all others.

use super::service::McpReply;
use bytes::Bytes;
use http::{StatusCode, header};
use http_body_util::{BodyExt, Full};
use rmcp::{
    ErrorData,
    model::{CustomRequest, ErrorCode, ServerCapabilities},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Maximum length of a method name in an error.
const MAX_METHOD_CHARS: usize = 128;

/// Methods that the library rejects in a session before it calls the endpoint.
const UNSUPPORTED_SESSION_METHODS: [&str; 4] = ["subscriptions/listen", "tasks/cancel", "tasks/get", "tasks/update"];

/// Names of the methods that an endpoint with these capabilities supports.
fn supported(capabilities: &ServerCapabilities, is_modern: bool) -> Vec<&'static str> {
    let (tools, prompts, resources) = (&capabilities.tools, &capabilities.prompts, &capabilities.resources);
    let subscribes = resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true));
    let announces = [
        tools.as_ref().and_then(|tools| tools.list_changed),
        prompts.as_ref().and_then(|prompts| prompts.list_changed),
        resources.as_ref().and_then(|resources| resources.list_changed),
    ];
    let table = [
        ("completion/complete", capabilities.completions.is_some()),
        ("initialize", !is_modern),
        ("logging/setLevel", !is_modern && capabilities.logging.is_some()),
        ("ping", !is_modern),
        ("prompts/get", prompts.is_some()),
        ("prompts/list", prompts.is_some()),
        ("resources/list", resources.is_some()),
        ("resources/read", resources.is_some()),
        ("resources/subscribe", !is_modern && subscribes),
        ("resources/templates/list", resources.is_some()),
        ("resources/unsubscribe", !is_modern && subscribes),
        ("server/discover", is_modern),
        ("subscriptions/listen", is_modern && announces.contains(&Some(true))),
        ("tools/call", tools.is_some()),
        ("tools/list", tools.is_some()),
    ];
    table.into_iter().filter_map(|(method, is_supported)| is_supported.then_some(method)).collect()
}

fn unknown_method(method: &str, capabilities: &ServerCapabilities, is_modern: bool) -> ErrorData {
    let method: String = method.chars().take(MAX_METHOD_CHARS).collect();
    let supported = supported(capabilities, is_modern).join(", ");
    let version = if is_modern { "the protocol 2026-07-28" } else { "a session" };
    let message = format!("the method '{method}' is not supported in {version}; supported: {supported}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Error for a request that the library could not parse: an unknown method, or a known one with invalid parameters.
pub(super) fn unreadable_request(
    request: &CustomRequest,
    capabilities: &ServerCapabilities,
    is_modern: bool,
) -> ErrorData {
    let method = request.method.as_str();
    if supported(capabilities, is_modern).contains(&method) {
        let message = format!("the params of '{method}' are invalid");
        return ErrorData::invalid_params(message, None);
    }
    unknown_method(method, capabilities, is_modern)
}

/// Replaces the library's error message, which is only the method name, by a sentence.
pub(super) fn explain(error: ErrorData, method: &str, capabilities: &ServerCapabilities, is_modern: bool) -> ErrorData {
    if error.code == ErrorCode::METHOD_NOT_FOUND && error.message == method {
        return unknown_method(method, capabilities, is_modern);
    }
    error
}

/// Error for a session request whose method the library rejects itself; `None` for notifications.
pub(super) fn session_method_error(body: &[u8], capabilities: impl FnOnce() -> ServerCapabilities) -> Option<Value> {
    #[derive(Deserialize)]
    struct SessionRequestEnvelope<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
        id: Value,
    }
    let SessionRequestEnvelope { method, id } = serde_json::from_slice(body).ok()?;
    if id.is_null() || !UNSUPPORTED_SESSION_METHODS.contains(&&*method) {
        return None;
    }
    let error = unknown_method(&method, &capabilities(), false);
    Some(json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

/// Rewrites the error of a reply of the newest protocol, where the library rejects some methods before it calls the
/// endpoint.
pub(super) async fn explain_reply(reply: McpReply, capabilities: impl FnOnce() -> ServerCapabilities) -> McpReply {
    let kind = reply.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if reply.status() != StatusCode::NOT_FOUND || !kind.is_some_and(|kind| kind.starts_with("application/json")) {
        return reply;
    }
    let (mut parts, body) = reply.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    let body = match rewrite_error(&body, capabilities) {
        Some(rewritten) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            Bytes::from(rewritten)
        }
        None => body,
    };
    McpReply::from_parts(parts, Full::new(body).boxed_unsync())
}

fn rewrite_error(body: &[u8], capabilities: impl FnOnce() -> ServerCapabilities) -> Option<String> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    let error: ErrorData = serde_json::from_value(message.get("error")?.clone()).ok()?;
    let method = error.message.to_string();
    if method.contains(' ') {
        return None;
    }
    message["error"] = serde_json::to_value(explain(error, &method, &capabilities(), true)).ok()?;
    Some(message.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_follow_the_capabilities_and_the_era() {
        let tools = ServerCapabilities::builder().enable_tools().build();
        let all = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let shown = |capabilities, is_modern| supported(capabilities, is_modern).join(" ");
        assert_eq!(shown(&tools, true), "server/discover tools/call tools/list");
        assert_eq!(shown(&tools, false), "initialize ping tools/call tools/list");
        assert_eq!(
            shown(&all, true),
            "completion/complete prompts/get prompts/list resources/list resources/read resources/templates/list \
             server/discover subscriptions/listen tools/call tools/list"
        );
        assert_eq!(
            shown(&all, false),
            "completion/complete initialize logging/setLevel ping prompts/get prompts/list resources/list resources/read \
             resources/subscribe resources/templates/list resources/unsubscribe tools/call tools/list"
        );
    }

    #[test]
    fn only_unsupported_requests_are_rejected_in_a_session() {
        let tools = || ServerCapabilities::builder().enable_tools().build();
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","method":"tasks/get"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tasks/get"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            "{",
        ] {
            assert_eq!(session_method_error(body.as_bytes(), tools), None, "{body}");
        }
        let refused = session_method_error(br#"{"jsonrpc":"2.0","id":"a","method":"tasks/get"}"#, tools).unwrap();
        let message =
            "the method 'tasks/get' is not supported in a session; supported: initialize, ping, tools/call, tools/list";
        assert_eq!(refused, json!({"jsonrpc": "2.0", "id": "a", "error": {"code": -32601, "message": message}}));
    }
}

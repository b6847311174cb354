//! Forwards a request to an MCP service and returns its response.

use super::span_attributes;
use super::state::McpState;
use crate::{McpReply, McpService, PublicBaseUrl, RefusalLog, SessionHolder};
use axum::{body::Body, extract::Request, response::Response};
use baton_http::{AdminNote, Caller, RequestSpan, base_url, reply};
use baton_manage::ManageRole;
use baton_rules::{Access, check_access};
use baton_telemetry::names;
use baton_types::AgentName;
use futures_util::StreamExt as _;
use http::header;
use http_body_util::BodyExt as _;
use rmcp::ServerHandler;
use serde::Deserialize;
use std::{borrow::Cow, pin::pin, sync::Arc};

/// Forwards the request if the caller has access. `agent` is the agent of the endpoint.
pub(super) async fn forward<H: ServerHandler>(
    shared: &Arc<McpState>,
    caller: &Caller,
    agent: Option<&AgentName>,
    service: &McpService<H>,
    request: Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let span = RequestSpan::from_request(&parts.extensions, &parts.headers);
    let received = match shared.http.bodies.read(&parts, body).await {
        Ok(received) => received,
        Err(error) => {
            span.record_route_name(&parts.method, &parts.extensions);
            return reply::error(&error);
        }
    };
    // The body was decompressed, so its encoding headers no longer apply.
    parts.headers.remove(header::CONTENT_ENCODING);
    parts.headers.remove(header::CONTENT_LENGTH);
    let bytes = received.bytes.len();
    let answered = async {
        span_attributes::record_request(&span, &parts, agent, &received.bytes);
        // On endpoints for several agents, the call arguments determine the agent whose scope is required.
        let lacks = agent.is_some() && check_access(caller.principal(), Access::Call, agent).is_err();
        if lacks && let Err(error) = caller.check_access(&shared.http, required_access(&received.bytes), agent) {
            return reply::error(&error);
        }
        parts.extensions.insert(PublicBaseUrl(base_url(&shared.http, &parts.headers)));
        parts.extensions.insert(SessionHolder::new(format!("{:?}", caller.limit_key())));
        parts.extensions.insert(refusal_log(shared, caller));
        // The audit log records the called tool of management requests.
        let managed = parts.extensions.get::<ManageRole>().and_then(|_| called_tool(&received.bytes));
        let request = http::Request::from_parts(parts, received.bytes.clone());
        let answer = service.answer(caller.principal(), request).await;
        let opened = answer.headers().get("mcp-session-id").and_then(|session| session.to_str().ok());
        span.edit(|span| span.set_some(names::MCP_SESSION_ID, opened.map(str::to_owned)));
        let mut response = into_response(shared, caller, answer);
        if let Some(tool) = managed {
            response.extensions_mut().insert(AdminNote(format!("called the tool {tool}")));
        }
        response
    };
    shared.http.large_requests.drive(bytes, pin!(answered)).await
}

/// Adds denials that appear only in a call result to the audit log.
fn refusal_log(shared: &Arc<McpState>, caller: &Caller) -> RefusalLog {
    let (shared, caller) = (Arc::clone(shared), caller.clone());
    RefusalLog::new(move |code, reason| caller.audit_hidden_denial(&shared.http, code, reason))
}

/// Name of the called tool.
fn called_tool(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct McpRequestEnvelope {
        method: String,
        params: McpToolCallParams,
    }
    #[derive(Deserialize)]
    struct McpToolCallParams {
        name: String,
    }
    let McpRequestEnvelope { method, params } = serde_json::from_slice(body).ok()?;
    (method == "tools/call").then(|| params.name.chars().take(128).collect())
}

/// Required access according to the method. The handlers check each call again; this check exists for the error that
/// names the missing scope and for the audit log.
fn required_access(body: &[u8]) -> Access {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        method: Option<Cow<'a, str>>,
    }
    let method = serde_json::from_slice::<Envelope<'_>>(body).ok().and_then(|envelope| envelope.method);
    if method.as_deref() == Some("tools/call") { Access::Call } else { Access::Read }
}

/// The response. A stream counts against the stream limit and ends when the caller's credentials expire.
fn into_response(shared: &Arc<McpState>, caller: &Caller, answer: McpReply) -> Response {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
        return answer.map(Body::new);
    }
    let turn = match shared.http.streams.acquire(caller) {
        Ok(turn) => turn,
        Err(full) => return reply::error(&full.error("streams")),
    };
    let over = caller.credentials_revoked();
    answer.map(|body| {
        let events = body.into_data_stream().map(move |piece| {
            let _turn = &turn;
            piece
        });
        Body::from_stream(events.take_until(over))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_calls_require_call_and_other_methods_read() {
        for (body, expect) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#, Access::Call),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call"}"#, Access::Call),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, Access::Read),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Access::Read),
            ("", Access::Read),
            ("[1", Access::Read),
        ] {
            assert_eq!(required_access(body.as_bytes()), expect, "{body}");
        }
    }
}

//! `GET /api/v1/agents/{agent}/tools?wait=`.

use super::{authorize, find};
use crate::state::ApiState;
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind, ServerEntry, ToolEntry, ToolList};
use baton_http::{Caller, PathName, reply};
use baton_ports::ServerStatus;
use baton_rules::Access;
use baton_types::ErrorCode;
use schemars::JsonSchema;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};

/// Maximum wait for servers.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Query parameters of the list.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ToolListParams {
    /// Maximum wait for starting MCP servers, such as `500ms`, `1s` or `1m`; at most 30 seconds.
    wait: Option<String>,
}

/// Callable tools, and the state of the agent's servers.
pub(crate) async fn list(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    PathName(agent): PathName,
    query: Result<Query<ToolListParams>, QueryRejection>,
) -> Response {
    let listed = async {
        let (agent, host) = authorize(&shared, &caller, Access::Read, &agent)?;
        let wait = query
            .ok()
            .and_then(|Query(ToolListParams { wait })| wait)
            .map_or(Some(Duration::ZERO), |wait| parse_wait(&wait));
        let Some(wait) = wait else {
            let message = "wait must be a time such as 500ms, 1s or 1m";
            return Err(ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message));
        };
        find::callable_tools(host, &agent, wait.min(MAX_WAIT)).await;
        let servers = host.servers(&agent.name);
        // A server may have become ready in the meantime: the tools of every server listed as ready must be in the
        // list.
        let tools = find::callable_tools(host, &agent, Duration::ZERO).await;
        Ok(ToolList {
            tools: tools.iter().map(ToolEntry::from_spec).collect(),
            servers: servers.into_iter().map(entry).collect(),
        })
    };
    match listed.await {
        Ok(list) => reply::json(&list),
        Err(error) => reply::error(&error),
    }
}

fn entry(status: ServerStatus) -> ServerEntry {
    let ServerStatus { name, transport, state, protocol, tools, reason, hint, log } = status;
    ServerEntry { name, transport, state: state.as_str().to_owned(), protocol, tools, reason, hint, log }
}

/// Parses a duration with a unit; a plain number is in seconds.
fn parse_wait(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = text.split_at(digits);
    let count: u64 = count.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(count)),
        "s" | "" => Some(Duration::from_secs(count)),
        "m" => count.checked_mul(60).map(Duration::from_secs),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, expect) in [
            ("500ms", Some(500)),
            ("1s", Some(1000)),
            ("2", Some(2000)),
            ("1m", Some(60_000)),
            ("0s", Some(0)),
            ("", None),
            ("s", None),
            ("-1s", None),
            ("1.5s", None),
            ("1h", None),
            ("99999999999999999999s", None),
        ] {
            assert_eq!(parse_wait(text), expect.map(Duration::from_millis), "{text}");
        }
    }
}

//! `GET /api/v1/sessions?agent=&page_size=&page_token=`.

use super::{SessionQuery, invalid_field, read_query, session_error, summary};
use crate::state::ApiState;
use axum::{extract::State, response::Response};
use baton_api::{ApiError, SessionList};
use baton_engine::{ListSessions, SessionRef};
use baton_http::{Caller, reply};
use baton_ports::ConversationCursor;
use baton_rules::Access;
use baton_types::{AgentName, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Default page size.
const DEFAULT_PAGE_SIZE: usize = 50;

/// Maximum page size.
const MAX_PAGE_SIZE: usize = 100;

/// Query parameters.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ListSessionsQuery {
    /// Only sessions with this agent.
    agent: Option<String>,
    /// Maximum number of sessions; 50 when absent, at most 100.
    page_size: Option<usize>,
    /// `next_page_token` of the page before.
    page_token: Option<String>,
}

/// Lists the caller's sessions, most recent activity first.
pub(crate) async fn list(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    query: SessionQuery<ListSessionsQuery>,
) -> Response {
    let listed = async {
        let ListSessionsQuery { agent, page_size, page_token } = read_query(query)?;
        let agent = agent.filter(|agent| !agent.is_empty()).map(AgentName::from);
        caller.check_access(&shared.http, Access::Read, agent.as_ref())?;
        let after = match page_token.as_deref() {
            None | Some("") => None,
            Some(token) => Some(read_token(token)?),
        };
        let query =
            ListSessions { agent, after, limit: page_size.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE) };
        let no_session = SessionRef { context: "".into(), agent: None };
        let page = shared.engine.sessions(caller.principal(), &query).await;
        let page = page.map_err(|error| session_error(&shared, &caller, &no_session, error))?;
        let readable = page.sessions.into_iter().filter(|one| caller.may_read(&one.conversation.agent));
        Ok(SessionList {
            sessions: readable.map(summary).collect(),
            total: page.total,
            next_page_token: page.next.as_ref().map(write_token),
        })
    };
    match listed.await {
        Ok(list) => reply::json(&list),
        Err(error) => reply::error(&error),
    }
}

/// Agent names contain no dot, so the rest after the second dot is the context.
fn write_token(cursor: &ConversationCursor) -> String {
    format!("{}.{}.{}", cursor.last_at.as_millis(), cursor.agent, cursor.context)
}

/// Accepts only tokens that [`write_token`] produces: any other would look like a page past the end.
fn read_token(token: &str) -> Result<ConversationCursor, ApiError> {
    let parsed = token.split_once('.').and_then(|(millis, rest)| {
        let (agent, context) =
            rest.split_once('.').filter(|(agent, context)| !agent.is_empty() && !context.is_empty())?;
        let last_at = Timestamp::from_millis(millis.parse().ok()?);
        let cursor = ConversationCursor { last_at, agent: agent.into(), context: context.into() };
        (write_token(&cursor) == token).then_some(cursor)
    });
    parsed.ok_or_else(|| invalid_field("page_token", "must be the next_page_token of an earlier page".to_owned()))
}

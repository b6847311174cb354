//! `DELETE /api/v1/sessions/{context}?agent=&force=`.

use super::{SessionPath, SessionQuery, load_session_record, read_query, read_session_ref, session_error};
use crate::state::ApiState;
use axum::{extract::State, response::Response};
use baton_api::{ApiError, DeletedSession};
use baton_engine::{SessionDeletion, SessionRef, UnfinishedPolicy};
use baton_http::{Caller, reply};
use baton_rules::Access;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Query parameters.
#[derive(Deserialize, JsonSchema)]
pub(super) struct DeleteSessionQuery {
    /// Agent of the session; required if several agents have a session with this context.
    agent: Option<String>,
    /// Whether unfinished tasks are canceled; otherwise they prevent the deletion.
    #[serde(default)]
    force: bool,
}

/// Deletes a session with all of its tasks.
pub(crate) async fn delete(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<DeleteSessionQuery>,
) -> Response {
    let deleted = async {
        let DeleteSessionQuery { agent, force } = read_query(query)?;
        let session_ref = read_session_ref(&shared, &caller, path, agent)?;
        let (session, _) = load_session_record(&shared, &caller, Access::Call, &session_ref).await?;
        let session = SessionRef { context: session.context, agent: Some(session.agent) };
        let unfinished = if force { UnfinishedPolicy::Cancel } else { UnfinishedPolicy::Refuse };
        let deleted = shared.engine.delete_session(caller.principal(), &session, unfinished).await;
        let SessionDeletion { conversation, canceled } =
            deleted.map_err(|error| session_error(&shared, &caller, &session, error))?;
        Ok::<_, ApiError>(DeletedSession {
            context_id: conversation.context.to_string(),
            agent: conversation.agent.to_string(),
            tasks: conversation.tasks,
            canceled: canceled as u64,
        })
    };
    match deleted.await {
        Ok(deleted) => reply::json(&deleted),
        Err(error) => reply::error(&error),
    }
}

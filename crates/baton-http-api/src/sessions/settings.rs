//! `DELETE /api/v1/sessions/{context}/settings` and `POST /api/v1/sessions/{context}/settings/save`.

use super::{
    SessionAgentQuery, SessionPath, SessionQuery,
    change::{apply_changes, respond},
    invalid, load_session_record, read_query, read_session_ref,
};
use crate::{definitions, error_codes, state::ApiState};
use axum::{extract::State, response::Response};
use baton_api::ChangedSession;
use baton_engine::SessionChange;
use baton_http::Caller;
use baton_rules::Access;
use baton_types::{AgentChange, SessionOverrides};
use std::sync::Arc;

/// Resets all settings to those of the agent.
pub(crate) async fn reset(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<SessionAgentQuery>,
) -> Response {
    let reset = async {
        let session_ref = read_session_ref(&shared, &caller, path, read_query(query)?.agent)?;
        let (conversation, _) = load_session_record(&shared, &caller, Access::Call, &session_ref).await?;
        let none = SessionChange::Settings(SessionOverrides::default());
        apply_changes(&shared, &caller, &conversation, vec![none]).await
    };
    respond(reset.await)
}

/// Saves the settings to the agent's definition and removes them from the session.
pub(crate) async fn save(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<SessionAgentQuery>,
) -> Response {
    let saved = async {
        caller.check_access(&shared.http, Access::Admin, None)?;
        let session_ref = read_session_ref(&shared, &caller, path, read_query(query)?.agent)?;
        let manager = definitions::manager(&shared)?;
        let (conversation, record) = load_session_record(&shared, &caller, Access::Read, &session_ref).await?;
        let settings = record.map(|record| record.settings).unwrap_or_default();
        if settings.is_empty() {
            let message = "the session has no settings of its own; set some first";
            return Err(invalid(message).with_code(error_codes::SESSION_INVALID));
        }
        let changed = manager.amend(&conversation.agent, &AgentChange::Settings(settings)).await;
        let changed = changed.map_err(|error| definitions::edit_error(&conversation.agent, error))?;
        let none = SessionChange::Settings(SessionOverrides::default());
        let changed_session = apply_changes(&shared, &caller, &conversation, vec![none]).await?;
        Ok(ChangedSession { file: Some(changed.file), ..changed_session })
    };
    respond(saved.await)
}

//! `DELETE /api/v1/sessions/{context}/settings` and `POST /api/v1/sessions/{context}/settings/save`.

use super::{
    SessionAgentQuery, SessionPath, SessionQuery,
    change::{apply_changes, respond},
    invalid, load_session_record, read_query, read_session_ref,
};
use crate::{app::HttpState, auth::Caller};
use axum::{extract::State, response::Response};
use baton_api::ChangedSession;
use baton_engine::SessionChange;
use baton_ports::AgentRepositoryError;
use baton_rules::Access;
use baton_types::{AgentChange, ErrorCode, SessionOverrides};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// Resets all settings to those of the agent.
pub(crate) async fn reset(
    State(shared): State<Arc<HttpState>>,
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
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<SessionAgentQuery>,
) -> Response {
    let saved = async {
        caller.check_access(&shared, Access::Admin, None)?;
        let session_ref = read_session_ref(&shared, &caller, path, read_query(query)?.agent)?;
        let Some(ports) = &shared.options.sessions else {
            let message = "this server cannot write agent definitions; change the agent where it is defined";
            return Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message));
        };
        let (conversation, record) = load_session_record(&shared, &caller, Access::Read, &session_ref).await?;
        let settings = record.map(|record| record.settings).unwrap_or_default();
        if settings.is_empty() {
            let message = "the session has no settings of its own; set some first";
            return Err(invalid(message).with_code(ErrorCode::SESSION_INVALID));
        }
        let changed =
            ports.agents.amend(&conversation.agent, AgentChange::Settings(settings)).await.map_err(not_saved)?;
        let none = SessionChange::Settings(SessionOverrides::default());
        let changed_session = apply_changes(&shared, &caller, &conversation, vec![none]).await?;
        Ok(ChangedSession { file: Some(changed.file), ..changed_session })
    };
    respond(saved.await)
}

fn not_saved(error: AgentRepositoryError) -> Error {
    let AgentRepositoryError { code, detail } = error;
    let kind = match code {
        ErrorCode::AGENT_NOT_FOUND => ErrorKind::AgentNotFound,
        ErrorCode::INTERNAL => ErrorKind::Internal,
        _ => ErrorKind::InvalidRequest,
    };
    Error::new(kind, code, detail)
}

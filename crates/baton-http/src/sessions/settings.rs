//! `DELETE /api/v1/sessions/{context}/settings` and `POST /api/v1/sessions/{context}/settings/save`.

use super::{
    Asked, Named, OfAgent, asked,
    change::{respond, say},
    invalid, known, named,
};
use crate::{app::Shared, auth::Caller};
use axum::{extract::State, response::Response};
use baton_engine::SessionChange;
use baton_ports::AgentBookError;
use baton_rules::Access;
use baton_types::{AgentChange, ErrorCode, SessionOverrides};
use baton_wire::{
    a2a::v1::{Error, ErrorKind},
    api::ChangedSession,
};
use std::sync::Arc;

/// Resets all settings to those of the agent.
pub(crate) async fn reset(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Named,
    query: Asked<OfAgent>,
) -> Response {
    let reset = async {
        let wanted = named(&shared, &caller, path, asked(query)?.agent)?;
        let (conversation, _) = known(&shared, &caller, Access::Call, &wanted).await?;
        let none = SessionChange::Settings(SessionOverrides::default());
        say(&shared, &caller, &conversation, vec![none]).await
    };
    respond(reset.await)
}

/// Saves the settings to the agent's definition and removes them from the session.
pub(crate) async fn save(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Named,
    query: Asked<OfAgent>,
) -> Response {
    let saved = async {
        caller.may(&shared, Access::Admin, None)?;
        let wanted = named(&shared, &caller, path, asked(query)?.agent)?;
        let Some(ports) = &shared.options.sessions else {
            let message = "this server cannot write agent definitions; change the agent where it is defined";
            return Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message));
        };
        let (conversation, record) = known(&shared, &caller, Access::Read, &wanted).await?;
        let settings = record.map(|record| record.settings).unwrap_or_default();
        if settings.is_empty() {
            let message = "the session has no settings of its own; set some first";
            return Err(invalid(message).with_code(ErrorCode::SESSION_INVALID));
        }
        let changed =
            ports.book.amend(&conversation.agent, AgentChange::Settings(settings)).await.map_err(not_saved)?;
        let none = SessionChange::Settings(SessionOverrides::default());
        let said = say(&shared, &caller, &conversation, vec![none]).await?;
        Ok(ChangedSession { file: Some(changed.file), ..said })
    };
    respond(saved.await)
}

fn not_saved(error: AgentBookError) -> Error {
    let AgentBookError { code, detail } = error;
    let kind = match code {
        ErrorCode::AGENT_NOT_FOUND => ErrorKind::AgentNotFound,
        ErrorCode::INTERNAL => ErrorKind::Internal,
        _ => ErrorKind::InvalidRequest,
    };
    Error::new(kind, code, detail)
}

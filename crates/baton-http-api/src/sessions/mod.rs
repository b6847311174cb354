//! Session API: lists, transcripts, settings, forks and files.
//!
//! A session is identified by its context, and by its agent if several agents have a context of that name. A session of
//! another owner is reported as not found.

mod change;
mod delete;
mod export;
mod file;
mod fork;
mod import;
mod list;
mod markdown;
mod settings;
mod show;

use crate::{resources::SESSIONS, state::ApiState};
use axum::extract::{
    Path, Query,
    rejection::{PathRejection, QueryRejection},
};
use baton_api::{
    A2aMessage, ApiError, ApiErrorKind, ChangeSession, ChangedSession, DeletedSession, ForkSession, ImportedSession,
    SessionDetails, SessionFile, SessionList,
};
use baton_engine::{SessionError, SessionRef, SessionSummary, SessionView};
use baton_http::{Caller, RouteAccess, RouteAgentSource, Routes, invalid_path};
use baton_ports::ConversationSummary;
use baton_rules::{Access, SessionRecord};
use baton_types::{AgentName, ErrorCode, FieldViolation, ItemName, SessionId, SessionOrigin, StreamId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Maximum characters of the last message in a list.
const MAX_LAST_MESSAGE_CHARS: usize = 200;

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let (read, call) = (RouteAccess::Read(RouteAgentSource::Resource), RouteAccess::Call(RouteAgentSource::Resource));
    let (all, one) = ("/api/v1/sessions", "/api/v1/sessions/{context}");
    routes
        .operation(
            SESSIONS
                .get(all, read, "listSessions", "List sessions, most recently active first")
                .note("Lists only sessions with agents that the token may read.")
                .query::<list::ListSessionsQuery>()
                .reply::<SessionList>(),
            list::list,
        )
        .operation(
            SESSIONS
                .post(all, call, "importSession", "Create a session from a file")
                .query::<import::ImportSessionQuery>()
                .body::<SessionFile<A2aMessage>>()
                .body_as::<String>("text/markdown")
                .reply::<ImportedSession>(),
            import::import,
        )
        .operation(
            SESSIONS
                .get(one, read, "getSession", "Show a session with its messages")
                .query::<SessionAgentQuery>()
                .reply::<SessionDetails<A2aMessage>>(),
            show::show,
        )
        .operation(
            SESSIONS
                .patch(one, call, "changeSession", "Change title, settings and items of a session")
                .note("Settings take effect with the next run.")
                .query::<SessionAgentQuery>()
                .body::<ChangeSession>()
                .reply::<ChangedSession>(),
            change::change,
        )
        .operation(
            SESSIONS
                .delete(one, call, "deleteSession", "Delete a session with all of its tasks")
                .query::<delete::DeleteSessionQuery>()
                .reply::<DeletedSession>(),
            delete::delete,
        )
        .operation(
            SESSIONS
                .get(format!("{one}/export"), read, "exportSession", "Export a session as a file")
                .query::<export::ExportSessionQuery>()
                .reply::<SessionFile<A2aMessage>>()
                .reply_text("text/markdown"),
            export::export,
        )
        .operation(
            SESSIONS
                .post(format!("{one}/fork"), call, "forkSession", "Create a session with the history of this one")
                .query::<SessionAgentQuery>()
                .body::<ForkSession>()
                .reply::<baton_api::SessionSummary>(),
            fork::fork,
        )
        .operation(
            SESSIONS
                .delete(format!("{one}/settings"), call, "resetSessionSettings", "Restore the settings of the agent")
                .query::<SessionAgentQuery>()
                .reply::<ChangedSession>(),
            settings::reset,
        )
        .operation(
            SESSIONS
                .post(
                    format!("{one}/settings/save"),
                    RouteAccess::AdminChange,
                    "saveSessionSettings",
                    "Move the settings of a session to its agent",
                )
                .query::<SessionAgentQuery>()
                .reply::<ChangedSession>(),
            settings::save,
        )
}

/// Query parameter that selects the agent.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SessionAgentQuery {
    /// Agent of the session; required if several agents have a session with this context.
    agent: Option<String>,
}

type SessionPath = Result<Path<String>, PathRejection>;
type SessionQuery<T> = Result<Query<T>, QueryRejection>;

/// Session that a request names; read access to the agent is checked first.
fn read_session_ref(
    shared: &ApiState,
    caller: &Caller,
    path: SessionPath,
    agent: Option<String>,
) -> Result<SessionRef, ApiError> {
    let Path(context) = path.map_err(|error| invalid_path(&error.body_text()))?;
    let agent = agent.filter(|agent| !agent.is_empty()).map(AgentName::from);
    caller.check_access(&shared.http, Access::Read, agent.as_ref())?;
    Ok(SessionRef { context: context.into(), agent })
}

fn read_query<T>(query: SessionQuery<T>) -> Result<T, ApiError> {
    let wrong = |error: QueryRejection| invalid(error.body_text());
    query.map(|Query(params)| params).map_err(wrong)
}

/// Loads the session with its messages and checks access to its agent.
async fn load_session(
    shared: &ApiState,
    caller: &Caller,
    access: Access,
    session_ref: &SessionRef,
) -> Result<SessionView, ApiError> {
    let view = shared.engine.session(caller.principal(), session_ref).await;
    let view = view.map_err(|error| session_error(shared, caller, session_ref, error))?;
    caller.check_access(&shared.http, access, Some(&view.conversation.agent)).map(|()| view)
}

/// Loads the session without its messages and checks access to its agent.
async fn load_session_record(
    shared: &ApiState,
    caller: &Caller,
    access: Access,
    session_ref: &SessionRef,
) -> Result<(ConversationSummary, Option<SessionRecord>), ApiError> {
    let known = shared.engine.session_record(caller.principal(), session_ref).await;
    let known = known.map_err(|error| session_error(shared, caller, session_ref, error))?;
    caller.check_access(&shared.http, access, Some(&known.0.agent)).map(|()| known)
}

/// Converts a session error to an API error.
fn session_error(shared: &ApiState, caller: &Caller, session_ref: &SessionRef, error: SessionError) -> ApiError {
    let (code, message) = (error.code(), error.to_string());
    match error {
        SessionError::NotFound(context) => {
            if let Some(agent) = &session_ref.agent {
                let id = SessionId::derive(caller.principal(), agent, &context);
                caller.audit_not_found(&shared.http, StreamId::Session(id), code);
            }
            ApiError::new(ApiErrorKind::PageNotFound, code, message)
        }
        SessionError::Unfinished { .. } | SessionError::Exists(_) => {
            ApiError::new(ApiErrorKind::TaskGenerationMismatch, code, message)
        }
        SessionError::Ambiguous { .. } => invalid_field("agent", message).with_code(code),
        SessionError::NoSuchEvent { .. } => invalid_field("event", message).with_code(code),
        SessionError::TooLarge { .. } => invalid(message).with_code(code),
        SessionError::Setting(refused) => invalid_field(refused.setting, refused.detail).with_code(code),
        SessionError::Mode(_) => invalid_field("autonomous", message).with_code(code),
        SessionError::Engine(error) => crate::engine_error::from_engine(error),
    }
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message)
}

fn invalid_field(field: &str, description: String) -> ApiError {
    ApiError::invalid_params(FieldViolation { field: field.to_owned(), description }.into())
}

fn summary(summary: SessionSummary) -> baton_api::SessionSummary {
    let SessionSummary { conversation, title, origin, last_message } = summary;
    let ConversationSummary { agent, context, tasks, unfinished, began_at, last_at } = conversation;
    let last_message = last_message.map(|message| truncate_message(&message.text())).filter(|text| !text.is_empty());
    baton_api::SessionSummary {
        context_id: context.to_string(),
        agent: agent.to_string(),
        title,
        tasks,
        open_tasks: unfinished,
        started_at: Some(began_at),
        last_activity_at: Some(last_at),
        last_message,
        forked_from: match &origin {
            Some(SessionOrigin::Fork { context, .. }) => Some(context.to_string()),
            _ => None,
        },
        imported: matches!(origin, Some(SessionOrigin::Import { .. })),
    }
}

fn truncate_message(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_LAST_MESSAGE_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Summary of a loaded session.
fn summary_of(view: &SessionView) -> baton_api::SessionSummary {
    let (title, origin) =
        view.record.as_ref().map(|record| (record.title.clone(), record.origin.clone())).unwrap_or_default();
    let entries = view.lines.iter().rev().map(|line| &line.entry).filter(|entry| !entry.notice);
    let last_message = entries.map(|entry| &entry.message).find(|message| !message.text().is_empty()).cloned();
    summary(SessionSummary { conversation: view.conversation.clone(), title, origin, last_message })
}

fn items(items: &[ItemName]) -> Vec<baton_api::SessionItem> {
    items.iter().map(|item| baton_api::SessionItem { kind: item.kind, name: item.name.clone() }).collect()
}

fn item(item: baton_api::SessionItem) -> ItemName {
    ItemName { kind: item.kind, name: item.name }
}

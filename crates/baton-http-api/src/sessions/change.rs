//! `PATCH /api/v1/sessions/{context}?agent=`: changes title, settings and the included and excluded items.

use super::{
    SessionAgentQuery, SessionPath, SessionQuery, invalid, invalid_field, item, items, load_session_record, read_query,
    read_session_ref, session_error,
};
use crate::{error_codes, state::ApiState};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{ApiError, ChangeSession, ChangedSession, SessionSettingsBody};
use baton_engine::{SessionChange, SessionRef};
use baton_http::{Caller, body::json, reply};
use baton_ports::ConversationSummary;
use baton_rules::{Access, SessionRecord};
use baton_types::{Json, SessionOverrides};
use serde_json::Value;
use std::sync::Arc;

/// Applies the given changes; settings take effect with the next run.
pub(crate) async fn change(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<SessionAgentQuery>,
    request: Request,
) -> Response {
    let changed = async {
        let session_ref = read_session_ref(&shared, &caller, path, read_query(query)?.agent)?;
        let (_, body) = json::<ChangeSession>(&shared.http, request).await?;
        if body == ChangeSession::default() {
            return Err(invalid("nothing to change; give title, settings, include or exclude"));
        }
        let (conversation, record) = load_session_record(&shared, &caller, Access::Call, &session_ref).await?;
        let before = record.map(|record| record.settings).unwrap_or_default();
        let changes = changes(body, &before)?;
        apply_changes(&shared, &caller, &conversation, changes).await
    };
    respond(changed.await)
}

fn changes(body: ChangeSession, before: &SessionOverrides) -> Result<Vec<SessionChange>, ApiError> {
    let ChangeSession { title, settings, include, exclude } = body;
    let mut changes: Vec<SessionChange> = title.map(|title| SessionChange::Rename(Some(title))).into_iter().collect();
    if let Some(settings) = settings {
        changes.push(SessionChange::Settings(merge_settings(before, &settings)?));
    }
    changes.extend(include.into_iter().map(|one| SessionChange::Include(item(one))));
    changes.extend(exclude.into_iter().map(|one| SessionChange::Exclude(item(one))));
    Ok(changes)
}

/// Merges the given settings into the existing ones; `null` removes a setting.
fn merge_settings(before: &SessionOverrides, patch: &Json) -> Result<SessionOverrides, ApiError> {
    let wrong = |detail: String| invalid_field("settings", detail).with_code(error_codes::SESSION_INVALID);
    let Value::Object(patch) = patch.to_value() else { return Err(wrong("must be an object".to_owned())) };
    let mut all = serde_json::to_value(SessionSettingsBody::from(before)).map_err(|error| wrong(error.to_string()))?;
    for (name, value) in patch {
        if !SessionSettingsBody::NAMES.contains(&name.as_str()) {
            return Err(wrong(format!(
                "has no member '{name}'; valid members are {}",
                SessionSettingsBody::NAMES.join(", ")
            )));
        }
        all[name] = value;
    }
    let settings: SessionSettingsBody = serde_json::from_value(all).map_err(|error| wrong(error.to_string()))?;
    settings.check().map_err(|name| wrong(format!("{name} is out of range")))
}

/// Applies the changes and returns the resulting session.
pub(super) async fn apply_changes(
    shared: &ApiState,
    caller: &Caller,
    conversation: &ConversationSummary,
    changes: Vec<SessionChange>,
) -> Result<ChangedSession, ApiError> {
    let session = SessionRef { context: conversation.context.clone(), agent: Some(conversation.agent.clone()) };
    let record = shared.engine.change_session(caller.principal(), &session, changes).await;
    let record = record.map_err(|error| session_error(shared, caller, &session, error))?;
    Ok(changed(conversation, record.as_ref()))
}

/// Current title, settings and items of a session.
fn changed(conversation: &ConversationSummary, record: Option<&SessionRecord>) -> ChangedSession {
    ChangedSession {
        context_id: conversation.context.to_string(),
        agent: conversation.agent.to_string(),
        title: record.and_then(|record| record.title.clone()),
        settings: record.map(|record| SessionSettingsBody::from(&record.settings)).unwrap_or_default(),
        included: record.map(|record| items(&record.included)).unwrap_or_default(),
        excluded: record.map(|record| items(&record.excluded)).unwrap_or_default(),
        file: None,
    }
}

pub(super) fn respond(changed: Result<ChangedSession, ApiError>) -> Response {
    match changed {
        Ok(changed) => reply::json(&changed),
        Err(error) => reply::error(&error),
    }
}

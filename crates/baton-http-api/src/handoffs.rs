//! Handoff records.

use crate::{error_codes, resources::HANDOFFS, state::ApiState};
use axum::{extract::State, response::Response};
use baton_api::{ApiError, ApiErrorKind, HandoffEntry};
use baton_http::{Caller, PathName, RouteAccess, RouteAgentSource, Routes, reply};
use baton_rules::{Access, HandoffRecord};
use baton_types::{HandoffId, StreamId};
use std::sync::Arc;

/// Adds the route.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let read = RouteAccess::Read(RouteAgentSource::Resource);
    routes.operation(
        HANDOFFS.get("/api/v1/handoffs/{handoff}", read, "getHandoff", "Show a handoff").reply::<HandoffEntry>(),
        show,
    )
}

/// `GET /api/v1/handoffs/{handoff}`.
async fn show(State(shared): State<Arc<ApiState>>, caller: Caller, PathName(handoff): PathName) -> Response {
    match find(&shared, &caller, HandoffId::from(handoff)).await {
        Ok(record) => reply::json(&entry(record)),
        Err(error) => reply::error(&error),
    }
}

/// The handoff, if it belongs to the caller and the caller may read its agent.
async fn find(shared: &ApiState, caller: &Caller, id: HandoffId) -> Result<HandoffRecord, ApiError> {
    caller.check_access(&shared.http, Access::Read, None)?;
    let found = shared.engine.handoff(caller.principal(), &id).await.map_err(crate::engine_error::from_engine)?;
    let Some(record) = found else {
        let message = format!("there is no handoff '{}'", id.as_str().chars().take(64).collect::<String>());
        caller.audit_not_found(&shared.http, StreamId::Handoff(id), error_codes::HANDOFF_NOT_FOUND);
        return Err(ApiError::new(ApiErrorKind::TaskNotFound, error_codes::HANDOFF_NOT_FOUND, message));
    };
    caller.check_access(&shared.http, Access::Read, Some(&record.handoff.from_agent)).map(|()| record)
}

fn entry(record: HandoffRecord) -> HandoffEntry {
    let HandoffRecord { handoff, status, result, error, result_trace_id, answered_model, .. } = record;
    HandoffEntry {
        id: handoff.id.to_string(),
        from_agent: handoff.from_agent.to_string(),
        to_agent: handoff.to_agent.to_string(),
        capability_id: handoff.capability_id,
        task: handoff.task,
        inputs: handoff.inputs,
        expected_output: handoff.expected_output,
        priority: handoff.priority,
        timeout_ms: handoff.timeout_ms,
        status,
        created_at: Some(handoff.created_at),
        parent_task_id: handoff.parent_task.map(|task| task.to_string()),
        child_task_id: handoff.child_task.map(|task| task.to_string()),
        channel: handoff.channel,
        channel_reason: handoff.channel_reason,
        answered_model,
        agent_uri: handoff.agent_uri,
        trace_parent: handoff.trace,
        result,
        result_trace_id,
        error_message: error,
    }
}

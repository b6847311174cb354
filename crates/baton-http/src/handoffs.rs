//! Handoffs as they stand.

use crate::{app::Shared, named::Named, reply};
use axum::{extract::State, response::Response};
use baton_rules::HandoffRecord;
use baton_types::ErrorCode;
use baton_wire::{
    a2a::v1::{Error, ErrorKind},
    api::HandoffEntry,
};
use std::sync::Arc;

/// `GET /api/v1/handoffs/{handoff}`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>, Named(handoff): Named) -> Response {
    match shared.engine.handoff(&shared.principal, &handoff.as_str().into()).await {
        Ok(Some(record)) => reply::json(&entry(record)),
        Ok(None) => {
            let message = format!("there is no handoff '{}'", handoff.chars().take(64).collect::<String>());
            reply::rest_error(&Error::new(ErrorKind::TaskNotFound, ErrorCode::HANDOFF_NOT_FOUND, message))
        }
        Err(error) => reply::rest_error(&reply::from_engine(error)),
    }
}

fn entry(record: HandoffRecord) -> HandoffEntry {
    let HandoffRecord { handoff, status, result, error, result_trace_id, .. } = record;
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
        parent_task_id: handoff.parent_task.to_string(),
        child_task_id: handoff.child_task.to_string(),
        result,
        result_trace_id,
        error_message: error,
    }
}

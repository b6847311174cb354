//! `GET /api/v1/approvals/{task}/{call}`.

use super::{entry, find_approval};
use crate::state::ApiState;
use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};
use baton_engine::ApprovalRef;
use baton_http::{Caller, invalid_path, reply};
use std::sync::Arc;

/// Shows one pending approval.
pub(crate) async fn show(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Response {
    let shown = async {
        let Path((task, call)) = path.map_err(|error| invalid_path(&error.body_text()))?;
        let target = ApprovalRef { task: task.into(), call, remote_task: None };
        find_approval(&shared, &caller, &target).await
    };
    match shown.await {
        Ok(approval) => reply::json(&entry(approval)),
        Err(error) => reply::error(&error),
    }
}

//! `GET /api/v1/approvals/{task}/{call}`.

use super::{entry, find_approval};
use crate::{app::HttpState, auth::Caller, path_name::invalid_path, reply};
use axum::{
    extract::{Path, State, rejection::PathRejection},
    response::Response,
};
use baton_engine::ApprovalRef;
use std::sync::Arc;

/// Shows one pending approval.
pub(crate) async fn show(
    State(shared): State<Arc<HttpState>>,
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
        Err(error) => reply::rest_error(&error),
    }
}

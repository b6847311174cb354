//! `GET /api/v1/approvals?agent=&root_task_id=&page_size=&page_token=`.

use super::entry;
use crate::state::ApiState;
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind, ApprovalList};
use baton_engine::ListApprovals;
use baton_http::{Caller, reply};
use baton_ports::StreamCursor;
use baton_rules::Access;
use baton_types::{ErrorCode, FieldViolation, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Default page size.
const DEFAULT_PAGE_SIZE: usize = 50;

/// Maximum page size.
const MAX_PAGE_SIZE: usize = 100;

/// Query parameters of the list.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ApprovalListParams {
    /// Only approvals of tasks of this agent.
    agent: Option<String>,
    /// Only approvals that this task waits for.
    root_task_id: Option<String>,
    /// Maximum number of approvals; 50 when absent, at most 100.
    page_size: Option<usize>,
    /// `next_page_token` of the page before.
    page_token: Option<String>,
}

/// Pending approvals of the caller, newest first.
pub(crate) async fn list(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    query: Result<Query<ApprovalListParams>, QueryRejection>,
) -> Response {
    let listed = async {
        caller.check_access(&shared.http, Access::Read, None)?;
        let Query(params) = query.map_err(|error| {
            ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, error.body_text())
        })?;
        let after = match params.page_token.as_deref() {
            None | Some("") => None,
            Some(token) => Some(read_token(token)?),
        };
        let query = ListApprovals {
            agent: params.agent.filter(|agent| !agent.is_empty()).map(Into::into),
            root: params.root_task_id.filter(|task| !task.is_empty()).map(Into::into),
            after,
            limit: params.page_size.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE),
        };
        let page =
            shared.engine.approvals(caller.principal(), &query).await.map_err(crate::engine_error::from_engine)?;
        let readable = page.approvals.into_iter().filter(|approval| caller.may_read(&approval.task_agent));
        Ok(ApprovalList {
            approvals: readable.map(entry).collect(),
            next_page_token: page.next.as_ref().map(write_token),
        })
    };
    match listed.await {
        Ok(list) => reply::json(&list),
        Err(error) => reply::error(&error),
    }
}

fn write_token(cursor: &StreamCursor) -> String {
    format!("{}.{}", cursor.status_at.as_millis(), cursor.id)
}

/// Accepts only the exact output of [`write_token`]: any other token would look like a page after the last.
fn read_token(token: &str) -> Result<StreamCursor, ApiError> {
    let parsed = token.split_once('.').and_then(|(millis, id)| {
        let cursor = StreamCursor { status_at: Timestamp::from_millis(millis.parse().ok()?), id: id.to_owned() };
        (!id.is_empty() && write_token(&cursor) == token).then_some(cursor)
    });
    parsed.ok_or_else(|| {
        let description = "must be the next_page_token of an earlier page".to_owned();
        ApiError::invalid_params(FieldViolation { field: "page_token".to_owned(), description }.into())
    })
}

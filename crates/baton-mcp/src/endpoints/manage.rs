//! MCP server for agent management.

use super::state::McpState;
use super::{forward::forward, ports};
use crate::error_codes;
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind};
use baton_http::{Caller, has_owner_token, reply};
use baton_manage::ManageRole;
use baton_rules::Access;
use std::sync::Arc;

/// `/mcp/manage`. Requires `admin`.
pub(crate) async fn manage(State(shared): State<Arc<McpState>>, caller: Caller, mut request: Request) -> Response {
    let service = caller.check_access(&shared.http, Access::Admin, None).and_then(|()| {
        ports(&shared)?.manage.as_ref().ok_or_else(|| {
            let message = "this server stores no agent definitions; change agents where they are defined";
            ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message)
        })
    });
    match service {
        Ok(service) => {
            let is_owner = has_owner_token(&shared.http.options.access, request.headers());
            request.extensions_mut().insert(if is_owner { ManageRole::Owner } else { ManageRole::Administrator });
            forward(&shared, &caller, None, service, request).await
        }
        Err(error) => reply::error(&error),
    }
}

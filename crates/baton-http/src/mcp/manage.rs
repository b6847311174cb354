//! MCP server for agent management.

use super::{forward::forward, ports};
use crate::{
    app::HttpState,
    auth::{Caller, has_owner_token},
    reply,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_manage::ManageRole;
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// `/mcp/manage`. Requires `admin`.
pub(crate) async fn manage(State(shared): State<Arc<HttpState>>, caller: Caller, mut request: Request) -> Response {
    let service = caller.check_access(&shared, Access::Admin, None).and_then(|()| {
        ports(&shared)?.manage.as_ref().ok_or_else(|| {
            let message = "this server stores no agent definitions; change agents where they are defined";
            Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message)
        })
    });
    match service {
        Ok(service) => {
            let is_owner = has_owner_token(&shared.options.access, request.headers());
            request.extensions_mut().insert(if is_owner { ManageRole::Owner } else { ManageRole::Administrator });
            forward(&shared, &caller, None, service, request).await
        }
        Err(error) => reply::rest_error(&error),
    }
}

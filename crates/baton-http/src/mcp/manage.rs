//! MCP server for agent management.

use super::{pass::pass, ports};
use crate::{
    app::Shared,
    auth::{Caller, shows_owner},
    reply,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_manage::Who;
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// `/mcp/manage`. Requires `admin`.
pub(crate) async fn manage(State(shared): State<Arc<Shared>>, caller: Caller, mut request: Request) -> Response {
    let service = caller.may(&shared, Access::Admin, None).and_then(|()| {
        ports(&shared)?.manage.as_ref().ok_or_else(|| {
            let message = "this server stores no agent definitions; change agents where they are defined";
            Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message)
        })
    });
    match service {
        Ok(service) => {
            let is_owner = shows_owner(&shared.options.access, request.headers());
            request.extensions_mut().insert(if is_owner { Who::Owner } else { Who::Administrator });
            pass(&shared, &caller, None, service, request).await
        }
        Err(error) => reply::rest_error(&error),
    }
}

//! `PUT /api/v1/agents/{agent}/tools/{tool}/permission` and `PUT /api/v1/agents/{agent}/servers/{server}/permission`:
//! set the permission of a tool or a server in the agent's definition.

use super::{
    authorize,
    scope::{ToolPermissionTarget, override_note, resolve_target, target_not_found},
};
use crate::{definitions, state::ApiState};
use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind, PermissionReply, SetPermission};
use baton_http::{Caller, invalid_path, reply};
use baton_manage::{ManageRole, PermissionUpdate};
use baton_ports::ToolHost;
use baton_rules::Access;
use baton_types::{AgentSpec, ErrorCode, PermissionChange, PermissionTarget};
use std::sync::Arc;

/// Sets the permission of a tool by its model-facing name, or of a whole server: `files__*`, or its name.
pub(crate) async fn set_tool_permission(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let set = async {
        let Path((agent, tool)) = path.map_err(|error| invalid_path(&error.body_text()))?;
        let (agent, host) = authorize_change(&shared, &caller, &agent)?;
        let role = definitions::manage_role(&shared, request.headers());
        let body = read_change(&shared, request).await?;
        let target = resolve_target(host, &agent, &tool).await?;
        check_start(&shared, role, &agent, &target.scope, &body).await?;
        apply_change(&shared, host, &agent, target, body).await
    };
    respond(set.await)
}

/// Sets the default permission of a server's tools.
pub(crate) async fn set_server_permission(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let set = async {
        let Path((agent, server)) = path.map_err(|error| invalid_path(&error.body_text()))?;
        let (agent, host) = authorize_change(&shared, &caller, &agent)?;
        let role = definitions::manage_role(&shared, request.headers());
        let body = read_change(&shared, request).await?;
        if !host.servers(&agent.name).iter().any(|known| known.name == server) {
            return Err(target_not_found(host, &agent, &server, &[]));
        }
        let target = ToolPermissionTarget::server(&server);
        check_start(&shared, role, &agent, &target.scope, &body).await?;
        apply_change(&shared, host, &agent, target, body).await
    };
    respond(set.await)
}

/// Changes to definitions require `admin`.
fn authorize_change<'a>(
    shared: &'a ApiState,
    caller: &Caller,
    agent: &str,
) -> Result<(Arc<AgentSpec>, &'a dyn ToolHost), ApiError> {
    caller.check_access(&shared.http, Access::Admin, None)?;
    authorize(shared, caller, Access::Read, agent)
}

/// Enabling a server may start a program, so only the owner may do it.
async fn check_start(
    shared: &ApiState,
    role: ManageRole,
    agent: &AgentSpec,
    scope: &PermissionTarget,
    body: &SetPermission,
) -> Result<(), ApiError> {
    let (PermissionTarget::Server(server), Some(false)) = (scope, body.disabled) else { return Ok(()) };
    let Ok(manager) = definitions::manager(shared) else { return Ok(()) };
    manager.check_server_start(&agent.name, role, server).await.map_err(definitions::manage_error)
}

async fn read_change(shared: &ApiState, request: Request) -> Result<SetPermission, ApiError> {
    let invalid = |message: String| ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message);
    let (parts, body) = request.into_parts();
    reply::check_json(&parts.headers)?;
    let received = shared.http.bodies.read(&parts, body).await?;
    let change: SetPermission =
        serde_json::from_str(reply::parse_text(&received.bytes)?).map_err(|error| invalid(error.to_string()))?;
    if change == SetPermission::default() {
        return Err(invalid(
            "give at least one of permission (allow, ask or deny) and disabled (true or false)".to_owned(),
        ));
    }
    Ok(change)
}

async fn apply_change(
    shared: &ApiState,
    host: &dyn ToolHost,
    agent: &AgentSpec,
    target: ToolPermissionTarget,
    body: SetPermission,
) -> Result<PermissionReply, ApiError> {
    let manager = definitions::manager(shared)?;
    let ToolPermissionTarget { tool, scope } = target;
    let server = match &scope {
        PermissionTarget::Own(_) => None,
        PermissionTarget::Tool(mcp) => Some(mcp.server.clone()),
        PermissionTarget::Server(server) => Some(server.clone()),
    };
    let change = PermissionChange { target: scope, permission: body.permission, disabled: body.disabled };
    let changed = manager.change_permission(&agent.name, &change).await;
    let PermissionUpdate { file, is_written, before, after } =
        changed.map_err(|error| definitions::edit_error(&agent.name, error))?;
    // Read again, so that it includes the change.
    let remark = match (&tool, body.permission, shared.http.agent(agent.name.as_str())) {
        (Some(tool), Some(permission), Some(agent)) => override_note(host, &agent, tool, permission).await,
        _ => None,
    };
    Ok(PermissionReply {
        agent: agent.name.to_string(),
        tool,
        server,
        permission: after.into(),
        previous: before.into(),
        file,
        changed: is_written,
        note: remark,
    })
}

fn respond(set: Result<PermissionReply, ApiError>) -> Response {
    match set {
        Ok(reply) => reply::json(&reply),
        Err(error) => reply::error(&error),
    }
}

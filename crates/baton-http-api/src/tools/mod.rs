//! Tools of an agent for clients without MCP: list and call.
//!
//! Such a call is not a task. It is checked against the policy, recorded as a span and answered. Questions of the tool
//! go to the caller, which posts the same arguments again with the answers. No state is held between the requests,
//! except by the tool.

mod answer;
mod call;
mod find;
mod list;
mod permission;
mod run;
mod scope;
mod state;

use crate::{error_codes, resources::TOOLS, state::ApiState};
use baton_api::{AnswerTool, ApiError, ApiErrorKind, PermissionReply, SetPermission, ToolList, ToolReply};
use baton_http::{Caller, RouteAccess, RouteAgentSource, Routes};
use baton_ports::ToolHost;
use baton_rules::Access;
use baton_types::AgentSpec;
use serde_json::{Map, Value};
use std::{fmt, sync::Arc};

/// Access to the tool host.
#[derive(Clone)]
pub struct ToolPorts {
    /// Tool host.
    pub host: Arc<dyn ToolHost>,
}

impl fmt::Debug for ToolPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolPorts").finish_non_exhaustive()
    }
}

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let (read, call) = (RouteAccess::Read(RouteAgentSource::Path), RouteAccess::Call(RouteAgentSource::Path));
    let change = RouteAccess::AdminChange;
    let one = "/api/v1/agents/{agent}/tools/{tool}";
    routes
        .operation(
            TOOLS
                .get("/api/v1/agents/{agent}/tools", read, "listTools", "List the tools and MCP servers of an agent")
                .query::<list::ToolListParams>()
                .reply::<ToolList>(),
            list::list,
        )
        .operation(
            TOOLS
                .post(one, call, "callTool", "Call a tool without a model")
                .note(
                    "The body is the object of arguments. If the reply has questions, send the same arguments with \
                     the answers to `answerTool`.",
                )
                .optional_body::<Map<String, Value>>()
                .reply::<ToolReply>(),
            call::call,
        )
        .operation(
            TOOLS
                .post(format!("{one}/answers"), call, "answerTool", "Continue a tool call that asked questions")
                .body::<AnswerTool>()
                .reply::<ToolReply>(),
            answer::answer,
        )
        .operation(
            TOOLS
                .put(format!("{one}/permission"), change, "setToolPermission", "Set the permission of a tool")
                .note("`{tool}` may also be a whole server: its name, or its prefix such as `files__*`.")
                .body::<SetPermission>()
                .reply::<PermissionReply>(),
            permission::set_tool_permission,
        )
        .operation(
            TOOLS
                .put(
                    "/api/v1/agents/{agent}/servers/{server}/permission",
                    change,
                    "setServerPermission",
                    "Set the default permission of a server's tools",
                )
                .body::<SetPermission>()
                .reply::<PermissionReply>(),
            permission::set_server_permission,
        )
}

/// The agent of a path and its tool host, if the caller has the access.
fn authorize<'a>(
    shared: &'a ApiState,
    caller: &Caller,
    access: Access,
    agent: &str,
) -> Result<(Arc<AgentSpec>, &'a dyn ToolHost), ApiError> {
    // A missing read scope is reported first.
    caller.check_access(&shared.http, Access::Read, Some(&agent.into()))?;
    caller.check_access(&shared.http, access, Some(&agent.into()))?;
    let spec = shared.http.agent(agent).ok_or_else(|| shared.http.no_such_agent_for(caller, Some(agent)))?;
    match &shared.ports.tools {
        Some(ports) => Ok((spec, ports.host.as_ref())),
        None => {
            let message = "tool calls are not enabled on this server";
            Err(ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message))
        }
    }
}

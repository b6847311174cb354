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

pub(crate) use answer::answer;
pub(crate) use call::call;
pub(crate) use list::list;
pub(crate) use permission::{set_server_permission, set_tool_permission};

use crate::error_codes;
use crate::state::ApiState;
use baton_api::{ApiError, ApiErrorKind};
use baton_http::Caller;
use baton_ports::ToolHost;
use baton_rules::Access;
use baton_types::AgentSpec;
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

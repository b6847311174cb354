//! An agent's tools for programs that are no MCP clients: which there are, and calling one.
//!
//! Such a call is no task. It is decided, recorded as a span and answered; what the tool asks goes to the caller, who
//! posts the same arguments again with the answers. Nothing is held in between except by the tool itself.

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
pub use permission::PermissionPorts;
pub(crate) use permission::{set_server_permission, set_tool_permission};

use crate::{app::Shared, auth::Caller};
use baton_ports::ToolHost;
use baton_rules::Access;
use baton_types::{AgentSpec, ErrorCode};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::{fmt, sync::Arc};

/// Who runs the tools of agents.
#[derive(Clone)]
pub struct ToolPorts {
    /// Runs them.
    pub host: Arc<dyn ToolHost>,
}

impl fmt::Debug for ToolPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolPorts").finish_non_exhaustive()
    }
}

/// The agent of a path and who runs its tools, if the caller may have that access to it.
fn reached<'a>(
    shared: &'a Shared,
    caller: &Caller,
    access: Access,
    agent: &str,
) -> Result<(Arc<AgentSpec>, &'a dyn ToolHost), Error> {
    // Whoever may not even look is told that first.
    caller.may(shared, Access::Read, Some(&agent.into()))?;
    caller.may(shared, access, Some(&agent.into()))?;
    let spec = shared.agent(agent).ok_or_else(|| shared.no_such_agent_for(caller, Some(agent)))?;
    match &shared.options.tools {
        Some(ports) => Ok((spec, ports.host.as_ref())),
        None => {
            let message = "this Baton runs no tools for callers";
            Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message))
        }
    }
}

//! MCP endpoints: who may use which, and the way to the service that answers.
//!
//! What an endpoint does is `baton-mcp`'s; here requests get their caller, their bounds and their scopes. Hosts and
//! origins were checked before any route.

mod environment;
mod exported;
mod manage;
mod own;
mod pass;
mod ports;
mod spoken;

pub(crate) use environment::named;
pub(crate) use exported::exported;
pub(crate) use manage::manage;
pub(crate) use own::{own, root};
pub use ports::McpPorts;

use crate::app::Shared;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};

/// Who answers, if anybody does.
fn ports(shared: &Shared) -> Result<&McpPorts, Error> {
    shared.options.mcp.as_ref().ok_or_else(|| {
        let message = "this Baton does not speak MCP";
        Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message)
    })
}

//! MCP endpoints: access checks and dispatch to the MCP services.
//!
//! The endpoints are implemented in `baton-mcp`; this module adds the caller, the limits and the scopes. Hosts and
//! origins are checked before any route.

mod environment;
mod exported;
mod forward;
mod manage;
mod own;
mod ports;
mod span_attributes;

pub(crate) use environment::named;
pub(crate) use exported::exported;
pub(crate) use manage::manage;
pub(crate) use own::{own, root};
pub use ports::McpPorts;

use crate::app::HttpState;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};

/// MCP services; an error if MCP is disabled.
fn ports(shared: &HttpState) -> Result<&McpPorts, Error> {
    shared.options.mcp.as_ref().ok_or_else(|| {
        let message = "MCP is not enabled on this server";
        Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message)
    })
}

//! Baton as an MCP server: an agent's Environment, its exported tools, the server over all agents, and agent
//! management.
//!
//! This crate must never decide the behaviour of a task or a handoff (work for agents goes through the ports
//! `AgentInvoker` and `HandoffService`), never reach a tool except through a `ToolHost` or the tool host's servers, and
//! never answer a caller that the surface in front of it did not authenticate. A request of the newest protocol leaves
//! no state behind; sessions of the older protocols belong to the caller that opened them.
//!
//! Read first: [`McpService`] (one endpoint around any handler), [`EndpointContext`] (state shared by all endpoints),
//! [`Environment`] (the handler of one agent's endpoint).

#![expect(deprecated, reason = "sampling, roots and logging are on their way out of MCP, and clients still use them")]

mod agent_invocation;
mod endpoints;
mod environment;
pub mod error_codes;
pub mod exported;
mod manage;
mod own;
mod serve;
mod span;
mod tool_schema;

pub use agent_invocation::{PublicBaseUrl, RefusalLog};
pub use endpoints::{McpPorts, routes};
pub use environment::{Environment, EnvironmentPorts, Environments};
pub use exported::{ExportedEndpoints, ExportedServer};
pub use manage::{ManagePorts, ManageServer};
pub use own::{OwnServer, OwnServerOptions, ToolNameSet};
pub use serve::{
    Caller, EndpointContext, McpLimits, McpReply, McpService, McpSessionManager, SealBinding, SealError, SessionHolder,
    StateSeal,
};

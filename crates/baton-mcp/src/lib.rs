//! Baton as an MCP server: what an agent has (its Environment), what it offers, the way to all agents, and managing them.
//!
//! This crate must never decide what a task or a handoff does (work for agents goes through the ports `AgentDesk` and
//! `HandoffDesk`), never reach a tool except through a `ToolHost` or the tool host's servers, and never answer anybody
//! whom the surface in front of it did not identify. A request of the newest protocol leaves nothing behind; sessions of
//! the older ones belong to whoever opened them.
//!
//! Read first: [`McpService`] (one endpoint, whatever it serves), [`Common`] (what all endpoints share),
//! [`Environment`] (the handler of one agent's endpoint).

#![expect(deprecated, reason = "sampling, roots and logging are on their way out of MCP, and clients still use them")]

mod environment;
pub mod exported;
mod manage;
mod own;
mod schema;
mod serve;
mod span;
mod work;

pub use environment::{Environment, Environments, Ports};
pub use exported::{ExportedEndpoints, ExportedServer};
pub use manage::{ManagePorts, ManageServer};
pub use own::{Names, OwnOptions, OwnServer};
pub use serve::{Caller, Common, Limits, McpReply, McpService, Seal, SealError, Sealed, SessionHolder, Sessions};
pub use work::{RefusalLog, ServedAt};

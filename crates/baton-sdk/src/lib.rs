//! Agents written in Rust: an [`Agent`] with typed [`Tool`]s, served by a [`Baton`] like any agent of the `baton`
//! program, durably, to every A2A and MCP client.
//!
//! This crate must never do anything that the program does not: it puts the same engine, journal, tool host and HTTP
//! surface together, and adds no behaviour of its own. It serves this machine only, writes nowhere but to the directory
//! that it is given, and starts a log only when it is told to.
//!
//! Read first: [`Agent`] (what it is and can do), [`Tool`] (a function that its model may call), [`Baton`] (who serves
//! it), [`manage`] (agents that are made while it runs), [`Orchestrator`] (asks agents elsewhere and runs the tools that they leave to their callers).
//! `examples/rust-weather` and `examples/orchestrator` are whole programs in less than thirty lines.

mod agent;
mod baton;
mod error;
mod log;
pub mod manage;
mod running;
mod signals;
mod wiring;

pub use agent::Agent;
pub use baton::Baton;
pub use baton_orchestrator::{Answer, Limits, OrchestrateError, Orchestrator, Question, Reply, Watch, Whose};
pub use baton_toolhost::{Tool, ToolContext, ToolError};
pub use baton_types::{
    A2aSettings, AgentKit, AnswerPlacement, ArgumentMatch, AskWhen, ContextItem, ErrorCode, ExportedTool, Include,
    McpEra, McpPermissions, McpServer, McpTimeouts, McpTransport, Permission, PermissionRule, Principal, RunLimits,
    TaskState, TextStreaming, Wanted,
};
pub use error::Error;
pub use running::Running;
pub use schemars;

//! Agents written in Rust: an [`Agent`] with typed [`Tool`]s, served by a [`Baton`] like any agent of the `baton`
//! program, durably, to every A2A and MCP client.
//!
//! This crate must never do anything that the program does not: it opens the same server with other options, and adds
//! no behaviour. It serves this machine only, writes only to the given directory, and starts a
//! log only on request.
//!
//! Read first: [`Agent`] (an agent definition), [`Tool`] (a function that its model may call), [`Baton`] (the server),
//! [`manage`] (agents created at runtime), [`Orchestrator`] (calls remote agents and runs the tools that they leave to
//! their clients). `examples/rust-weather` and `examples/orchestrator` are complete programs in less than thirty lines.

mod agent;
mod baton;
mod error;
pub mod error_codes;
mod listen;
mod log;
pub mod manage;
mod server;
mod signals;
mod telemetry;

pub use agent::Agent;
pub use baton::Baton;
pub use baton_orchestrator::{
    AgentAnswer, AgentQuestion, CalledAgent, OrchestrateError, OrchestrationObserver, Orchestrator, OrchestratorLimits,
    QuestionReply,
};
pub use baton_server::{Tool, ToolContext, ToolError};
pub use baton_types::{
    A2aSettings, AgentResources, AnswerPlacement, ApprovalMode, ArgumentMatch, ContextItem, ErrorCode, ExportedTool,
    InclusionMode, McpEra, McpPermissions, McpServer, McpTimeouts, McpTransport, Permission, PermissionRule, Principal,
    QuestionKind, RunLimits, TaskState, TextDelivery,
};
pub use error::Error;
pub use schemars;
pub use server::BatonServer;

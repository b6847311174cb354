//! Agent management for MCP clients: tools that create, show, change, copy and delete definitions.
//!
//! `baton-manage` implements the operations; this module validates, dispatches and answers the calls.

mod agents;
mod answer;
mod arguments;
mod parts;
mod schemas;
mod server;
mod verbs;

pub use server::{ManagePorts, ManageServer};

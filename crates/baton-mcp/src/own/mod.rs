//! Baton's own server: lists and calls all agents.
//!
//! `server.rs` dispatches the calls; each tool is one file.

mod call;
mod list;
mod server;
mod shapes;
mod tools;
mod visible_agents;

pub use server::{OwnServer, OwnServerOptions};
pub use tools::ToolNameSet;

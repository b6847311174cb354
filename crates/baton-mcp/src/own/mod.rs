//! Baton's own server: lists and calls all agents.
//!
//! `server.rs` dispatches the calls; each tool is one file.

mod call;
mod known;
mod list;
mod server;
mod shapes;
mod tools;

pub use server::{OwnServer, OwnServerOptions};
pub use tools::ToolNameSet;

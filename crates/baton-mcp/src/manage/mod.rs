//! Managing agents from an MCP client: tools that make, show, change, copy and delete definitions.
//!
//! What they do is `baton-manage`'s; here calls are checked, told apart and answered.

mod agents;
mod answer;
mod arguments;
mod parts;
mod schemas;
mod server;
mod verbs;

pub use server::{ManagePorts, ManageServer};

//! MCP servers of an agent, tested against scripted servers.

mod calling;
mod eras;
mod input_requests;
mod programs;
mod running;
pub(crate) mod script;
mod spans;
mod subscriptions;
mod tool_lists;
pub(crate) mod world;

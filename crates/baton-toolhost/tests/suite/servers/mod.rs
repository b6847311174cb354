//! MCP servers of an agent, tested against scripted servers.

mod calling;
mod eras;
mod input_requests;
mod programs;
mod running;
mod script;
mod spans;
mod subscriptions;
mod tool_lists;
mod world;

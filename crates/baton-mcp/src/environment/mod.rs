//! MCP server of one agent: its prompt, tools and references, and the offers of its own MCP servers.
//!
//! `handler.rs` dispatches the protocol's methods; each method is a file. Everything is looked up for every request, so
//! a changed definition takes effect at once.

mod agent;
mod approve;
mod call;
mod client_requests;
mod complete;
mod decide;
mod environments;
mod handler;
mod handoff;
mod listen;
mod own_tool;
mod page;
mod ports;
mod prompts;
mod references;
mod relay;
mod resources;
mod results;
mod rounds;
mod server_tool;
mod session;
mod uri_template;
mod view;
mod watch;

pub use environments::Environments;
pub use handler::Environment;
pub use ports::EnvironmentPorts;

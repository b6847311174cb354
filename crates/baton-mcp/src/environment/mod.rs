//! One agent's MCP server: its prompt, its tools, its references, and what its own MCP servers offer.
//!
//! `handler.rs` is the table of the protocol's verbs; each verb is a file. Everything is looked up for every request,
//! so a changed definition takes effect at once.

mod agent;
mod approve;
mod ask;
mod call;
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
pub use ports::Ports;

//! One agent's MCP server: its prompt, its tools, its references, and what its own MCP servers offer.

mod environments;
mod handler;

pub use environments::Environments;
pub use handler::{Environment, Ports};

//! Agent work offered as MCP tools: calling one runs the agent on a prompt and returns its last answer.
//!
//! The agent's Environment uses [`tools`] and [`call()`]; [`ExportedServer`] serves them alone.

mod arguments;
mod call;
mod endpoints;
mod server;
mod template;
mod tools;

pub(crate) use arguments::validate_arguments;
pub use call::call;
pub use endpoints::ExportedEndpoints;
pub use server::ExportedServer;
pub use template::prompt;
pub use tools::{find, tools};

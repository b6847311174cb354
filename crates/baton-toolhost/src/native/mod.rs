//! Functions of the embedding program as tools: typed in Rust, described by the schemas of their types.

mod call;
mod context;
mod error;
mod registry;
mod schema;
mod tool;

pub use context::ToolContext;
pub use error::ToolError;
pub use registry::{NativeTools, ToolProblem};
pub use tool::Tool;

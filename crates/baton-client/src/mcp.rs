//! Messages to and from an MCP endpoint, one at a time and as they are.
//!
//! Nothing here knows what a message means beyond what its way needs: who asks, who answers, and which headers a
//! request of the newest protocol repeats from its body.

mod exchange;
mod headers;
mod message;

pub use exchange::{McpContent, McpEvent, McpReply, McpStream};
pub use headers::ToolHeaders;
pub use message::{McpKind, McpMessage, McpMessageError};

//! Messages to and from an MCP endpoint, one at a time and unchanged.
//!
//! This module interprets only the parts of a message that routing needs: request or response, ids, and the headers
//! that a request of the newest protocol version repeats from its body.

mod exchange;
mod headers;
mod message;

pub use exchange::{McpContent, McpEvent, McpReply, McpStream};
pub use headers::ToolHeaders;
pub use message::{McpKind, McpMessage, McpMessageError};

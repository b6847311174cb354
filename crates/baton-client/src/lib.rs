//! A typed client of Baton's HTTP API, over TCP or in memory; used by the command line and the tests.
//!
//! This crate must never know the engine: it can do only the same as any program on the network. Every reply, line and
//! event that it reads has a maximum size.
//!
//! Read first: [`Client`] (one method per operation), [`EventStream`] (following a task), [`ClientError`].

mod agents;
mod approvals;
mod call;
mod cancel;
mod card;
mod client;
mod error;
pub mod error_codes;
mod events;
mod export;
mod get;
mod health;
mod list;
mod mcp;
mod peers;
mod send;
mod send_streaming;
mod sessions;
mod spans;
mod stream;
mod subscribe;
mod tempo;
mod tokens;
mod tools;
mod transport;

pub use agents::{AgentResourceKind, AgentTextKind};
pub use client::Client;
pub use error::{ClientError, ServerRefusal};
pub use export::{ExportItem, ExportRequest, SpanExport};
pub use mcp::{McpContent, McpEvent, McpKind, McpMessage, McpMessageError, McpReply, McpStream, ToolHeaders};
pub use send::SendRequest;
pub use sessions::{SessionFormat, SessionName};
pub use spans::{SpanTail, TailEvent};
pub use stream::{EventStream, StreamEvent};
pub use tempo::{
    MetricsReply, MetricsRequest, SearchReply, SearchRequest, SeriesHit, SpanHit, SpansetHit, TraceHit, TraceReply,
};

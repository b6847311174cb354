//! The older HTTP+SSE transport: one stream of events from the server, and an address for messages to it.

mod endpoint;
mod worker;

use super::http::Remote;
use rmcp::{
    RoleClient,
    transport::{Transport, WorkerTransport},
};
use worker::SseWorker;

/// An rmcp client transport of HTTP+SSE to this server; nothing was said yet.
pub fn sse(remote: Remote) -> impl Transport<RoleClient> + use<> {
    WorkerTransport::spawn(SseWorker::new(remote))
}

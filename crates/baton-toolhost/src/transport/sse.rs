//! The older HTTP+SSE transport: an event stream from the server, and an endpoint for messages to it.

mod endpoint;
mod worker;

use super::http::RemoteServer;
use rmcp::{
    RoleClient,
    transport::{Transport, WorkerTransport},
};
use worker::SseWorker;

/// An rmcp HTTP+SSE client transport to this server; nothing is sent yet.
pub fn sse(remote: RemoteServer) -> impl Transport<RoleClient> + use<> {
    WorkerTransport::spawn(SseWorker::new(remote))
}

//! Streamable HTTP through a client that checks every address.

mod client;
mod connect;
mod direct;
mod error;
mod events;
mod explain;
mod remote;
mod reply;
mod stream_readiness;

pub use connect::{RemoteConnector, RemoteSettings};
pub use error::RemoteError;
pub use explain::needs_login;
pub use remote::RemoteServer;

pub(crate) use direct::{DirectCalls, DirectOutcome, PostedReply};
pub(crate) use events::{StreamCutoff, events};
pub(crate) use remote::{ContentClass, content_class};

use rmcp::transport::{
    StreamableHttpClientTransport, common::client_side_sse::ExponentialBackoff,
    streamable_http_client::StreamableHttpClientTransportConfig,
};
use std::{sync::Arc, time::Duration};

/// Maximum size of a server message: 16 MiB.
pub(crate) const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// An rmcp streamable HTTP client transport to this server; nothing is sent yet.
pub fn streamable(remote: RemoteServer) -> StreamableHttpClientTransport<RemoteServer> {
    let mut settings = StreamableHttpClientTransportConfig::with_uri(remote.url());
    settings.max_sse_event_size = MAX_MESSAGE;
    settings.retry_config = Arc::new(stream_retries());
    StreamableHttpClientTransport::with_client(remote, settings)
}

/// Delays before a broken stream is opened again; a longer delay requested by the server applies.
fn stream_retries() -> ExponentialBackoff {
    let mut retries = ExponentialBackoff::default();
    retries.base_duration = Duration::from_millis(500);
    retries.max_delay = Some(Duration::from_secs(30));
    retries.max_times = Some(9);
    retries
}

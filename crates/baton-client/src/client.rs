//! The client and its settings.

use crate::{
    ClientError,
    transport::{ServerTrust, Transport},
};
use baton_types::TraceContext;
use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use std::{
    convert::Infallible,
    error::Error,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tower::Service;

/// Client of one Baton; cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) transport: Transport,
    pub(crate) timeout: Option<Duration>,
    pub(crate) idle_timeout: Duration,
    pub(crate) next_id: Arc<AtomicU64>,
    /// Marked as sensitive, so that it is never printed.
    pub(crate) authorization: Option<HeaderValue>,
    /// W3C trace context.
    pub(crate) trace: Option<HeaderValue>,
}

impl Client {
    /// A client of the Baton at `url`, such as `http://127.0.0.1:8700`; https certificates are verified against the
    /// system's authorities.
    pub fn tcp(url: &str) -> Result<Self, ClientError> {
        Transport::tcp(url, ServerTrust::System).map(Self::from_transport)
    }

    /// A client of the Baton at `url` that accepts exactly the certificate with this SHA-256 in hex, regardless of its
    /// issuer and names. The owner of a server uses it to connect by another address.
    pub fn pinned(url: &str, fingerprint: &str) -> Result<Self, ClientError> {
        Transport::tcp(url, ServerTrust::pinned(fingerprint)?).map(Self::from_transport)
    }

    /// A client of a service in this process.
    pub fn in_memory<S, B>(service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        Self::from_transport(Transport::memory(service))
    }

    fn from_transport(transport: Transport) -> Self {
        let idle_timeout = Duration::from_secs(60);
        let next_id = Arc::new(AtomicU64::new(1));
        Self { transport, timeout: None, idle_timeout, next_id, authorization: None, trace: None }
    }

    /// Sends this token with every request.
    pub fn with_token(mut self, token: &str) -> Result<Self, ClientError> {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::Token)?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Ok(self)
    }

    /// Sends every request with this span as its parent.
    #[must_use]
    pub fn with_trace(mut self, context: TraceContext) -> Self {
        self.trace = HeaderValue::from_str(&context.to_string()).ok();
        self
    }

    /// Sets the response timeout; without it, a blocking send waits until the agent is done.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the idle timeout of streams; servers send a keep-alive every 15 s.
    #[must_use]
    pub fn with_idle_timeout(mut self, idle_timeout: Duration) -> Self {
        self.idle_timeout = idle_timeout;
        self
    }
}

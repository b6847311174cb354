//! Idle connections by origin.

use crate::{
    UrlOrigin,
    connect::GuardedConnector,
    connection::{ConnectionStream, HttpConnection},
    error::RequestFailure,
    pooled_body::PooledBody,
};
use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header, uri::PathAndQuery};
use http_body_util::Full;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};
use tower::ServiceExt as _;

/// Sends requests over pooled HTTP/1 connections; clones share the connections.
#[derive(Clone)]
pub(crate) struct ConnectionPool {
    connector: GuardedConnector,
    idle: Arc<IdleConnections>,
}

/// Idle connections, closed after a time.
pub(crate) struct IdleConnections {
    state: Mutex<IdleState>,
    max_per_origin: usize,
    timeout: Duration,
}

#[derive(Default)]
struct IdleState {
    /// The connection used last is at the end.
    by_origin: HashMap<UrlOrigin, Vec<IdleConnection>>,
    /// Whether a task closes expired connections.
    is_watched: bool,
}

struct IdleConnection {
    connection: HttpConnection,
    since: Instant,
}

impl ConnectionPool {
    pub(crate) fn new(connector: GuardedConnector, max_per_origin: usize, timeout: Duration) -> Self {
        Self { connector, idle: Arc::new(IdleConnections { state: Mutex::default(), max_per_origin, timeout }) }
    }

    /// Sends a request with an absolute URL. The connection is reused when the body of the response has ended.
    pub(crate) async fn send(
        &self,
        origin: UrlOrigin,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<PooledBody>, RequestFailure> {
        let uri = std::mem::take(request.uri_mut());
        *request.uri_mut() = origin_form(&uri);
        if let Some(host) = host_header(&uri, &origin) {
            request.headers_mut().insert(header::HOST, host);
        }
        loop {
            let (mut connection, is_fresh) = match self.idle.take(&origin) {
                Some(connection) => (connection, false),
                // Boxed: rare, and far larger than an exchange.
                None => (Box::pin(self.connect(&uri)).await?, true),
            };
            match connection.send(request).await {
                Ok(response) => {
                    let idle = Arc::clone(&self.idle);
                    return Ok(response.map(|body| PooledBody::new(body, connection, idle, origin)));
                }
                // The server closed an idle connection; nothing was sent over it.
                Err(mut error) => match error.take_message() {
                    Some(unsent) if !is_fresh => request = unsent,
                    _ => return Err(RequestFailure::Exchange(error.into_error())),
                },
            }
        }
    }

    async fn connect(&self, uri: &Uri) -> Result<HttpConnection, RequestFailure> {
        let stream: ConnectionStream =
            self.connector.clone().oneshot(uri.clone()).await.map_err(RequestFailure::Connect)?;
        HttpConnection::open(stream).await.map_err(RequestFailure::Exchange)
    }
}

impl IdleConnections {
    /// The usable connection used last.
    fn take(&self, origin: &UrlOrigin) -> Option<HttpConnection> {
        let now = Instant::now();
        loop {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = state.by_origin.get_mut(origin)?;
            let last = idle.pop();
            if idle.is_empty() {
                state.by_origin.remove(origin);
            }
            drop(state);
            let IdleConnection { mut connection, since } = last?;
            if now.duration_since(since) < self.timeout && connection.is_reusable() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection after a complete response, unless it is closed or enough are idle.
    pub(crate) fn put(self: &Arc<Self>, origin: UrlOrigin, mut connection: HttpConnection) {
        if !connection.is_reusable() {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = state.by_origin.entry(origin).or_default();
        if idle.len() >= self.max_per_origin {
            return;
        }
        idle.push(IdleConnection { connection, since: Instant::now() });
        if !std::mem::replace(&mut state.is_watched, true) {
            drop(state);
            tokio::spawn(close_expired(Arc::downgrade(self), self.timeout));
        }
    }

    /// Closes expired connections; returns the time of the next expiry, if there are connections.
    fn sweep(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for idle in state.by_origin.values_mut() {
            idle.retain_mut(|idle| now.duration_since(idle.since) < self.timeout && idle.connection.is_reusable());
        }
        state.by_origin.retain(|_, idle| !idle.is_empty());
        let oldest = state.by_origin.values().flatten().map(|idle| idle.since).min();
        state.is_watched = oldest.is_some();
        oldest.map(|since| since + self.timeout)
    }
}

async fn close_expired(idle: Weak<IdleConnections>, timeout: Duration) {
    let mut next = Instant::now() + timeout;
    loop {
        sleep_until(next).await;
        let Some(due) = idle.upgrade().and_then(|idle| idle.sweep()) else { return };
        next = due;
    }
}

/// Path and query of a URL, as requests name them.
fn origin_form(uri: &Uri) -> Uri {
    uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")).into()
}

/// Host and port of a URL; the default port is omitted.
fn host_header(uri: &Uri, origin: &UrlOrigin) -> Option<HeaderValue> {
    let authority = uri.authority()?;
    match origin.has_default_port() {
        true => HeaderValue::from_str(authority.host()).ok(),
        false => HeaderValue::from_str(authority.as_str()).ok(),
    }
}

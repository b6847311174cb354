//! HTTP/2, as gRPC needs it.

use crate::{
    GuardedClient, OutboundError, SetupError, Target,
    connect::{GuardedConnector, Protocol},
    tls,
};
use baton_ports::BoxFuture;
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use std::{
    error::Error,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tower::Service;

/// While requests are open, the server is asked this often whether it is still there.
const PING: Duration = Duration::from_secs(20);
/// And given this long to say so.
const PONG: Duration = Duration::from_secs(20);
/// Bytes that a server may send on one stream before they are read.
const WINDOW: u32 = 1024 * 1024;
/// The head of a reply.
const MAX_HEAD: u32 = 64 * 1024;

/// HTTP/2 to addresses that the policy allows, for the clients that `tonic` generates; clones share a connection.
///
/// Redirects are not followed. The head of a reply comes within the time of a request; after it a stream lasts as long
/// as its connection answers pings.
pub struct Http2Service<B> {
    http: Client<GuardedConnector, B>,
    limit: Duration,
}

impl<B> Clone for Http2Service<B> {
    fn clone(&self) -> Self {
        Self { http: self.http.clone(), limit: self.limit }
    }
}

impl GuardedClient {
    /// A client of HTTP/2 (by ALPN on https, unasked on http), with connections of its own; one for each peer.
    pub fn grpc_service<B>(&self) -> Result<Http2Service<B>, SetupError>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let tls = tls::config(&self.roots, self.options.client_identity.as_ref())?;
        let (policy, limit) = (Arc::clone(&self.policy), self.options.connect_timeout);
        let connector = GuardedConnector::new(policy, self.resolver.clone(), tls, Protocol::Http2, limit);
        let http = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(self.options.idle_timeout)
            .pool_max_idle_per_host(self.options.idle_per_host)
            .http2_only(true)
            .http2_initial_stream_window_size(WINDOW)
            .http2_initial_connection_window_size(WINDOW)
            .http2_max_header_list_size(MAX_HEAD)
            .http2_keep_alive_interval(PING)
            .http2_keep_alive_timeout(PONG)
            .build(connector);
        Ok(Http2Service { http, limit: self.options.request_timeout })
    }
}

impl<B> Service<Request<B>> for Http2Service<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Incoming>;
    type Error = OutboundError;
    type Future = BoxFuture<'static, Result<Self::Response, OutboundError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OutboundError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let target = match Target::of(request.uri().clone()) {
            Ok(target) => target,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let (answering, limit) = (self.http.request(request), self.limit);
        Box::pin(async move {
            match tokio::time::timeout(limit, answering).await {
                Ok(answered) => answered.map_err(|error| OutboundError::of_request(&error, target.to_string())),
                Err(_) => Err(OutboundError::Timeout { target: target.to_string(), limit }),
            }
        })
    }
}

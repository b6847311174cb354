//! Connector that only connects to allowed addresses, within a timeout.

use crate::{AddressPolicy, OutboundError, Target, resolve::GuardedResolver};
use futures_core::future::BoxFuture;
use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::{client::legacy::connect::HttpConnector, rt::TokioIo};
use rustls::ClientConfig;
use std::{
    error::Error,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::net::TcpStream;
use tower::Service;

/// HTTP version of a connection, negotiated by ALPN on TLS.
#[derive(Clone, Copy)]
pub(crate) enum HttpProtocol {
    Http1,
    Http2,
}

/// Opens the connections of the HTTP client.
#[derive(Clone)]
pub(crate) struct GuardedConnector {
    policy: Arc<AddressPolicy>,
    inner: HttpsConnector<HttpConnector<GuardedResolver>>,
    limit: Duration,
}

impl GuardedConnector {
    pub(crate) fn new(
        policy: Arc<AddressPolicy>,
        resolver: GuardedResolver,
        tls: ClientConfig,
        protocol: HttpProtocol,
        limit: Duration,
    ) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        // TLS wraps this connector, so it also receives https addresses.
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Divided among the addresses of a name, so that an unreachable one leaves time for the next.
        tcp.set_connect_timeout(Some(limit));
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let inner = match protocol {
            HttpProtocol::Http1 => builder.enable_http1().wrap_connector(tcp),
            HttpProtocol::Http2 => builder.enable_http2().wrap_connector(tcp),
        };
        Self { policy, inner, limit }
    }
}

impl Service<Uri> for GuardedConnector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        // The resolver only checks names; a literal address must be checked before it reaches the TCP connector.
        let checked = Target::from_uri(uri.clone()).and_then(|target| Ok(target.check(&self.policy)?));
        if let Err(error) = checked {
            return Box::pin(async move { Err(error.into()) });
        }
        let (connecting, limit) = (self.inner.call(uri), self.limit);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected,
                Err(_) => Err(OutboundError::ConnectTimeout(limit).into()),
            }
        })
    }
}

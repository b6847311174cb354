//! A connection: HTTP/1 or HTTP/2, detected by the first bytes.

use super::{ServeOptions, handshake, prefixed_stream::PrefixedStream, unread_body::UnreadBody};
use axum::Router;
use http::{HeaderValue, Request, header};
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;
use tower::Service as _;

/// HTTP/2 client preface; an HTTP/1 request cannot begin with it.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// HTTP/2 keep-alive interval and timeout.
const HTTP2_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// Peer address of the connection, in the extensions of every request over a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteAddress(pub(crate) SocketAddr);

/// Protocol settings shared by all connections.
pub(super) struct ConnectionServer {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    app: Router,
    shutdown: CancellationToken,
    options: ServeOptions,
}

impl ConnectionServer {
    pub(super) fn new(options: ServeOptions, app: Router, shutdown: CancellationToken) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(options.header_timeout)
            .max_header_size(options.max_header_bytes)
            .max_headers(options.max_headers);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .max_concurrent_streams(options.max_concurrent)
            .max_header_list_size(u32::try_from(options.max_header_bytes).unwrap_or(u32::MAX))
            .keep_alive_interval(HTTP2_KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(HTTP2_KEEP_ALIVE_INTERVAL);
        Self { http1, http2, app, shutdown, options }
    }

    /// Serves the connection until it ends.
    pub(super) async fn serve(&self, stream: TcpStream, remote: SocketAddr) {
        let Some(tls) = &self.options.tls else { return self.serve_stream(stream, remote).await };
        let tls_handshake = handshake::secure(tls, stream, &self.options);
        match self.shutdown.run_until_cancelled(tls_handshake).await {
            // Boxed, so that plain connections do not pay for the size of the TLS future.
            Some(Ok(Some(stream))) => Box::pin(self.serve_stream(stream, remote)).await,
            Some(Ok(None)) | None => {}
            Some(Err(error)) => tracing::debug!(%error, %remote, "a handshake failed"),
        }
    }

    async fn serve_stream(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, remote: SocketAddr) {
        let first = tokio::select! {
            biased;
            first = tokio::time::timeout(self.options.header_timeout, first_bytes(&mut stream)) => first,
            () = self.shutdown.cancelled() => return,
        };
        // A client that sends nothing in time, or disconnects, gets no response.
        let Ok(Ok(first)) = first else { return };
        let is_http2 = first.as_slice() == HTTP2_PREFACE;
        let stream = TokioIo::new(PrefixedStream::new(first, stream));
        let app = self.app.clone();
        let ended = if is_http2 {
            let service = service_fn(move |request| app.clone().call(with_connection_info(request, remote)));
            let connection = self.http2.serve_connection(stream, service);
            self.drive(connection, http2::Connection::graceful_shutdown).await
        } else {
            let service = service_fn(move |request| {
                let (request, unread) = UnreadBody::watch(with_connection_info(request, remote));
                let answered = app.clone().call(request);
                async move {
                    let mut response = answered.await?;
                    unread.finish(&mut response).await;
                    Ok::<_, Infallible>(response)
                }
            });
            // An upgraded connection is passed on to the WebSocket handler.
            let connection = self.http1.serve_connection(stream, service).with_upgrades();
            self.drive(connection, http1::UpgradeableConnection::graceful_shutdown).await
        };
        if let Err(error) = ended {
            tracing::debug!(%error, %remote, "a connection ended early");
        }
    }

    async fn drive<C: Future>(&self, connection: C, shut_down: impl FnOnce(Pin<&mut C>)) -> C::Output {
        let mut connection = pin!(connection);
        tokio::select! {
            biased;
            ended = connection.as_mut() => ended,
            () = self.shutdown.cancelled() => {
                shut_down(connection.as_mut());
                connection.await
            }
        }
    }
}

/// Adds connection data to the request.
fn with_connection_info(mut request: Request<Incoming>, remote: SocketAddr) -> Request<Incoming> {
    request.extensions_mut().insert(RemoteAddress(remote));
    // HTTP/2 carries the host only as `:authority`; handlers read only the `Host` header.
    if !request.headers().contains_key(header::HOST)
        && let Some(host) = request.uri().authority().and_then(|name| HeaderValue::from_str(name.as_str()).ok())
    {
        request.headers_mut().insert(header::HOST, host);
    }
    request
}

/// Reads enough bytes to detect the protocol. The detection of `hyper_util::server::conn::auto` has no timeout: a client
/// that sends nothing, or a part of the preface, would keep its connection. Its builder has no limit on the size of an
/// HTTP/1 head either.
async fn first_bytes(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut first = Vec::with_capacity(HTTP2_PREFACE.len());
    while first.len() < HTTP2_PREFACE.len() && HTTP2_PREFACE.starts_with(&first) {
        if stream.take((HTTP2_PREFACE.len() - first.len()) as u64).read_buf(&mut first).await? == 0 {
            break;
        }
    }
    Ok(first)
}

//! Connections: accepted, bounded, and ended in order.

use axum::Router;
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::{
    io::{self, Cursor},
    pin::pin,
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service as _;

/// Bounds of connections.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Connections at the same time; more wait in the listener's backlog.
    pub max_connections: usize,
    /// A connection whose next request head takes longer is closed.
    pub header_timeout: Duration,
    /// Largest request head in bytes.
    pub max_header_bytes: usize,
    /// Most header fields.
    pub max_headers: usize,
    /// Requests at the same time on one HTTP/2 connection.
    pub max_concurrent: u32,
    /// How long requests may go on after shutdown began.
    pub drain: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            max_connections: 8192,
            header_timeout: Duration::from_secs(30),
            max_header_bytes: 32 * 1024,
            max_headers: 100,
            max_concurrent: 256,
            drain: Duration::from_secs(5),
        }
    }
}

/// After a failed accept, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown` is cancelled, then lets requests finish for at most [`ServeOptions::drain`].
pub async fn serve(
    listener: TcpListener,
    app: Router,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let connections = TaskTracker::new();
    let kill = CancellationToken::new();
    let seats = Arc::new(Semaphore::new(options.max_connections));
    let http = Protocols::new(&options);
    let mut stopped = pin!(shutdown.cancelled());
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stopped => break,
            accepted = accept(&listener, &seats) => accepted,
        };
        let (stream, seat) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Without it every small event of a stream waits for the client's delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        let connection = connection(http.clone(), stream, app.clone(), shutdown.clone());
        let kill = kill.clone();
        connections.spawn(async move {
            kill.run_until_cancelled(connection).await;
            drop(seat);
        });
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(options.drain, connections.wait()).await.is_err() {
        tracing::info!(connections = connections.len(), "closing connections that did not finish in time");
        kill.cancel();
        connections.wait().await;
    }
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    seats: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let seat = Arc::clone(seats).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _peer) = listener.accept().await?;
    Ok((stream, seat))
}

/// What an HTTP/2 client says first; requests of HTTP/1 cannot begin like this.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// An idle HTTP/2 connection is asked whether anybody is still there.
const PING: Duration = Duration::from_secs(20);

/// Both protocols of the port, told apart by the first bytes.
#[derive(Clone)]
struct Protocols {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    first_bytes: Duration,
}

impl Protocols {
    fn new(options: &ServeOptions) -> Self {
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
            .keep_alive_interval(PING)
            .keep_alive_timeout(PING);
        Self { http1, http2, first_bytes: options.header_timeout }
    }
}

async fn connection(http: Protocols, mut stream: TcpStream, app: Router, shutdown: CancellationToken) {
    let first = tokio::select! {
        biased;
        first = tokio::time::timeout(http.first_bytes, first_bytes(&mut stream)) => first,
        () = shutdown.cancelled() => return,
    };
    // Who says nothing in time, or hangs up, needs no answer.
    let Ok(Ok(first)) = first else { return };
    let is_http2 = first.as_slice() == PREFACE;
    let (reading, writing) = stream.into_split();
    let stream = tokio::io::join(Cursor::new(first).chain(reading), writing);
    let ended =
        if is_http2 { http2(&http, stream, app, shutdown).await } else { http1(&http, stream, app, shutdown).await };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Enough bytes to tell the protocols apart.
async fn first_bytes(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut first = Vec::with_capacity(PREFACE.len());
    while first.len() < PREFACE.len() && PREFACE.starts_with(&first) {
        if stream.take((PREFACE.len() - first.len()) as u64).read_buf(&mut first).await? == 0 {
            break;
        }
    }
    Ok(first)
}

async fn http1(
    http: &Protocols,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    app: Router,
    shutdown: CancellationToken,
) -> hyper::Result<()> {
    let service = service_fn(move |request: hyper::Request<Incoming>| app.clone().call(request));
    let mut connection = pin!(http.http1.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    }
}

async fn http2(
    http: &Protocols,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    app: Router,
    shutdown: CancellationToken,
) -> hyper::Result<()> {
    let service = service_fn(move |request: hyper::Request<Incoming>| app.clone().call(request));
    let mut connection = pin!(http.http2.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    }
}

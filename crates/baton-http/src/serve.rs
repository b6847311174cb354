//! Connections: accepted, bounded, and ended in order.

use axum::Router;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{io, pin::pin, sync::Arc, time::Duration};
use tokio::{
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
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(options.header_timeout)
        .max_header_size(options.max_header_bytes)
        .max_headers(options.max_headers);
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

async fn connection(http: http1::Builder, stream: TcpStream, app: Router, shutdown: CancellationToken) {
    let service = service_fn(move |request: hyper::Request<Incoming>| app.clone().call(request));
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

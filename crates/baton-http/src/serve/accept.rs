//! Accept loop and graceful shutdown.

use super::{ServeOptions, connection::ConnectionServer};
use axum::Router;
use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Delay after a failed accept, for example when file descriptors run out.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves until `shutdown` is cancelled, then drains requests for at most [`ServeOptions::drain`].
pub async fn serve(
    listener: TcpListener,
    app: Router,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let open = TaskTracker::new();
    let force_close = CancellationToken::new();
    let permits = Arc::new(Semaphore::new(options.max_connections));
    let drain = options.drain;
    let connections = Arc::new(ConnectionServer::new(options, app, shutdown.clone()));
    let mut stopped = pin!(shutdown.cancelled());
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stopped => break,
            accepted = accept(&listener, &permits) => accepted,
        };
        let (stream, remote, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        // Otherwise every small event of a stream waits for the client's delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        let connections = Arc::clone(&connections);
        let force_close = force_close.clone();
        open.spawn(async move {
            force_close.run_until_cancelled(connections.serve(stream, remote)).await;
            drop(permit);
        });
    }
    drop(listener);
    open.close();
    if tokio::time::timeout(drain, open.wait()).await.is_err() {
        tracing::info!(connections = open.len(), "closing connections that did not finish in time");
        force_close.cancel();
        open.wait().await;
    }
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, remote) = listener.accept().await?;
    Ok((stream, remote, permit))
}

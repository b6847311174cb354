//! A server with its listener.

use crate::{Server, ServerError, ServerHandle, background, http};
use baton_http::{ServeOptions, Surface, Tls};
use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Overall shutdown timeout; it is longer than those of the parts.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// A server with its listener, before it accepts callers.
pub struct ServerService {
    server: Server,
    listener: TcpListener,
    surface: Surface,
    serve_options: ServeOptions,
    url: String,
}

impl ServerService {
    pub(crate) fn new(server: Server, listener: TcpListener) -> Result<Self, ServerError> {
        let bound = listener
            .local_addr()
            .map_err(|error| ServerError::Internal(format!("the socket has no address: {error}")))?;
        let tls = server.listener.tls.clone().map(Tls::load).transpose().map_err(ServerError::Tls)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (surface, serve_options) = http::listener_surface(&server, bound, tls)?;
        Ok(Self { server, listener, surface, serve_options, url: format!("{scheme}://{}", local_address(bound)) })
    }

    /// Base address without a trailing slash, which can be used from this machine.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A handle for the operations of the server.
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }

    /// The HTTP surface: its service and the table of its operations.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// SHA-256 of the certificate; none without TLS.
    pub fn certificate(&self) -> Option<String> {
        self.serve_options.tls.as_ref().map(|tls| tls.fingerprint().to_string())
    }

    /// Calls `observer` with the fingerprint of a renewed certificate before it is used.
    pub fn on_certificate_renewal(&self, observer: impl Fn(&str) + Send + Sync + 'static) {
        if let Some(tls) = &self.serve_options.tls {
            tls.on_change(move |fingerprint| observer(&fingerprint.to_string()));
        }
    }

    /// Serves until `shutdown` is cancelled; then lets requests finish and runs reach a checkpoint, and releases the
    /// data directory, within a timeout. Unfinished runs of an earlier process are resumed in the background.
    pub async fn run(self, shutdown: CancellationToken) {
        let Self { server, listener, surface, serve_options, .. } = self;
        let handle = server.handle();
        let stopping = handle.components().stopping.clone();
        // Dropping this future ends the background tasks as well.
        let _stop_guard = stopping.clone().drop_guard();
        background::start(&server);
        let mut serving = Box::pin(baton_http::serve(listener, surface.router, serve_options, stopping));
        let ended = tokio::select! {
            ended = &mut serving => {
                shutdown.cancelled().await;
                Some(ended)
            }
            () = shutdown.cancelled() => None,
        };
        handle.stop();
        let ending = async {
            let serving = async {
                match ended {
                    Some(ended) => ended,
                    None => serving.await,
                }
            };
            tokio::join!(serving, Box::pin(server.close()))
        };
        match tokio::time::timeout(SHUTDOWN_TIMEOUT, ending).await {
            Ok((served, ())) => log_listener_error(served),
            Err(_) => tracing::warn!("shutdown took too long; unfinished runs resume at the next start"),
        }
    }

    /// Serves in the background.
    pub fn start(self) -> RunningServer {
        let (url, handle, shutdown) = (self.url.clone(), self.handle(), CancellationToken::new());
        let task = tokio::spawn(self.run(shutdown.clone()));
        RunningServer { url, handle, shutdown, task }
    }
}

impl fmt::Debug for ServerService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerService").field("url", &self.url).finish_non_exhaustive()
    }
}

fn log_listener_error(served: io::Result<()>) {
    if let Err(error) = served {
        tracing::warn!(%error, "the listener failed");
    }
}

/// A server that serves in the background. Dropping it ends it immediately; unfinished runs resume at the next start.
pub struct RunningServer {
    url: String,
    handle: ServerHandle,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
}

impl RunningServer {
    /// Base address without a trailing slash, which can be used from this machine.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A handle for the operations of the server.
    pub fn handle(&self) -> &ServerHandle {
        &self.handle
    }

    /// Stops accepting, lets requests finish and runs reach a checkpoint, and releases the data directory, within a
    /// timeout.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        let _ = (&mut self.task).await;
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningServer").field("url", &self.url).finish_non_exhaustive()
    }
}

/// An address that can be used from this machine.
fn local_address(bound: SocketAddr) -> SocketAddr {
    match bound.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), bound.port()),
        _ => bound,
    }
}

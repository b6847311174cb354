//! The two transports: standard streams and HTTP.

use crate::{server::Fixture, shared_state::FixtureState};
use rmcp::{
    ServiceExt,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use std::{
    io::Write,
    os::fd::AsFd,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    fs::File,
    io::{AsyncRead, ReadBuf},
    net::TcpListener,
};
use tokio_util::sync::CancellationToken;

/// Time to flush responses after the client has closed its input; the library itself would wait for open subscriptions.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves one client on standard input and output until it closes them.
pub(crate) async fn streams(world: Arc<FixtureState>) -> anyhow::Result<()> {
    let input = File::from_std(std::io::stdin().as_fd().try_clone_to_owned()?.into());
    let output = File::from_std(std::io::stdout().as_fd().try_clone_to_owned()?.into());
    let closed = CancellationToken::new();
    let input = StdinReader { input, closed: closed.clone() };
    let service = Fixture::new(world).serve_with_ct((input, output), closed.clone()).await?;
    let given_up = async {
        closed.cancelled().await;
        tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
    };
    tokio::select! {
        ended = service.waiting() => ended.map(drop)?,
        () = given_up => {}
    }
    Ok(())
}

/// Standard input that cancels open requests at its end: a subscription has no other end.
struct StdinReader {
    input: File,
    closed: CancellationToken,
}

impl AsyncRead for StdinReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        if read.is_ready() && buffer.filled().len() == before {
            self.closed.cancel();
        }
        read
    }
}

/// Serves clients of this machine over HTTP and prints the URL to standard output.
pub(crate) async fn http(world: Arc<FixtureState>, port: u16) -> anyhow::Result<()> {
    let origins = ["http://localhost:*", "http://127.0.0.1:*"];
    let config = StreamableHttpServerConfig::default().enforce_origin_validation().with_allowed_origins(origins);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(Fixture::new(Arc::clone(&world))), sessions, config);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    writeln!(std::io::stdout(), "http://localhost:{}/mcp", listener.local_addr()?.port())?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

//! The two ways in.

use crate::{server::Fixture, world::World};
use rmcp::{
    ServiceExt,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use std::{io::Write, os::fd::AsFd, sync::Arc};
use tokio::{fs::File, net::TcpListener};

/// One client, on standard input and output, until it hangs up.
pub(crate) async fn streams(world: Arc<World>) -> anyhow::Result<()> {
    let input = File::from_std(std::io::stdin().as_fd().try_clone_to_owned()?.into());
    let output = File::from_std(std::io::stdout().as_fd().try_clone_to_owned()?.into());
    let service = Fixture::new(world).serve((input, output)).await?;
    service.waiting().await?;
    Ok(())
}

/// Any client of this machine; says on standard output where it listens.
pub(crate) async fn http(world: Arc<World>, port: u16) -> anyhow::Result<()> {
    let origins = ["http://localhost:*", "http://127.0.0.1:*"];
    let config = StreamableHttpServerConfig::default().enforce_origin_validation().with_allowed_origins(origins);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(Fixture::new(Arc::clone(&world))), sessions, config);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    writeln!(std::io::stdout(), "http://localhost:{}/mcp", listener.local_addr()?.port())?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

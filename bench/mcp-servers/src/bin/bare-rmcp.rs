//! The tool `add` on plain rmcp: `StreamableHttpService` on axum, sessions for older clients, JSON where the protocol
//! allows it, `TCP_NODELAY` on accept.
//!
//! Prints its URL on stdout and serves until it is killed.

use axum::{Router, serve::ListenerExt};
use mcp_servers::{Numbers, Sum};
use rmcp::{
    Json,
    handler::server::wrapper::Parameters,
    tool, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use std::{error::Error, sync::Arc};

#[derive(Clone)]
struct Adder;

#[tool_router(server_handler)]
impl Adder {
    /// Adds two numbers
    #[tool(annotations(read_only_hint = true))]
    async fn add(&self, Parameters(numbers): Parameters<Numbers>) -> Json<Sum> {
        Json(numbers.added())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let service = StreamableHttpService::new(|| Ok(Adder), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|connection| {
        // Without it each short stream waits about 40 ms for the client's acknowledgement.
        let _ = connection.set_nodelay(true);
    });
    axum::serve(listener, Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

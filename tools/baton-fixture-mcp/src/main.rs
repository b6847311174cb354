//! An MCP server with all features that the public conformance suite tests, of both protocol eras, on standard input
//! and output or over HTTP.
//!
//! It is an ordinary server without any knowledge of Baton: tests run the suite directly against it, and against an
//! agent that has it as its MCP server. Read first: `server::Fixture`, then `ask`, which asks clients of either era.

mod media;
mod prompts;
mod questions;
mod resources;
mod serve;
mod server;
mod shared_state;
mod tools;

use clap::Parser;
use shared_state::FixtureState;
use std::sync::Arc;

/// Run the MCP server fixture of the conformance suite.
#[derive(Parser)]
struct FixtureArguments {
    /// Serve streamable HTTP at /mcp on this loopback port (0: any free port) instead of standard input and output.
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = FixtureArguments::parse();
    let world = Arc::new(FixtureState::new()?);
    match options.http {
        Some(port) => serve::http(world, port).await,
        None => serve::streams(world).await,
    }
}

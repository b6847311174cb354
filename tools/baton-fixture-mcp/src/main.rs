//! An MCP server with everything that the public conformance suite looks for, of both protocol eras, on its standard
//! streams or over HTTP.
//!
//! It is an ordinary server that knows nothing of Baton: tests run the suite against it alone, and against an agent that
//! has it as its MCP server. Read first: `server::Fixture`, then `ask`, which puts questions to clients of either era.

mod ask;
mod media;
mod prompts;
mod resources;
mod serve;
mod server;
mod tools;
mod world;

use clap::Parser;
use std::sync::Arc;
use world::World;

/// Serves the fixture of the conformance suite.
#[derive(Parser)]
struct Options {
    /// Serve streamable HTTP at /mcp on this port of loopback (0: any free one) instead of the standard streams.
    #[arg(long, value_name = "PORT")]
    http: Option<u16>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let world = Arc::new(World::new()?);
    match options.http {
        Some(port) => serve::http(world, port).await,
        None => serve::streams(world).await,
    }
}

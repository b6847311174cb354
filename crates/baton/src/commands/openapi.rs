//! `baton openapi`: the OpenAPI document of the HTTP API.

use crate::{failure::Exit, screen::Screen};
use clap::Args;

/// Options of `baton openapi`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton openapi > openapi.json                     save the document
  baton openapi --url https://agents.example.com   name your server in it
  npx openapi-typescript openapi.json -o api.ts    generate TypeScript types from it

A running server has the same document at /api/openapi.json. See docs/api.md.")]
pub(crate) struct OpenApiOptions {
    /// Address of the server in the document
    #[arg(long, value_name = "URL", default_value = DEFAULT_URL)]
    url: String,
}

/// Address of a server with default settings.
const DEFAULT_URL: &str = "http://127.0.0.1:8700";

/// Runs the subcommand.
pub(crate) fn run(options: &OpenApiOptions, screen: Screen) -> Exit {
    screen.print_json(&baton_server::openapi_document(options.url.trim_end_matches('/')));
    Exit::Ok
}

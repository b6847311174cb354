//! `baton sessions export`.

use super::SessionSelector;
use crate::{
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_client::SessionFormat;
use clap::{Args, ValueEnum};

/// Options of `baton sessions export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions export 0199... > trip.json
  baton sessions export 0199... --format markdown > trip.md

JSON contains everything that `baton sessions import` can restore: messages, tool calls and results,
the context and usage of each answer, title, settings, and included items. Markdown is for reading;
it omits files, metadata and token counts.")]
pub(super) struct SessionExportOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// File format
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    format: SessionExportFormat,
}

// Variants have no doc comments, which keeps the help short.
/// File format of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SessionExportFormat {
    Json,
    Markdown,
}

/// Exports the session.
pub(super) async fn run(options: SessionExportOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionExportOptions { selector, format } = options;
    let form = match format {
        SessionExportFormat::Json => SessionFormat::Json,
        SessionExportFormat::Markdown => SessionFormat::Markdown,
    };
    let session = selector.open_session().await?;
    let exported = session.client.export_session(selector.name(), form).await;
    session.close().await;
    let text = String::from_utf8_lossy(&exported.map_err(client_failure)?).into_owned();
    match form {
        SessionFormat::Json => screen.print_json(&text),
        SessionFormat::Markdown => screen.stream(&text),
    }
    Ok(Exit::Ok)
}

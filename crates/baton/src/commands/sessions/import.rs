//! `baton sessions import`.

use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_client::SessionFormat;
use clap::Args;
use serde_json::json;
use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Maximum file size.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Options of `baton sessions import`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions import trip.json
  baton sessions import trip.md --agent weather
  baton sessions export 0199... | baton sessions import - --as copy

Prints the context id of the new session. A file that starts with { is read as JSON, any other file
as Markdown. Content that could not be imported is reported.")]
pub(super) struct SessionImportOptions {
    /// File to import, or - for stdin
    file: PathBuf,
    /// Agent of the new session [default: the agent in the file]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Context id of the new session [default: generated]
    #[arg(long = "as", value_name = "ID")]
    new: Option<String>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Imports the session.
pub(super) async fn run(options: SessionImportOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionImportOptions { file, agent, new, connection } = options;
    let bytes = read(&file)?;
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let form = if begins == Some(&b'{') { SessionFormat::Json } else { SessionFormat::Markdown };
    let session = connection.management_session().await?;
    let imported = session.client.import_session(bytes.into(), form, agent.as_deref(), new.as_deref()).await;
    session.close().await;
    let imported = imported.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(imported).to_string());
        return Ok(Exit::Ok);
    }
    screen.print(&imported.session.context_id);
    for warning in &imported.warnings {
        screen.print_stderr(&format!("not imported: {warning}"));
    }
    Ok(Exit::Ok)
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    let unreadable = |error: io::Error| CliError::new(error_codes::USAGE, format!("{}: {error}", file.display()));
    let mut bytes = Vec::new();
    let read = match file.as_os_str() == "-" {
        true => io::stdin().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes),
        false => File::open(file).and_then(|open| open.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)),
    };
    read.map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(CliError::new(
            error_codes::USAGE,
            format!("{} is larger than {MAX_FILE_BYTES} bytes", file.display()),
        ));
    }
    Ok(bytes)
}

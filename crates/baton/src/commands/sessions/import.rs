//! `baton sessions import FILE`.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_client::SessionForm;
use baton_types::ErrorCode;
use clap::Args;
use serde_json::json;
use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Largest file that is read.
const MOST: u64 = 64 * 1024 * 1024;

/// What `baton sessions import` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions import trip.json
  baton sessions import trip.md --agent weather
  baton sessions export 0199... | baton sessions import - --as copy

Prints the context id of the new session. A file that begins with { is JSON, any other is Markdown;
what the file does not carry is said.")]
pub(super) struct Options {
    /// The file, or - for the standard input
    file: PathBuf,
    /// With whom it goes on [default: the agent that the file names]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The context id of the new session [default: a fresh one]
    #[arg(long = "as", value_name = "ID")]
    new: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Imports it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { file, agent, new, place } = options;
    let bytes = read(&file)?;
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let form = if begins == Some(&b'{') { SessionForm::Json } else { SessionForm::Markdown };
    let session = place.manage().await?;
    let imported = session.client.import_session(bytes.into(), form, agent.as_deref(), new.as_deref()).await;
    session.close().await;
    let imported = imported.map_err(failure)?;
    if screen.is_json() {
        screen.print(&json!(imported).to_string());
        return Ok(Exit::Ok);
    }
    screen.print(&imported.session.context_id);
    for lost in &imported.lost {
        screen.say(&format!("not taken over: {lost}"));
    }
    Ok(Exit::Ok)
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: io::Error| Failure::new(ErrorCode::USAGE, format!("{}: {error}", file.display()));
    let mut bytes = Vec::new();
    let read = match file.as_os_str() == "-" {
        true => io::stdin().take(MOST + 1).read_to_end(&mut bytes),
        false => File::open(file).and_then(|open| open.take(MOST + 1).read_to_end(&mut bytes)),
    };
    read.map_err(unreadable)?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::new(ErrorCode::USAGE, format!("{} is larger than {MOST} bytes", file.display())));
    }
    Ok(bytes)
}

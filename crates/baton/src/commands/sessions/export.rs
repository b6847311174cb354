//! `baton sessions export SESSION`.

use super::Which;
use crate::{
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_client::SessionForm;
use clap::{Args, ValueEnum};

/// What `baton sessions export` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions export 0199... > trip.json
  baton sessions export 0199... --format markdown > trip.md

JSON has everything that `baton sessions import` can take back: messages, calls and results, what
each answer was given and used, title, settings, and what was named. Markdown is for reading; it
leaves out files, metadata and counts of tokens.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// The form of the file
    #[arg(long, value_name = "FORM", default_value = "json")]
    format: Form,
}

// Without words for each value the help stays short.
/// A form of files.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Json,
    Markdown,
}

/// Exports it.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, format } = options;
    let form = match format {
        Form::Json => SessionForm::Json,
        Form::Markdown => SessionForm::Markdown,
    };
    let session = which.reach().await?;
    let exported = session.client.export_session(which.name(), form).await;
    session.close().await;
    let text = String::from_utf8_lossy(&exported.map_err(failure)?).into_owned();
    match form {
        SessionForm::Json => screen.print_json(&text),
        SessionForm::Markdown => screen.stream(&text),
    }
    Ok(Exit::Ok)
}

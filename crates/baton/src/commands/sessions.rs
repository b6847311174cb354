//! `baton sessions`: manages conversations.

mod delete;
mod export;
mod fork;
mod import;
mod list;
mod rename;
mod reset;
mod save;
mod set;
mod show;

use crate::{
    commands::connection_options::ConnectionOptions,
    connect::BatonConnection,
    failure::{CliError, Exit},
    screen::{Screen, one_line},
};
use baton_api::{ChangedSession, SessionSettingsBody};
use baton_client::SessionName;
use baton_types::Timestamp;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

/// Options of `baton sessions`.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton sessions list                              list your sessions, latest first
  baton sessions show 0199...                      show all messages of a session
  baton sessions fork 0199... --at 0199...:12      continue from an earlier event in a new session
  baton sessions set 0199... model=openai:gpt-5    use another model from the next message on
  baton sessions export 0199... > trip.json        export a session to a file
  baton sessions delete 0199...                    delete a session

A session is identified by the context id of its messages. If a server runs for the data directory,
the command uses it. Otherwise it opens the data directory."
)]
pub(crate) struct SessionsOptions {
    #[command(subcommand)]
    command: SessionsCommand,
}

/// Subcommands of `baton sessions`.
#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// List sessions: title, agent, last message, tasks
    List(list::SessionListOptions),
    /// Show all messages of a session
    Show(show::SessionShowOptions),
    /// Set the title of a session
    Rename(rename::SessionRenameOptions),
    /// Copy a session up to an event into a new session
    Fork(fork::SessionForkOptions),
    /// Export a session as JSON or Markdown
    Export(export::SessionExportOptions),
    /// Create a session from a file
    Import(import::SessionImportOptions),
    /// Delete a session and its tasks
    Delete(delete::SessionDeleteOptions),
    /// Change settings of a session
    Set(set::SessionSetOptions),
    /// Reset settings to those of the agent
    Reset(reset::SessionResetOptions),
    /// Save the settings of a session in the agent's definition
    Save(save::SessionSaveOptions),
}

/// Runs the subcommand.
pub(crate) async fn run(options: SessionsOptions, screen: Screen) -> Result<Exit, CliError> {
    match options.command {
        SessionsCommand::List(options) => list::run(options, screen).await,
        SessionsCommand::Show(options) => show::run(options, screen).await,
        SessionsCommand::Rename(options) => rename::run(options, screen).await,
        SessionsCommand::Fork(options) => fork::run(options, screen).await,
        SessionsCommand::Export(options) => export::run(options, screen).await,
        SessionsCommand::Import(options) => import::run(options, screen).await,
        SessionsCommand::Delete(options) => delete::run(options, screen).await,
        SessionsCommand::Set(options) => set::run(options, screen).await,
        SessionsCommand::Reset(options) => reset::run(options, screen).await,
        SessionsCommand::Save(options) => save::run(options, screen).await,
    }
}

/// Options that identify a session.
#[derive(Args, Clone, Debug)]
struct SessionSelector {
    /// Context id of the session
    session: String,
    /// Agent, if several agents have a session with this id
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

impl SessionSelector {
    async fn open_session(&self) -> Result<BatonConnection, CliError> {
        self.connection.management_session().await
    }

    fn name(&self) -> SessionName<'_> {
        SessionName { context: &self.session, agent: self.agent.as_deref() }
    }
}

/// Prints the settings of a session.
fn print_settings(changed: &ChangedSession, screen: Screen) {
    if screen.is_json() {
        screen.print(&json!(changed).to_string());
        return;
    }
    for line in settings_lines(&changed.settings) {
        screen.print(&line);
    }
}

/// Settings in the format of `baton sessions set`.
fn settings_lines(settings: &SessionSettingsBody) -> Vec<String> {
    let Value::Object(settings) = json!(settings) else { return Vec::new() };
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| one_line(text, 256));
    settings.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect()
}

/// Timestamp with second precision.
fn format_timestamp(at: Option<Timestamp>) -> String {
    let text = at.map(|at| at.to_string()).unwrap_or_default();
    text.get(..19).map(|text| text.replace('T', " ")).unwrap_or(text)
}

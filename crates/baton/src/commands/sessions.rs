//! `baton sessions`: conversations as a whole.

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
    commands::place::Place,
    connect::Session,
    failure::{Exit, Failure},
    screen::{Screen, one_line},
};
use baton_client::SessionName;
use baton_types::Timestamp;
use baton_wire::api::{ChangedSession, SessionSettings};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

/// What `baton sessions` is told.
#[derive(Args, Debug)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  baton sessions list                              your conversations, the latest first
  baton sessions show 0199...                      everything that was said in one
  baton sessions fork 0199... --at 0199...:12      go on from an earlier moment
  baton sessions set 0199... model=openai:gpt-5    another model from the next message on
  baton sessions export 0199... > trip.json        keep it as a file
  baton sessions delete 0199...                    forget it

A session is named by its context id, as messages name it. The running server of the data directory
is used when there is one; otherwise the data directory itself."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
enum Command {
    /// List conversations: title, agent, last word, tasks
    List(list::Options),
    /// Show everything that was said in one
    Show(show::Options),
    /// Give one a title
    Rename(rename::Options),
    /// Begin another one with what was said until an event
    Fork(fork::Options),
    /// Write one as a file, JSON or Markdown
    Export(export::Options),
    /// Begin one with what a file says
    Import(import::Options),
    /// Forget one, all of it
    Delete(delete::Options),
    /// Change settings for one session
    Set(set::Options),
    /// Make settings the agent's again
    Reset(reset::Options),
    /// Make its settings the agent's own
    Save(save::Options),
}

/// Does what is asked with sessions.
pub(crate) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    match options.command {
        Command::List(options) => list::run(options, screen).await,
        Command::Show(options) => show::run(options, screen).await,
        Command::Rename(options) => rename::run(options, screen).await,
        Command::Fork(options) => fork::run(options, screen).await,
        Command::Export(options) => export::run(options, screen).await,
        Command::Import(options) => import::run(options, screen).await,
        Command::Delete(options) => delete::run(options, screen).await,
        Command::Set(options) => set::run(options, screen).await,
        Command::Reset(options) => reset::run(options, screen).await,
        Command::Save(options) => save::run(options, screen).await,
    }
}

/// Which session a command is about, and where it is.
#[derive(Args, Clone, Debug)]
struct Which {
    /// The session, by its context id
    session: String,
    /// The agent, when sessions with several agents have that id
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    #[command(flatten)]
    place: Place,
}

impl Which {
    async fn reach(&self) -> Result<Session, Failure> {
        self.place.manage().await
    }

    fn name(&self) -> SessionName<'_> {
        SessionName { context: &self.session, agent: self.agent.as_deref() }
    }
}

/// Says what holds in a session now.
fn tell(changed: &ChangedSession, screen: Screen) {
    if screen.is_json() {
        screen.print(&json!(changed).to_string());
        return;
    }
    for line in settings_lines(&changed.settings) {
        screen.print(&line);
    }
}

/// Settings as they are given to `baton sessions set`.
fn settings_lines(settings: &SessionSettings) -> Vec<String> {
    let Value::Object(settings) = json!(settings) else { return Vec::new() };
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| one_line(text, 256));
    settings.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect()
}

/// A moment to the second.
fn moment(at: Option<Timestamp>) -> String {
    let text = at.map(|at| at.to_string()).unwrap_or_default();
    text.get(..19).map(|text| text.replace('T', " ")).unwrap_or(text)
}

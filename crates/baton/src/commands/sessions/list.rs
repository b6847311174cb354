//! `baton sessions list`: sessions, latest first.

use super::format_timestamp;
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit},
    screen::{Screen, columns, one_line},
};
use baton_api::{SessionList, SessionSummary};
use clap::Args;
use serde_json::json;

/// Maximum number of pages that are fetched.
const MAX_PAGES: usize = 10;

/// Maximum characters of a title or last message.
const MAX_TITLE_CHARS: usize = 60;

/// Options of `baton sessions list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions list
  baton sessions list --agent weather
  baton sessions list --json | jq '.sessions[] | {context_id, title}'

The last column is the title, or the last message if there is no title.")]
pub(super) struct SessionListOptions {
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Show only sessions with this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// Prints the sessions.
pub(super) async fn run(options: SessionListOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let listed = fetch_sessions(&session, options.agent.as_deref()).await;
    session.close().await;
    let list = listed?;
    if screen.is_json() {
        screen.print(&json!(list).to_string());
        return Ok(Exit::Ok);
    }
    let rows: Vec<[String; 5]> = list.sessions.iter().map(row).collect();
    for line in columns(&rows) {
        screen.print(&line);
    }
    if list.sessions.is_empty() {
        screen.print_stderr("no sessions yet; start one with: baton run AGENT \"Hello\"");
    } else if list.next_page_token.is_some() {
        screen.print_stderr("there are more sessions; filter with --agent, or page through GET /api/v1/sessions");
    }
    Ok(Exit::Ok)
}

fn row(session: &SessionSummary) -> [String; 5] {
    let tasks = match session.tasks {
        1 => "1 task".to_owned(),
        tasks => format!("{tasks} tasks"),
    };
    let label = match (&session.title, &session.last_message) {
        (Some(title), _) => one_line(title, MAX_TITLE_CHARS),
        (None, Some(message)) => format!("“{}”", one_line(message, MAX_TITLE_CHARS)),
        (None, None) => String::new(),
    };
    let name = one_line(&session.context_id, 120);
    [name, one_line(&session.agent, 64), format_timestamp(session.last_activity_at), tasks, label]
}

async fn fetch_sessions(session: &BatonConnection, agent: Option<&str>) -> Result<SessionList, CliError> {
    let mut list = SessionList::default();
    for _ in 0..MAX_PAGES {
        let page = session.client.sessions(agent, list.next_page_token.as_deref()).await.map_err(client_failure)?;
        list.sessions.extend(page.sessions);
        (list.total, list.next_page_token) = (page.total, page.next_page_token);
        if list.next_page_token.is_none() {
            break;
        }
    }
    Ok(list)
}

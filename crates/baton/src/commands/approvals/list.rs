//! `baton approvals list`: pending approvals, newest first.

use super::show::lines;
use crate::{
    commands::{connection_options::ConnectionOptions, run::answer_commands},
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::ApprovalList;
use baton_server::now;
use clap::Args;
use serde_json::json;

/// Maximum characters of the arguments of a call.
const MAX_ARGUMENT_CHARS: usize = 160;

/// Maximum number of pages that are fetched.
const MAX_PAGES: usize = 20;

/// Options of `baton approvals list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton approvals list
  baton approvals list --agent personal             requested by this agent, or blocking it
  baton approvals list --json | jq '.approvals[] | {id, tool, arguments}'

Each entry shows the agent that asks, the agents that wait for it, and its age. Arguments are
shortened; --json and `baton approvals answer` show them in full.")]
pub(super) struct ApprovalListOptions {
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Show only approvals that this agent requested or waits for
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// Prints the pending approvals.
pub(super) async fn run(options: ApprovalListOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.connection.management_session().await?;
    let listed = fetch_pending(&session, options.agent.as_deref()).await;
    session.close().await;
    let list = listed?;
    if screen.is_json() {
        screen.print(&json!(list).to_string());
        return Ok(Exit::Ok);
    }
    let (now, paint) = (now(), screen.stdout_paint());
    for line in list.approvals.iter().flat_map(|entry| lines(entry, MAX_ARGUMENT_CHARS, now, paint)) {
        screen.print(&line);
    }
    match list.approvals.first() {
        None => screen.print_stderr("no pending approvals"),
        Some(first) => {
            let example = answer_commands(std::slice::from_ref(first));
            screen.print_stderr(&format!("answer with, for example: {}", example.concat()));
        }
    }
    if list.next_page_token.is_some() {
        screen.print_stderr("more approvals are pending; filter with --agent, or page through GET /api/v1/approvals");
    }
    Ok(Exit::Ok)
}

/// Fetches pending approvals, up to the page limit.
pub(super) async fn fetch_pending(session: &BatonConnection, agent: Option<&str>) -> Result<ApprovalList, CliError> {
    let mut list = ApprovalList::default();
    for _ in 0..MAX_PAGES {
        let page =
            session.client.approvals(agent, None, list.next_page_token.as_deref()).await.map_err(client_failure)?;
        list.approvals.extend(page.approvals);
        list.next_page_token = page.next_page_token;
        if list.next_page_token.is_none() {
            break;
        }
    }
    Ok(list)
}

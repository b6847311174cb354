//! `baton approvals list`: pending approvals, newest first.

use super::show::lines;
use crate::{
    commands::{place::Place, run::commands},
    connect::{Session, failure},
    failure::{Exit, Failure},
    screen::Screen,
    wiring::now,
};
use baton_wire::api::ApprovalList;
use clap::Args;
use serde_json::json;

/// Maximum characters of the arguments of a call.
const ARGUMENTS: usize = 160;

/// Maximum number of pages that are fetched.
const PAGES: usize = 20;

/// Options of `baton approvals list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton approvals list
  baton approvals list --agent personal             requested by this agent, or blocking it
  baton approvals list --json | jq '.approvals[] | {id, tool, arguments}'

Each entry shows the agent that asks, the agents that wait for it, and its age. Arguments are
shortened; --json and `baton approvals answer` show them in full.")]
pub(super) struct Options {
    #[command(flatten)]
    place: Place,
    /// Show only approvals that this agent requested or waits for
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// Prints the pending approvals.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let session = options.place.manage().await?;
    let listed = all(&session, options.agent.as_deref()).await;
    session.close().await;
    let list = listed?;
    if screen.is_json() {
        screen.print(&json!(list).to_string());
        return Ok(Exit::Ok);
    }
    let (now, paint) = (now(), screen.data_paint());
    for line in list.approvals.iter().flat_map(|entry| lines(entry, ARGUMENTS, now, paint)) {
        screen.print(&line);
    }
    match list.approvals.first() {
        None => screen.say("no pending approvals"),
        Some(first) => {
            let example = commands(std::slice::from_ref(first));
            screen.say(&format!("answer with, for example: {}", example.concat()));
        }
    }
    if list.next_page_token.is_some() {
        screen.say("more approvals are pending; filter with --agent, or page through GET /api/v1/approvals");
    }
    Ok(Exit::Ok)
}

/// Fetches pending approvals, up to the page limit.
pub(super) async fn all(session: &Session, agent: Option<&str>) -> Result<ApprovalList, Failure> {
    let mut list = ApprovalList::default();
    for _ in 0..PAGES {
        let page = session.client.approvals(agent, None, list.next_page_token.as_deref()).await.map_err(failure)?;
        list.approvals.extend(page.approvals);
        list.next_page_token = page.next_page_token;
        if list.next_page_token.is_none() {
            break;
        }
    }
    Ok(list)
}

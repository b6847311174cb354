//! `baton approvals list`: what waits, the newest first.

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

/// Most characters of a call's arguments.
const ARGUMENTS: usize = 160;

/// Most pages that are read.
const PAGES: usize = 20;

/// What `baton approvals list` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton approvals list
  baton approvals list --agent personal             what it asks, or waits for
  baton approvals list --json | jq '.approvals[] | {id, tool, arguments}'

Each entry says who asks, for whom, and since when. Arguments are shortened here; --json and
`baton approvals answer` show all of them.")]
pub(super) struct Options {
    #[command(flatten)]
    place: Place,
    /// Only what this agent asks, or waits for
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

/// Lists them.
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
        None => screen.say("nothing waits for you"),
        Some(first) => {
            let example = commands(std::slice::from_ref(first));
            screen.say(&format!("answer with, for example: {}", example.concat()));
        }
    }
    if list.next_page_token.is_some() {
        screen.say("there is more; name an agent with --agent, or use --json and /api/v1/approvals");
    }
    Ok(Exit::Ok)
}

/// All that waits, or as much of it as is worth reading.
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

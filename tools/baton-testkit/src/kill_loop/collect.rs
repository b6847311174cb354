//! Collects the evidence for the checker.

use super::stage::{BOSS, WORKER};
use crate::History;
use anyhow::{Context as _, Result};
use baton_api::EventEntry;
use baton_client::Client;
use baton_journal::SqliteJournal;
use baton_types::{MessageId, TaskId};
use baton_wire::a2a::v1::{ListTasksRequest, Task, TaskState};
use std::{collections::BTreeMap, path::Path, time::Duration};

const PAGE: usize = 1000;

/// Upper bound of a task's duration while the server is not killed.
const QUIET_TIMEOUT: Duration = Duration::from_secs(60);

/// Waits until no task is active, including tasks that no sender knows of.
pub(super) async fn wait_until_quiet(client: &Client) -> Result<()> {
    let quiet = async {
        for agent in [BOSS, WORKER] {
            for state in [TaskState::Submitted, TaskState::Working] {
                while let Some(task) = one_in_state(client, agent, state).await? {
                    let mut stream = match client.subscribe(agent, &task, None).await {
                        Ok(stream) => stream,
                        // The task ended in the meantime.
                        Err(error) if error.refusal().is_some() => continue,
                        Err(error) => return Err(error.into()),
                    };
                    while !stream.is_settled() {
                        stream.next().await.context("a stream ended early")??;
                    }
                }
            }
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(QUIET_TIMEOUT, quiet).await.context("tasks do not end although the server is not killed")?
}

async fn one_in_state(client: &Client, agent: &str, state: TaskState) -> Result<Option<String>> {
    let query = ListTasksRequest { status: Some(state), page_size: Some(1), ..ListTasksRequest::default() };
    let page = client.list(agent, &query).await?;
    Ok(page.tasks.into_iter().next().map(|task| task.id.into_owned()))
}

/// Existing tasks by the message that submitted each.
pub(super) async fn tasks_by_first_message(client: &Client) -> Result<BTreeMap<MessageId, TaskId>> {
    let mut begun = BTreeMap::new();
    for agent in [BOSS, WORKER] {
        let mut query = ListTasksRequest { page_size: Some(100), ..ListTasksRequest::default() };
        loop {
            let page = client.list(agent, &query).await?;
            for task in page.tasks {
                let first = task.history.as_ref().and_then(|history| history.first());
                let message =
                    first.with_context(|| format!("task {} has no first message", task.id))?.message_id.as_ref();
                begun.insert(MessageId::from(message), TaskId::from(task.id.as_ref()));
            }
            if page.next_page_token.is_empty() {
                break;
            }
            query.page_token = Some(page.next_page_token);
        }
    }
    Ok(begun)
}

/// Calls `GetTask` for each task.
pub(super) async fn views<'a>(
    client: &Client,
    tasks: impl Iterator<Item = (&'a TaskId, &'static str)>,
) -> Result<BTreeMap<TaskId, Task<'static>>> {
    let mut views = BTreeMap::new();
    for (task, agent) in tasks {
        match client.get(agent, task.as_str(), None).await {
            Ok(view) => {
                views.insert(task.clone(), view);
            }
            // The checker reports the missing task.
            Err(error) if error.refusal().is_some() => {}
            Err(error) => return Err(error).with_context(|| format!("GetTask of {task}")),
        }
    }
    Ok(views)
}

/// Reads all events of a task from the events endpoint.
pub(super) async fn list_events(client: &Client, task: &TaskId) -> Result<Vec<EventEntry>> {
    let mut events: Vec<EventEntry> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.number);
        let page = client.events(task.as_str(), after, PAGE).await?;
        let full = page.len() == PAGE;
        events.extend(page);
        if !full {
            return Ok(events);
        }
    }
}

/// Reads the journal of a stopped server.
pub(crate) async fn history(data: &Path) -> Result<History> {
    let journal = SqliteJournal::open(data, baton_journal::JournalOptions::default())?;
    let history = History::read(&journal).await?;
    tokio::task::spawn_blocking(move || journal.close()).await?;
    Ok(history)
}

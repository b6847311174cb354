//! Follows a task until it ends or needs input, across reconnects and into handoffs.

use crate::{
    connect::client_failure,
    error_codes,
    failure::CliError,
    steps::{StepStatus, TaskStep},
};
use baton_client::{Client, ClientError, EventStream};
use baton_types::{Backoff, BackoffPolicy};
use baton_wire::a2a::v1::TaskState;
use std::time::Duration;

/// Reconnects of one stream.
const RECONNECTS: BackoffPolicy =
    BackoffPolicy::new(Duration::from_millis(100), Duration::from_secs(30)).with_max_retries(8);

/// Observer of task steps.
pub(crate) trait StepObserver: Send {
    /// A step of an agent; `depth` counts the handoffs that led to it.
    fn on_step(&mut self, agent: &str, depth: usize, step: &TaskStep);

    /// The connection broke; a reconnect follows.
    fn on_disconnect(&mut self, error: &ClientError);
}

/// State of a task when there is nothing more to follow.
pub(crate) struct FollowOutcome {
    pub(crate) task: String,
    pub(crate) status: StepStatus,
}

/// State of a followed task.
struct FollowState {
    task: Option<String>,
    status: Option<StepStatus>,
    cursor: Option<u64>,
    /// Answer text so far.
    answer: String,
    /// Whether to stop at once if the task is already settled when the stream begins.
    from_now: bool,
}

/// Follows a task from its current state; a task that already waits for input is returned as it is.
pub(crate) async fn follow_from_now(
    client: &Client,
    agent: &str,
    stream: EventStream,
    watcher: &mut dyn StepObserver,
) -> Result<FollowOutcome, CliError> {
    let followed = FollowState { task: None, status: None, cursor: None, answer: String::new(), from_now: true };
    follow_with_reconnect(client, agent, 0, stream, followed, watcher).await
}

/// Follows until the task ends or needs input. Steps of a handoff are reported in place: after the handoff, before its
/// result.
pub(crate) async fn follow(
    client: &Client,
    agent: &str,
    depth: usize,
    stream: EventStream,
    watcher: &mut dyn StepObserver,
) -> Result<FollowOutcome, CliError> {
    let followed = FollowState { task: None, status: None, cursor: None, answer: String::new(), from_now: false };
    follow_with_reconnect(client, agent, depth, stream, followed, watcher).await
}

async fn follow_with_reconnect(
    client: &Client,
    agent: &str,
    depth: usize,
    mut stream: EventStream,
    mut followed: FollowState,
    watcher: &mut dyn StepObserver,
) -> Result<FollowOutcome, CliError> {
    let mut backoff = Backoff::new(RECONNECTS);
    loop {
        let broken = match read_events(client, agent, depth, &mut stream, &mut followed, watcher).await? {
            StreamEnd::Settled => match followed {
                FollowState { task: Some(task), status: Some(status), .. } => {
                    return Ok(FollowOutcome { task, status });
                }
                _ => return Err(CliError::new(error_codes::SERVER_UNREACHABLE, "the stream ended without any event")),
            },
            StreamEnd::Interrupted(error) => error,
        };
        let Some(task) = followed.task.clone() else { return Err(client_failure(broken)) };
        watcher.on_disconnect(&broken);
        stream = loop {
            if backoff.is_exhausted() {
                return Err(client_failure(broken));
            }
            tokio::time::sleep(backoff.next_delay()).await;
            match client.subscribe(agent, &task, followed.cursor).await {
                Ok(stream) => break stream,
                Err(error @ ClientError::Refused(_)) => return Err(client_failure(error)),
                Err(_) => {}
            }
        };
    }
}

enum StreamEnd {
    Settled,
    Interrupted(ClientError),
}

async fn read_events(
    client: &Client,
    agent: &str,
    depth: usize,
    stream: &mut EventStream,
    followed: &mut FollowState,
    watcher: &mut dyn StepObserver,
) -> Result<StreamEnd, CliError> {
    loop {
        let event = match stream.next().await {
            Some(Ok(event)) => event,
            Some(Err(error @ ClientError::Refused(_))) => return Err(client_failure(error)),
            Some(Err(error)) => return Ok(StreamEnd::Interrupted(error)),
            None if followed.status.as_ref().is_some_and(StepStatus::is_settled) => return Ok(StreamEnd::Settled),
            None => {
                return Ok(StreamEnd::Interrupted(ClientError::Interrupted("the server ended the stream".to_owned())));
            }
        };
        followed.cursor = event.number.or(followed.cursor);
        let Some(step) = TaskStep::from_stream_item(&event.item) else { continue };
        // A resumed stream begins with a snapshot of the task, which was already reported.
        let is_news = !matches!(step, TaskStep::Snapshot { .. }) || followed.task.is_none();
        if is_news {
            watcher.on_step(agent, depth, &step);
        }
        match step {
            TaskStep::Snapshot { task, status } => {
                let settled = status.is_settled();
                followed.task = Some(task);
                followed.status = Some(status);
                if settled && followed.from_now {
                    return Ok(StreamEnd::Settled);
                }
            }
            TaskStep::StatusChange(mut status) => {
                let settled = status.is_settled();
                if status.state == TaskState::Completed && status.message.is_empty() {
                    status.message = std::mem::take(&mut followed.answer);
                }
                followed.status = Some(status);
                if settled {
                    return Ok(StreamEnd::Settled);
                }
            }
            TaskStep::Handoff { agent: receiver, task } => {
                // From the start of the journal: the child task may have ended before this subscription.
                let child = client.subscribe(&receiver, &task, Some(0)).await.map_err(client_failure)?;
                Box::pin(follow(client, &receiver, depth + 1, child, watcher)).await?;
            }
            TaskStep::Text(piece) if piece.is_answer() => {
                if !piece.append {
                    followed.answer.clear();
                }
                followed.answer.push_str(&piece.text);
            }
            TaskStep::ToolCalls(_) | TaskStep::ToolResult { .. } | TaskStep::Text(_) => {}
        }
    }
}

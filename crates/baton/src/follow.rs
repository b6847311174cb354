//! Follows a task until it ends or needs input, across reconnects and into handoffs.

use crate::{
    connect::failure,
    failure::Failure,
    steps::{Status, Step},
};
use baton_client::{Client, ClientError, EventStream};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::TaskState;
use std::time::Duration;

/// Limit on reconnects of one stream, and the first backoff.
const RETRIES: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Observer of task steps.
pub(crate) trait Watcher: Send {
    /// A step of an agent; `depth` counts the handoffs that led to it.
    fn step(&mut self, agent: &str, depth: usize, step: &Step);

    /// The connection broke; a reconnect follows.
    fn broken(&mut self, error: &ClientError);
}

/// State of a task when there is nothing more to follow.
pub(crate) struct Ended {
    pub(crate) task: String,
    pub(crate) status: Status,
}

/// State of a followed task.
struct Followed {
    task: Option<String>,
    status: Option<Status>,
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
    watcher: &mut dyn Watcher,
) -> Result<Ended, Failure> {
    let followed = Followed { task: None, status: None, cursor: None, answer: String::new(), from_now: true };
    follow_on(client, agent, 0, stream, followed, watcher).await
}

/// Follows until the task ends or needs input. Steps of a handoff are reported in place: after the handoff, before its
/// result.
pub(crate) async fn follow(
    client: &Client,
    agent: &str,
    depth: usize,
    stream: EventStream,
    watcher: &mut dyn Watcher,
) -> Result<Ended, Failure> {
    let followed = Followed { task: None, status: None, cursor: None, answer: String::new(), from_now: false };
    follow_on(client, agent, depth, stream, followed, watcher).await
}

async fn follow_on(
    client: &Client,
    agent: &str,
    depth: usize,
    mut stream: EventStream,
    mut followed: Followed,
    watcher: &mut dyn Watcher,
) -> Result<Ended, Failure> {
    let mut pause = FIRST_PAUSE;
    let mut retries = 0;
    loop {
        let broken = match read(client, agent, depth, &mut stream, &mut followed, watcher).await? {
            Broken::No => match followed {
                Followed { task: Some(task), status: Some(status), .. } => return Ok(Ended { task, status }),
                _ => return Err(Failure::new(ErrorCode::SERVER_UNREACHABLE, "the stream ended without any event")),
            },
            Broken::By(error) => error,
        };
        let Some(task) = followed.task.clone() else { return Err(failure(broken)) };
        watcher.broken(&broken);
        stream = loop {
            retries += 1;
            if retries > RETRIES {
                return Err(failure(broken));
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
            match client.subscribe(agent, &task, followed.cursor).await {
                Ok(stream) => break stream,
                Err(error @ ClientError::Refused(_)) => return Err(failure(error)),
                Err(_) => {}
            }
        };
    }
}

enum Broken {
    No,
    By(ClientError),
}

async fn read(
    client: &Client,
    agent: &str,
    depth: usize,
    stream: &mut EventStream,
    followed: &mut Followed,
    watcher: &mut dyn Watcher,
) -> Result<Broken, Failure> {
    loop {
        let event = match stream.next().await {
            Some(Ok(event)) => event,
            Some(Err(error @ ClientError::Refused(_))) => return Err(failure(error)),
            Some(Err(error)) => return Ok(Broken::By(error)),
            None if followed.status.as_ref().is_some_and(Status::is_settled) => return Ok(Broken::No),
            None => return Ok(Broken::By(ClientError::Interrupted("the server ended the stream".to_owned()))),
        };
        followed.cursor = event.number.or(followed.cursor);
        let Some(step) = Step::read(&event.item) else { continue };
        // A resumed stream begins with a snapshot of the task, which was already reported.
        let is_news = !matches!(step, Step::Began { .. }) || followed.task.is_none();
        if is_news {
            watcher.step(agent, depth, &step);
        }
        match step {
            Step::Began { task, status } => {
                let settled = status.is_settled();
                followed.task = Some(task);
                followed.status = Some(status);
                if settled && followed.from_now {
                    return Ok(Broken::No);
                }
            }
            Step::Moved(mut status) => {
                let settled = status.is_settled();
                if status.state == TaskState::Completed && status.says.is_empty() {
                    status.says = std::mem::take(&mut followed.answer);
                }
                followed.status = Some(status);
                if settled {
                    return Ok(Broken::No);
                }
            }
            Step::HandedOver { agent: receiver, task } => {
                // From the start of the journal: the child task may have ended before this subscription.
                let child = client.subscribe(&receiver, &task, Some(0)).await.map_err(failure)?;
                Box::pin(follow(client, &receiver, depth + 1, child, watcher)).await?;
            }
            Step::Text(piece) if piece.is_answer() => {
                if !piece.append {
                    followed.answer.clear();
                }
                followed.answer.push_str(&piece.text);
            }
            Step::Called(_) | Step::Gave { .. } | Step::Text(_) => {}
        }
    }
}

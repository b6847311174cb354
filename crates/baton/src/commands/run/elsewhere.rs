//! Asking an agent that lives elsewhere, without a Baton in between.

use super::{
    Said,
    finish::{answer, finish},
    telling::Telling,
    words,
};
use crate::{
    failure::{Exit, Failure},
    follow::{Ended, Watcher as _},
    screen::harmless,
    steps::{Step, text_of},
    wiring::fresh_id,
};
use baton_peers::{Followed, PeerClient};
use baton_ports::{PeerAsk, PeerError};
use baton_types::ErrorCode;
use futures_util::StreamExt as _;

/// What came of it.
enum Came {
    /// A task that ended or needs something, and its conversation.
    Task(Ended),
    /// Words without a task.
    Words(String),
}

/// Says it, follows what it begins, and asks back when the agent asks.
pub(super) async fn converse(
    client: &PeerClient,
    url: &str,
    said: Said,
    telling: &mut Telling,
) -> Result<Exit, Failure> {
    let Said { message, task, context } = said;
    let mut ask = PeerAsk {
        message: words(message),
        // A task knows its own conversation.
        context: context.unwrap_or_else(|| if task.is_some() { String::new() } else { fresh_id() }),
        task,
        trace: None,
        depth: 0,
    };
    loop {
        let followed = client.send_streaming(&ask).await.map_err(|error| failure(&error))?;
        let came = follow(followed, url, telling).await?;
        telling.answer.end_line();
        let ended = match came {
            Came::Task(ended) => ended,
            Came::Words(text) => {
                telling.screen.print(&harmless(&text));
                return Ok(Exit::Ok);
            }
        };
        let Some(answer) = answer(&ended, telling.screen).await else {
            let whole = match telling.screen.is_json() {
                true => Some(client.get(&ended.task).await.map_err(|error| {
                    Failure::new(ErrorCode::PEER_UNREACHABLE, error.to_string()).exit(Exit::Server)
                })?),
                false => None,
            };
            return finish(url, ended, whole.as_ref(), telling);
        };
        ask.message = words(answer);
        ask.task = Some(ended.task);
        ask.context.clear();
    }
}

async fn follow(mut followed: Followed, url: &str, telling: &mut Telling) -> Result<Came, Failure> {
    let (mut task, mut status) = (None, None);
    while let Some(item) = followed.next().await {
        let item = item.map_err(|error| failure(&error))?;
        if let Some(message) = &item.message {
            return Ok(Came::Words(text_of(&message.parts)));
        }
        let Some(step) = Step::read(&item) else { continue };
        telling.step(url, 0, &step);
        match step {
            Step::Began { task: id, status: began } => {
                task = Some(id);
                status = Some(began);
            }
            Step::Moved(moved) => status = Some(moved),
            Step::Called(_) | Step::Gave { .. } | Step::HandedOver { .. } | Step::Text(_) => {}
        }
    }
    match (task, status) {
        (Some(task), Some(status)) if status.is_settled() => Ok(Came::Task(Ended { task, status })),
        _ => Err(Failure::new(ErrorCode::PEER_FAILED, "the agent stopped speaking before it was done")),
    }
}

/// What a person is told when an agent elsewhere gave no outcome.
fn failure(error: &PeerError) -> Failure {
    let message = error.to_string();
    match error {
        PeerError::Unreached { code: ErrorCode::PEER_UNREACHABLE, .. } | PeerError::Lost(_) => {
            Failure::new(ErrorCode::PEER_UNREACHABLE, message)
                .hint("Check that it runs and that its address is right: baton agents show URL.")
                .exit(Exit::Server)
        }
        PeerError::Unreached { code, .. } => Failure::new(*code, message),
        PeerError::Refused(_) => Failure::new(ErrorCode::PEER_FAILED, message)
            .hint("The message says what it answered; credentials are named with --bearer env://NAME, or under peers in baton.yaml."),
        PeerError::InDoubt(_) => Failure::new(ErrorCode::PEER_IN_DOUBT, message)
            .hint("Look at the agent before you ask again: it may have done the work."),
    }
}

//! Asking an agent that lives elsewhere, without a Baton in between.

use super::{
    Said,
    finish::{answer, finish},
    said_by_user,
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
use baton_wire::a2a::v1::{Artifact, StreamResponse, TaskState};
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
    let Said { message, task, context, settings } = said;
    let mut ask = PeerAsk {
        message: words(message, settings),
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
        let Some(answer) = answer(url, &ended, telling.screen).await else {
            let whole = match telling.screen.is_json() {
                true => Some(client.get(&ended.task).await.map_err(|error| {
                    Failure::new(ErrorCode::PEER_UNREACHABLE, error.to_string()).exit(Exit::Server)
                })?),
                false => None,
            };
            return finish(url, ended, whole.as_ref(), &[], telling);
        };
        ask.message = said_by_user(answer);
        ask.task = Some(ended.task);
        ask.context.clear();
    }
}

async fn follow(mut followed: Followed, url: &str, telling: &mut Telling) -> Result<Came, Failure> {
    let (mut task, mut status) = (None, None);
    let mut outputs = Outputs::default();
    while let Some(item) = followed.next().await {
        let item = item.map_err(|error| failure(&error))?;
        if let Some(message) = &item.message {
            return Ok(Came::Words(text_of(&message.parts)));
        }
        if task.is_none() {
            task = task_of(&item);
            telling.task.clone_from(&task);
        }
        outputs.take(&item);
        let Some(step) = Step::read(&item) else { continue };
        telling.step(url, 0, &step);
        match step {
            Step::Began { status: now, .. } | Step::Moved(now) => status = Some(now),
            Step::Called(_) | Step::Gave { .. } | Step::HandedOver { .. } | Step::Text(_) => {}
        }
    }
    match (task, status) {
        (Some(task), Some(mut status)) if status.is_settled() => {
            if status.state == TaskState::Completed && status.says.trim().is_empty() {
                status.says = outputs.answer();
            }
            Ok(Came::Task(Ended { task, status }))
        }
        _ => Err(Failure::new(ErrorCode::PEER_FAILED, "the agent stopped speaking before it was done")),
    }
}

/// The task that an item belongs to; not every stream begins with the task itself.
fn task_of(item: &StreamResponse<'_>) -> Option<String> {
    let task = item.task.as_ref().map(|task| &task.id);
    let task = task.or(item.status_update.as_ref().map(|update| &update.task_id));
    let task = task.or(item.artifact_update.as_ref().map(|update| &update.task_id));
    task.filter(|id| !id.is_empty()).map(|id| id.clone().into_owned())
}

/// The text of each output by its id, oldest first.
#[derive(Default)]
struct Outputs(Vec<(String, String)>);

impl Outputs {
    fn take(&mut self, item: &StreamResponse<'_>) {
        for artifact in item.task.iter().flat_map(|task| task.artifacts.iter().flatten()) {
            self.put(artifact, false);
        }
        if let Some(update) = &item.artifact_update {
            self.put(&update.artifact, update.append);
        }
    }

    fn put(&mut self, artifact: &Artifact<'_>, append: bool) {
        // Many servers keep the pieces in which a text was streamed.
        let text: String = artifact.parts.iter().filter_map(|part| part.text.as_deref()).collect();
        match self.0.iter_mut().find(|(id, _)| *id == artifact.artifact_id) {
            Some((_, known)) if append => known.push_str(&text),
            Some((_, known)) => *known = text,
            None => self.0.push((artifact.artifact_id.clone().into_owned(), text)),
        }
    }

    /// What an agent means that ends without a word: its last output.
    fn answer(self) -> String {
        self.0.into_iter().rev().map(|(_, text)| text).find(|text| !text.trim().is_empty()).unwrap_or_default()
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

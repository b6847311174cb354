//! Subscribers: each follows one task to its end, reconnecting as often as needed.

use super::{
    answer::answer,
    crowd::{Acknowledged, Beginning, Crowd},
    link::{Link, Up, is_break},
};
use crate::{Segment, Transcript};
use anyhow::{Context as _, Result, bail};
use baton_client::{EventStream, StreamEvent};
use baton_types::{ErrorCode, TaskId};
use baton_wire::a2a::v1::TaskState;
use std::{pin::Pin, sync::Arc};

/// Follows an acknowledged task to its end and answers its questions.
pub(super) async fn follow(crowd: Arc<Crowd>, acknowledged: Acknowledged) -> Result<Transcript> {
    let Acknowledged { agent, task, beginning, room } = acknowledged;
    let link = crowd.link.clone();
    let mut follower = Follower {
        up: link.up(),
        link,
        agent,
        cursor: matches!(beginning, Beginning::Replay).then_some(1),
        transcript: Transcript::new(task.clone()),
        state: TaskState::Unspecified,
        asked: false,
        answering: None,
        crowd,
    };
    let mut stream = match beginning {
        Beginning::Stream(begun) => {
            let (stream, first) = *begun;
            follower.begin();
            follower.note(first);
            Some(stream)
        }
        Beginning::Fresh | Beginning::Replay => None,
    };
    while !follower.is_terminal() {
        let ending = match stream.take() {
            Some(stream) => follower.watch(stream, Until::TurnEnds).await?,
            None => match follower.subscribe().await? {
                Some(stream) => follower.watch(stream, Until::Terminal).await?,
                None => continue,
            },
        };
        if let Ending::Broken(error) = ending {
            follower.reconnect(&error).await?;
        }
    }
    follower.crowd.ended(&task);
    drop(room);
    Ok(follower.transcript)
}

/// Condition under which the server ends a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    TurnEnds,
    Terminal,
}

enum Ending {
    /// The server ended the stream as expected.
    Orderly,
    /// The connection broke.
    Broken(String),
}

struct Follower {
    crowd: Arc<Crowd>,
    link: Link,
    up: Up,
    agent: &'static str,
    cursor: Option<u64>,
    transcript: Transcript,
    state: TaskState,
    /// The task has required input since the last answer was started.
    asked: bool,
    answering: Option<Pin<Box<dyn Future<Output = Result<()>> + Send>>>,
}

impl Follower {
    fn task(&self) -> &TaskId {
        &self.transcript.task
    }

    fn is_terminal(&self) -> bool {
        self.state.known().is_some_and(baton_types::TaskState::is_terminal)
    }

    fn begin(&mut self) {
        self.transcript.segments.push(Segment { cursor: self.cursor, events: Vec::new() });
    }

    fn note(&mut self, event: StreamEvent) {
        self.cursor = event.number.or(self.cursor);
        let status = event.item.task.as_ref().map(|task| &task.status);
        let status = status.or(event.item.status_update.as_ref().map(|update| &update.status));
        if let Some(status) = status {
            self.state = status.state;
            self.asked |= status.state == TaskState::InputRequired;
        }
        if let Some(segment) = self.transcript.segments.last_mut() {
            segment.events.push(event);
        }
    }

    async fn subscribe(&mut self) -> Result<Option<EventStream>> {
        match self.up.client.subscribe(self.agent, self.task().as_str(), self.cursor).await {
            Ok(stream) => {
                self.begin();
                Ok(Some(stream))
            }
            Err(error) if is_break(&error) => {
                self.reconnect(&error.to_string()).await?;
                Ok(None)
            }
            Err(error) => {
                let finished = error
                    .refusal()
                    .is_some_and(|refusal| refusal.baton_code.as_deref() == Some(ErrorCode::TASK_FINISHED.code));
                if !finished || self.cursor.is_some() {
                    bail!("task {} cannot be followed from {:?}: {error}", self.task(), self.cursor);
                }
                // The task ended before the subscription; its events can still be replayed.
                self.cursor = Some(1);
                Ok(None)
            }
        }
    }

    async fn reconnect(&mut self, error: &str) -> Result<()> {
        self.crowd.counts.reconnects.add();
        let what = format!("the stream of {} at {:?}: {error}", self.task(), self.cursor);
        self.up = self.link.after(&self.up, &what).await?;
        Ok(())
    }

    async fn watch(&mut self, mut stream: EventStream, until: Until) -> Result<Ending> {
        loop {
            if self.asked && self.answering.is_none() {
                self.asked = false;
                self.answering = Some(Box::pin(answer(Arc::clone(&self.crowd), self.agent, self.task().clone())));
            }
            let item = tokio::select! {
                item = stream.next() => item,
                answered = answered(&mut self.answering) => {
                    answered?;
                    self.answering = None;
                    continue;
                }
            };
            match item {
                Some(Ok(event)) => self.note(event),
                Some(Err(error)) if is_break(&error) => return Ok(Ending::Broken(error.to_string())),
                Some(Err(error)) => Err(error).with_context(|| format!("the stream of {}", self.task()))?,
                None if self.is_terminal() => return Ok(Ending::Orderly),
                None if until == Until::TurnEnds && self.state == TaskState::InputRequired => {
                    return Ok(Ending::Orderly);
                }
                None => return Ok(Ending::Broken("the server ended it early".to_owned())),
            }
        }
    }
}

async fn answered(answering: &mut Option<Pin<Box<dyn Future<Output = Result<()>> + Send>>>) -> Result<()> {
    match answering {
        Some(answering) => answering.await,
        None => std::future::pending().await,
    }
}

//! Subscribers: each follows one task to its end, reconnecting as often as needed.

use super::{
    answer::answer,
    crowd::{AcknowledgedTask, FirstStream, LoopState},
    link::{LiveServer, ServerLink, is_break},
};
use crate::{Segment, Transcript};
use anyhow::{Context as _, Result, bail};
use baton_client::{EventStream, StreamEvent};
use baton_types::{ErrorCode, TaskId};
use baton_wire::a2a::v1::TaskState;
use std::{pin::Pin, sync::Arc};

/// Follows an acknowledged task to its end and answers its questions.
pub(super) async fn follow(crowd: Arc<LoopState>, acknowledged: AcknowledgedTask) -> Result<Transcript> {
    let AcknowledgedTask { agent, task, first_stream: beginning, permit: room } = acknowledged;
    let link = crowd.link.clone();
    let mut follower = Follower {
        up: link.current(),
        link,
        agent,
        cursor: matches!(beginning, FirstStream::Replay).then_some(1),
        transcript: Transcript::new(task.clone()),
        state: TaskState::Unspecified,
        input_required: false,
        answering: None,
        crowd,
    };
    let mut stream = match beginning {
        FirstStream::Stream(begun) => {
            let (stream, first) = *begun;
            follower.begin();
            follower.record(first);
            Some(stream)
        }
        FirstStream::Fresh | FirstStream::Replay => None,
    };
    while !follower.is_terminal() {
        let ending = match stream.take() {
            Some(stream) => follower.watch(stream, StreamEndCondition::TurnEnds).await?,
            None => match follower.subscribe().await? {
                Some(stream) => follower.watch(stream, StreamEndCondition::Terminal).await?,
                None => continue,
            },
        };
        if let FollowedStreamEnd::Broken(error) = ending {
            follower.reconnect(&error).await?;
        }
    }
    follower.crowd.remove_open_task(&task);
    drop(room);
    Ok(follower.transcript)
}

/// Condition under which the server ends a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamEndCondition {
    TurnEnds,
    Terminal,
}

enum FollowedStreamEnd {
    /// The server ended the stream as expected.
    Orderly,
    /// The connection broke.
    Broken(String),
}

struct Follower {
    crowd: Arc<LoopState>,
    link: ServerLink,
    up: LiveServer,
    agent: &'static str,
    cursor: Option<u64>,
    transcript: Transcript,
    state: TaskState,
    /// The task has required input since the last answer was started.
    input_required: bool,
    answering: Option<Pin<Box<dyn Future<Output = Result<()>> + Send>>>,
}

impl Follower {
    fn task(&self) -> &TaskId {
        &self.transcript.task
    }

    fn is_terminal(&self) -> bool {
        self.state.to_task_state().is_some_and(baton_types::TaskState::is_terminal)
    }

    fn begin(&mut self) {
        self.transcript.segments.push(Segment { cursor: self.cursor, events: Vec::new() });
    }

    fn record(&mut self, event: StreamEvent) {
        self.cursor = event.number.or(self.cursor);
        let status = event.item.task.as_ref().map(|task| &task.status);
        let status = status.or(event.item.status_update.as_ref().map(|update| &update.status));
        if let Some(status) = status {
            self.state = status.state;
            self.input_required |= status.state == TaskState::InputRequired;
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
        let context = format!("the stream of {} at {:?}: {error}", self.task(), self.cursor);
        self.up = self.link.wait_for_successor(&self.up, &context).await?;
        Ok(())
    }

    async fn watch(&mut self, mut stream: EventStream, until: StreamEndCondition) -> Result<FollowedStreamEnd> {
        loop {
            if self.input_required && self.answering.is_none() {
                self.input_required = false;
                self.answering = Some(Box::pin(answer(Arc::clone(&self.crowd), self.agent, self.task().clone())));
            }
            let item = tokio::select! {
                item = stream.next() => item,
                answered = await_answer(&mut self.answering) => {
                    answered?;
                    self.answering = None;
                    continue;
                }
            };
            match item {
                Some(Ok(event)) => self.record(event),
                Some(Err(error)) if is_break(&error) => return Ok(FollowedStreamEnd::Broken(error.to_string())),
                Some(Err(error)) => Err(error).with_context(|| format!("the stream of {}", self.task()))?,
                None if self.is_terminal() => return Ok(FollowedStreamEnd::Orderly),
                None if until == StreamEndCondition::TurnEnds && self.state == TaskState::InputRequired => {
                    return Ok(FollowedStreamEnd::Orderly);
                }
                None => return Ok(FollowedStreamEnd::Broken("the server ended the stream early".to_owned())),
            }
        }
    }
}

async fn await_answer(answering: &mut Option<Pin<Box<dyn Future<Output = Result<()>> + Send>>>) -> Result<()> {
    match answering {
        Some(answering) => answering.await,
        None => std::future::pending().await,
    }
}

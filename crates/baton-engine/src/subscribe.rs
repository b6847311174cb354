//! Subscriptions to a task, without gaps or duplicates.

use crate::{
    Engine, EngineError, FeedItem, TaskRef,
    engine::EngineInner,
    hub::Feed,
    open::{fold, fold_one},
};
use baton_ports::{JournalError, StoredEvent};
use baton_rules::{TaskRecord, is_visible_to_caller};
use baton_types::{JournalEvent, MessageId, Principal, StreamId, TaskEvent, TaskId, TaskState, TaskView};
use std::{collections::VecDeque, sync::Arc};
use tokio::sync::mpsc;

/// Events read per page while catching up.
const PAGE: usize = 256;

/// End condition of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubscriptionEnd {
    /// The task has ended.
    Terminal,
    /// The task has ended or needs input.
    TurnEnd,
}

/// Events of a task from a cursor on, then live.
///
/// The feed queue is opened before the journal is read, and events are ordered by number, so no event is lost in
/// between. A subscriber that is too slow loses its queue and catches up from the journal.
pub struct Subscription {
    inner: Arc<EngineInner>,
    task: TaskId,
    feed: Arc<Feed>,
    queue: mpsc::Receiver<FeedItem>,
    ready: VecDeque<FeedItem>,
    /// Number of the last event delivered or ready.
    last: u64,
    /// The model call with visible text as of `last`: started and not closed.
    open: Option<(MessageId, u32)>,
    /// Whether the task is autonomous. If so, only events of its result are delivered, and no text before it is known
    /// to be an answer.
    autonomous: bool,
    until: SubscriptionEnd,
    ended: bool,
}

impl Engine {
    /// Subscribes to a task until its end. With a cursor: the task as of that event, then every later event (also of an
    /// ended task). Without: the current task, then live events; an ended task is rejected with `TaskFinished`.
    pub async fn subscribe(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        cursor: Option<u64>,
    ) -> Result<Subscription, EngineError> {
        let present = self.inner.load(principal, task).await?;
        match cursor {
            None if present.state.is_terminal() => {
                Err(EngineError::TaskFinished { task: task.task.clone(), state: present.state })
            }
            None => Subscription::begin(&self.inner, &present, SubscriptionEnd::Terminal).await,
            Some(number) if number >= present.version => {
                let mut subscription = Subscription::begin(&self.inner, &present, SubscriptionEnd::Terminal).await?;
                subscription.ended |= present.state.is_terminal();
                Ok(subscription)
            }
            Some(number) => {
                let past_state = self.inner.task_at(&task.task, number.max(1)).await?;
                Subscription::begin(&self.inner, &past_state, SubscriptionEnd::Terminal).await
            }
        }
    }
}

impl EngineInner {
    /// The task after the event with this number.
    pub(crate) async fn task_at(&self, task: &TaskId, number: u64) -> Result<TaskRecord, EngineError> {
        let stream = StreamId::Task(task.clone());
        let mut folded = None;
        let mut after = 0;
        while after < number {
            let limit = PAGE.min(usize::try_from(number - after).unwrap_or(PAGE));
            let events = self.journal().events(&stream, after, limit).await?;
            let Some(last) = events.last() else { break };
            after = last.number;
            for event in &events {
                fold_one(task, &mut folded, event.at, &event.fact)
                    .map_err(|reason| EngineError::Journal(JournalError::Corrupt(reason)))?;
            }
        }
        folded.ok_or_else(|| EngineError::TaskNotFound(task.clone()))
    }
}

impl Subscription {
    /// Starts with the given task state, which must be journaled.
    pub(crate) async fn begin(
        inner: &Arc<EngineInner>,
        from: &TaskRecord,
        until: SubscriptionEnd,
    ) -> Result<Self, EngineError> {
        let feed = inner.hub.feed(&from.id);
        let queue = feed.attach().ok_or(EngineError::ShuttingDown)?;
        let mut subscription = Self::with_queue(inner, from, until, feed, queue);
        subscription.catch_up(None).await?;
        Ok(subscription)
    }

    /// Starts with a queue that was opened before the send was written; no catch-up is needed.
    pub(crate) fn from_send(
        inner: &Arc<EngineInner>,
        from: &TaskRecord,
        feed: Arc<Feed>,
        queue: mpsc::Receiver<FeedItem>,
    ) -> Self {
        let subscription = Self::with_queue(inner, from, SubscriptionEnd::TurnEnd, feed, queue);
        // If input is still required, the turn ends with the send itself.
        Self { ended: from.state == TaskState::InputRequired, ..subscription }
    }

    fn with_queue(
        inner: &Arc<EngineInner>,
        from: &TaskRecord,
        until: SubscriptionEnd,
        feed: Arc<Feed>,
        queue: mpsc::Receiver<FeedItem>,
    ) -> Self {
        let open = from.run.as_ref().and_then(|run| Some((run.open.clone()?, run.attempt)));
        Self {
            inner: Arc::clone(inner),
            task: from.id.clone(),
            feed,
            queue,
            ready: VecDeque::from([FeedItem::Task(Arc::new(from.view()))]),
            last: from.version,
            open,
            autonomous: from.autonomous,
            until,
            ended: false,
        }
    }

    /// The next item; `None` when the task has ended and everything is delivered, or at shutdown.
    pub async fn next(&mut self) -> Option<FeedItem> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            match self.queue.recv().await {
                Some(item) => self.handle_item(item).await.ok()?,
                None => self.reattach().await.ok()?,
            }
        }
    }

    async fn handle_item(&mut self, item: FeedItem) -> Result<(), EngineError> {
        match &item {
            FeedItem::Event(event) if event.number <= self.last => {}
            FeedItem::Event(event) if event.number == self.last + 1 => self.deliver(Arc::clone(event)),
            FeedItem::Event(event) => {
                let number = event.number;
                self.catch_up(Some(number)).await?;
            }
            FeedItem::OpenText { message, attempt, .. } | FeedItem::Delta { message, attempt, .. } => {
                let is_open = self.open.as_ref().is_some_and(|(open, number)| open == message && number == attempt);
                if is_open && !self.autonomous {
                    self.ready.push_back(item);
                }
            }
            FeedItem::Task(_) => {}
        }
        Ok(())
    }

    async fn reattach(&mut self) -> Result<(), EngineError> {
        self.queue = self.feed.attach().ok_or(EngineError::ShuttingDown)?;
        self.catch_up(None).await
    }

    /// Reads journal events after `last`, up to `up_to` or the end.
    async fn catch_up(&mut self, up_to: Option<u64>) -> Result<(), EngineError> {
        let stream = StreamId::Task(self.task.clone());
        while !self.ended && up_to.is_none_or(|number| self.last < number) {
            let events = self.inner.journal().events(&stream, self.last, PAGE).await?;
            let full = events.len() == PAGE;
            for event in events {
                if !self.ended {
                    self.deliver(event);
                }
            }
            if !full {
                break;
            }
        }
        Ok(())
    }

    fn deliver(&mut self, event: Arc<StoredEvent>) {
        self.last = event.number;
        if let JournalEvent::Task(fact) = &event.fact {
            match fact {
                TaskEvent::AttemptStarted { message, attempt, .. } => self.open = Some((message.clone(), *attempt)),
                TaskEvent::Answered { .. } | TaskEvent::ToolsCalled { .. } => self.open = None,
                TaskEvent::StatusChanged { state, .. } => {
                    self.open = None;
                    self.ended = state.is_terminal()
                        || (self.until == SubscriptionEnd::TurnEnd && *state == TaskState::InputRequired);
                }
                TaskEvent::RunStarted { autonomous, .. } => self.autonomous |= autonomous,
                _ => {}
            }
            if self.autonomous && !is_visible_to_caller(true, fact) {
                return;
            }
        }
        self.ready.push_back(FeedItem::Event(event));
    }
}

impl EngineInner {
    /// Waits until the task ends or needs input, and returns its journaled state.
    pub(crate) async fn wait_settled(&self, task: &TaskId) -> Result<Arc<TaskView>, EngineError> {
        self.wait_settled_after(task, 0).await
    }

    /// Waits until the task ends or needs input after version `seen_version`.
    pub(crate) async fn wait_settled_after(
        &self,
        task: &TaskId,
        seen_version: u64,
    ) -> Result<Arc<TaskView>, EngineError> {
        let stream = StreamId::Task(task.clone());
        let feed = self.hub.feed(task);
        loop {
            let settled = feed.settled(seen_version);
            let missing = || EngineError::TaskNotFound(task.clone());
            let loaded = self.journal().load(None, &stream).await?.ok_or_else(missing)?;
            let present = fold(task, &loaded)?;
            let has_new_state = present.version > seen_version && present.state.is_interrupted();
            if present.state.is_terminal() || has_new_state {
                return Ok(Arc::new(present.view()));
            }
            match settled.await {
                // The task is resumed after a failed append, so the wait continues.
                Ok(Ok(_) | Err(EngineError::Journal(_))) => {}
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(EngineError::ShuttingDown),
            }
        }
    }
}

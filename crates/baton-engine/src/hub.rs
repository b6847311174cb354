//! Distributes journal commits to subscribers: one feed per task with subscribers or waiters.

use crate::{EngineError, FeedItem};
use baton_ports::{CommitObserver, StoredEvent};
use baton_types::{JournalEvent, MessageId, StreamId, TaskEvent, TaskId};
use foldhash::{HashMap, fast::RandomState};
use parking_lot::Mutex;
use std::{
    hash::BuildHasher as _,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::{mpsc, oneshot};

const SHARDS: usize = 16;

/// Queue length per subscriber; a slower subscriber is detached and reads the journal instead.
const SUBSCRIBER_QUEUE_LEN: usize = 256;

/// All feeds; observes every commit of the journal.
pub(crate) struct Hub {
    shards: [Mutex<HashMap<TaskId, Weak<Feed>>>; SHARDS],
    hash_state: RandomState,
    /// Set before feeds are closed, so that a feed created concurrently is closed as well.
    closed: AtomicBool,
}

impl Hub {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hash_state: RandomState::default(),
            closed: AtomicBool::new(false),
        })
    }

    /// Returns the feed of the task, created on first use.
    pub(crate) fn feed(self: &Arc<Self>, task: &TaskId) -> Arc<Feed> {
        let mut shard = self.shard(task).lock();
        if let Some(feed) = shard.get(task).and_then(Weak::upgrade) {
            return feed;
        }
        let state = FeedState { closed: self.closed.load(Ordering::Acquire), ..FeedState::default() };
        let feed = Arc::new(Feed { task: task.clone(), hub: Arc::downgrade(self), state: Mutex::new(state) });
        shard.insert(task.clone(), Arc::downgrade(&feed));
        feed
    }

    /// Closes every subscription at shutdown.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for shard in &self.shards {
            let feeds: Vec<Arc<Feed>> = shard.lock().values().filter_map(Weak::upgrade).collect();
            for feed in feeds {
                feed.close();
            }
        }
    }

    fn shard(&self, task: &TaskId) -> &Mutex<HashMap<TaskId, Weak<Feed>>> {
        // The upper bits: the map of a shard uses the lower ones, with another state.
        &self.shards[usize::try_from(self.hash_state.hash_one(task) >> 32).unwrap_or(0) % SHARDS]
    }
}

impl CommitObserver for Hub {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        for stream in events.chunk_by(|left, right| left.stream == right.stream) {
            let Some(StreamId::Task(task)) = stream.first().map(|event| &event.stream) else { continue };
            let feed = self.shard(task).lock().get(task).and_then(Weak::upgrade);
            if let Some(feed) = feed {
                feed.committed(stream);
            }
        }
    }
}

/// In-memory feed of one task.
pub(crate) struct Feed {
    task: TaskId,
    hub: Weak<Hub>,
    state: Mutex<FeedState>,
}

#[derive(Default)]
struct FeedState {
    open: Option<OpenText>,
    subscribers: Vec<mpsc::Sender<FeedItem>>,
    waiters: Vec<Waiter>,
    closed: bool,
}

/// Waits for a status after `after` that ends a turn.
struct Waiter {
    after: u64,
    sender: oneshot::Sender<Result<u64, EngineError>>,
}

struct OpenText {
    message: MessageId,
    attempt: u32,
    text: String,
    /// Whether the start of the attempt is journaled; no text is published before.
    has_started: bool,
    /// Whether reasoning is queued for the journal; no text is published before it is journaled.
    awaits_reasoning: bool,
}

impl Feed {
    /// Subscribes to items from now on, starting with the open text if there is any; `None` during shutdown.
    pub(crate) fn attach(&self) -> Option<mpsc::Receiver<FeedItem>> {
        let (sender, receiver) = mpsc::channel(SUBSCRIBER_QUEUE_LEN);
        let mut state = self.state.lock();
        if state.closed {
            return None;
        }
        if let Some(item) = state.open.as_ref().and_then(OpenText::snapshot) {
            let _ = sender.try_send(item);
        }
        // A quiet task publishes nothing, so closed subscribers are removed here.
        state.subscribers.retain(|subscriber| !subscriber.is_closed());
        state.subscribers.push(sender);
        Some(receiver)
    }

    /// Resolves with the number of the first status after `after` that ends a turn, or with an error at shutdown.
    pub(crate) fn settled(&self, after: u64) -> oneshot::Receiver<Result<u64, EngineError>> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state.lock();
        state.waiters.retain(|waiter| !waiter.sender.is_closed());
        if !state.closed {
            state.waiters.push(Waiter { after, sender });
        }
        receiver
    }

    /// Opens the text of a model call. Called before its start is queued, so that no delta precedes it.
    pub(crate) fn begin_text(&self, message: &MessageId, attempt: u32) {
        let open = OpenText {
            message: message.clone(),
            attempt,
            text: String::new(),
            has_started: false,
            awaits_reasoning: false,
        };
        self.state.lock().open = Some(open);
    }

    /// Appends text of the model call opened by [`Feed::begin_text`].
    pub(crate) fn delta(&self, text: &str) {
        let mut state = self.state.lock();
        let FeedState { open: Some(open), subscribers, .. } = &mut *state else { return };
        let offset = open.text.len();
        open.text.push_str(text);
        if open.is_visible() && !subscribers.is_empty() {
            let (message, attempt) = (open.message.clone(), open.attempt);
            publish(subscribers, &FeedItem::Delta { message, attempt, offset, text: text.into() });
        }
    }

    /// Holds further text until the reasoning before it is journaled.
    pub(crate) fn hold_text(&self) {
        if let Some(open) = &mut self.state.lock().open {
            open.awaits_reasoning = true;
        }
    }

    /// Fails all waiters with a journal error. Subscribers stay attached, because the task is resumed later.
    pub(crate) fn fail(&self, error: &EngineError) {
        let mut state = self.state.lock();
        state.open = None;
        for waiter in state.waiters.drain(..) {
            let _ = waiter.sender.send(Err(error.clone()));
        }
    }

    fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.subscribers.clear();
        for waiter in state.waiters.drain(..) {
            let _ = waiter.sender.send(Err(EngineError::ShuttingDown));
        }
    }

    fn committed(&self, events: &[Arc<StoredEvent>]) {
        let mut state = self.state.lock();
        for event in events {
            publish(&mut state.subscribers, &FeedItem::Event(Arc::clone(event)));
            let JournalEvent::Task(fact) = &event.fact else { continue };
            state.observe(event.number, fact);
        }
    }
}

impl FeedState {
    fn observe(&mut self, number: u64, fact: &TaskEvent) {
        match fact {
            TaskEvent::AttemptStarted { message, attempt, .. } => {
                if let Some(open) = &mut self.open
                    && open.message == *message
                    && open.attempt == *attempt
                {
                    open.has_started = true;
                    self.show_open_text();
                }
            }
            TaskEvent::ReasoningProduced { message, .. } => {
                if let Some(open) = &mut self.open
                    && open.message == *message
                    && open.has_started
                    && std::mem::take(&mut open.awaits_reasoning)
                {
                    self.show_open_text();
                }
            }
            TaskEvent::Answered { message, .. } | TaskEvent::ToolsCalled { message, .. } => {
                self.open.take_if(|open| open.message == message.id);
            }
            TaskEvent::StatusChanged { state, .. } => {
                // Open text that is not visible yet belongs to an attempt after this status.
                self.open.take_if(|open| open.has_started);
                if state.is_terminal() || state.is_interrupted() {
                    for waiter in self.waiters.extract_if(.., |waiter| waiter.after < number) {
                        let _ = waiter.sender.send(Ok(number));
                    }
                }
            }
            _ => {}
        }
    }
}

impl FeedState {
    /// Publishes the held text.
    fn show_open_text(&mut self) {
        let item = self.open.as_ref().filter(|open| !open.text.is_empty()).and_then(OpenText::snapshot);
        if let Some(item) = item {
            publish(&mut self.subscribers, &item);
        }
    }
}

impl OpenText {
    fn is_visible(&self) -> bool {
        self.has_started && !self.awaits_reasoning
    }

    fn snapshot(&self) -> Option<FeedItem> {
        let text = self.text.as_str().into();
        self.is_visible().then(|| FeedItem::OpenText { message: self.message.clone(), attempt: self.attempt, text })
    }
}

/// Sends an item to all subscribers. One with a full queue is dropped: it drains its queue and catches up from the
/// journal.
fn publish(subscribers: &mut Vec<mpsc::Sender<FeedItem>>, item: &FeedItem) {
    subscribers.retain(|subscriber| subscriber.try_send(item.clone()).is_ok());
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            let mut shard = hub.shard(&self.task).lock();
            if shard.get(&self.task).is_some_and(|feed| feed.strong_count() == 0) {
                shard.remove(&self.task);
            }
        }
    }
}

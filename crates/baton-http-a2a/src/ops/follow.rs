//! Converts a task's feed to ordered A2A stream items, independent of the binding.

use super::{
    super::{extensions::ActiveExtensions, presentation::PresentationPolicy},
    shown_task::{task, taskless_message},
};
use crate::{call::A2aCall, error::from_api, span_attributes::A2aSpan as _};
use baton_engine::{FeedItem, Subscription};
use baton_http::{RequestSpan, SharePermit};
use baton_ports::BoxFuture;
use baton_types::{JournalEvent, Json, TaskEvent, TaskState, TaskView};
use baton_wire::a2a::v1::{
    ArtifactInclusion, Error, GENERATION, HistoryLength, StreamProjection, StreamProjector, StreamResponse,
    generation_metadata,
};
use std::{collections::BTreeMap, collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// First item and end condition of a stream.
pub(super) enum StreamStart {
    /// Starts with the task that a message was just sent to; ends with the turn.
    Sent {
        /// Maximum number of history messages in the task.
        history: HistoryLength,
        /// Whether items are deferred until the agent is known not to reply with a bare message.
        may_reply_directly: bool,
    },
    /// Starts with the current task.
    Subscribed,
    /// Starts after a cursor.
    Resumed {
        /// Last events up to the cursor, oldest first.
        earlier: Vec<TaskEvent>,
    },
}

/// One stream item.
pub(in super::super) struct TaskStreamItem<'a> {
    /// Number of the journaled event; `None` for text that is still being generated.
    pub(in super::super) number: Option<u64>,
    /// Item to send.
    pub(in super::super) item: StreamResponse<'a>,
    /// Whether the stream ends with this item.
    pub(in super::super) last: bool,
}

/// Stream of a task; holds one permit for concurrent streams.
pub(in super::super) struct TaskStream {
    pub(in super::super) keep_alive: Duration,
    pub(in super::super) shutdown: CancellationToken,
    feed: DeferringFeed,
    /// Resolves when the caller's credentials become invalid.
    credentials_revoked: BoxFuture<'static, ()>,
    span: RequestSpan,
    _permit: SharePermit,
}

/// Feed of the task, in order.
struct DeferringFeed {
    subscription: Subscription,
    deferred: Option<DeferredItems>,
    released: VecDeque<FeedItem>,
    encoder: TaskStreamEncoder,
}

/// Items received but deferred while the agent may still reply with a bare message.
struct DeferredItems {
    items: VecDeque<FeedItem>,
    /// Deadline after which the task is sent anyway: without its id, a client could not cancel a slow agent.
    until: Instant,
}

/// Maximum wait for a bare message before the task is sent.
const DIRECT_REPLY_TIMEOUT: Duration = Duration::from_millis(500);

impl TaskStream {
    /// Permit for one stream.
    pub(super) fn permit(call: &A2aCall<'_>) -> Result<SharePermit, Error> {
        call.shared.http.streams.acquire(call.caller).map_err(|refusal| from_api(refusal.error("streams")))
    }

    pub(super) fn new(
        call: &A2aCall<'_>,
        subscription: Subscription,
        beginning: StreamStart,
        active: &ActiveExtensions,
        permit: SharePermit,
    ) -> Self {
        let withheld = matches!(beginning, StreamStart::Sent { may_reply_directly: true, .. })
            .then(|| DeferredItems { items: VecDeque::new(), until: Instant::now() + DIRECT_REPLY_TIMEOUT });
        Self {
            keep_alive: call.shared.http.options.keep_alive,
            shutdown: call.shared.http.options.shutdown.clone(),
            feed: DeferringFeed {
                subscription,
                deferred: withheld,
                released: VecDeque::new(),
                encoder: TaskStreamEncoder {
                    start: beginning,
                    policy: PresentationPolicy::new(call, active),
                    generation: active.generation().then_some(0),
                    projector: None,
                    reply: None,
                },
            },
            credentials_revoked: call.caller.credentials_revoked(),
            span: call.span.clone(),
            _permit: permit,
        }
    }

    /// Next item; `None` at the end of the stream or when the caller's credentials become invalid. Cancel-safe.
    pub(in super::super) async fn next(&mut self) -> Option<FeedItem> {
        tokio::select! {
            biased;
            () = &mut self.credentials_revoked => None,
            next = self.feed.next() => next,
        }
    }

    /// Converts a feed item and calls `show` for each resulting stream item.
    pub(in super::super) fn encode(&mut self, item: &FeedItem, show: impl FnMut(TaskStreamItem<'_>)) {
        self.record_state(item);
        self.feed.encoder.encode(item, show);
    }

    fn record_state(&self, item: &FeedItem) {
        match item {
            FeedItem::Task(view) => self.span.set_task(view),
            FeedItem::Event(stored) => {
                if let JournalEvent::Task(TaskEvent::StatusChanged { state, .. }) = &stored.fact {
                    self.span.set_task_state(*state);
                }
            }
            _ => {}
        }
    }
}

impl DeferringFeed {
    async fn next(&mut self) -> Option<FeedItem> {
        loop {
            if let Some(item) = self.released.pop_front() {
                return Some(item);
            }
            let Some(withheld) = &mut self.deferred else { return self.subscription.next().await };
            let Ok(fed) = timeout_at(withheld.until, self.subscription.next()).await else {
                self.release();
                continue;
            };
            let item = fed?;
            let direct = classify_direct_reply(&item);
            withheld.items.push_back(item);
            match direct {
                DirectReply::Unknown => {}
                DirectReply::No => self.release(),
                DirectReply::Yes => {
                    self.release();
                    self.encoder.reply = self.released.iter().find_map(|item| match item {
                        FeedItem::Task(view) => Some(Arc::clone(view)),
                        _ => None,
                    });
                    self.released.drain(..self.released.len().saturating_sub(1));
                }
            }
        }
    }

    fn release(&mut self) {
        self.released = self.deferred.take().map(|withheld| withheld.items).unwrap_or_default();
    }
}

/// Name of the tool with which an agent replies without a task.
const REPLY_TOOL: &str = "reply_message";

enum DirectReply {
    Yes,
    No,
    Unknown,
}

/// Whether the agent replies with a bare message, as far as this item shows.
fn classify_direct_reply(item: &FeedItem) -> DirectReply {
    let FeedItem::Event(stored) = item else {
        return if matches!(item, FeedItem::Task(_)) { DirectReply::Unknown } else { DirectReply::No };
    };
    match &stored.fact {
        JournalEvent::Task(TaskEvent::RunStarted { .. } | TaskEvent::AttemptStarted { .. }) => DirectReply::Unknown,
        JournalEvent::Task(TaskEvent::ToolsCalled { calls, .. })
            if calls.iter().all(|call| call.name == REPLY_TOOL) =>
        {
            DirectReply::Unknown
        }
        JournalEvent::Task(TaskEvent::ToolStarted { .. }) => DirectReply::Unknown,
        JournalEvent::Task(TaskEvent::ToolFinished { result }) if result.name == REPLY_TOOL => DirectReply::Unknown,
        JournalEvent::Task(TaskEvent::StatusChanged { state: TaskState::Completed, message: Some(reply), .. })
            if reply.task.is_none() =>
        {
            DirectReply::Yes
        }
        _ => DirectReply::No,
    }
}

struct TaskStreamEncoder {
    start: StreamStart,
    policy: PresentationPolicy,
    /// Current generation of the task, if the caller requested it.
    generation: Option<u64>,
    projector: Option<StreamProjector>,
    /// Task of a bare reply.
    reply: Option<Arc<TaskView>>,
}

impl TaskStreamEncoder {
    fn encode(&mut self, item: &FeedItem, mut show: impl FnMut(TaskStreamItem<'_>)) {
        if let Some(view) = &self.reply {
            if let Some(reply) = final_message(item) {
                let item = StreamResponse { message: Some(taskless_message(reply, view)), ..StreamResponse::default() };
                show(TaskStreamItem { number: None, item, last: true });
            }
            return;
        }
        if let FeedItem::Task(view) = item {
            return self.begin(view, show);
        }
        let Some(projector) = &mut self.projector else { return };
        let (projected, number): (StreamProjection<'_>, Option<u64>) = match item {
            FeedItem::Task(_) => return,
            FeedItem::Event(stored) => match &stored.fact {
                JournalEvent::Task(event) => {
                    if let Some(generation) = &mut self.generation {
                        *generation += u64::from(event.is_visible());
                    }
                    (projector.event(stored.at, event), Some(stored.number))
                }
                JournalEvent::Handoff(_) | JournalEvent::Session(_) => return,
            },
            FeedItem::OpenText { message, text, .. } => (projector.open_text(message, text), None),
            FeedItem::Delta { text, .. } if text.is_empty() => return,
            FeedItem::Delta { message, offset, text, .. } => (projector.delta(message, *offset, text), None),
        };
        if let Some(retraction) = projected.retraction {
            show(TaskStreamItem { number: None, item: retraction, last: false });
        }
        if let Some(mut shown) = projected.item {
            if let Some(generation) = self.generation.filter(|_| number.is_some()) {
                note_generation(&mut shown, generation);
            }
            let sent = matches!(self.start, StreamStart::Sent { .. });
            show(TaskStreamItem { number, item: shown, last: is_last_item(item, sent) });
        }
    }

    fn begin(&mut self, view: &Arc<TaskView>, mut show: impl FnMut(TaskStreamItem<'_>)) {
        let (id, context) = (view.id.clone(), view.context.clone());
        let presentation = self.policy.resolve(view);
        let (projector, history) = match &self.start {
            StreamStart::Sent { history, .. } => (StreamProjector::new(id, context, presentation), *history),
            StreamStart::Subscribed => (StreamProjector::new(id, context, presentation), HistoryLength::All),
            StreamStart::Resumed { earlier } => {
                (StreamProjector::resumed(id, context, presentation, earlier), HistoryLength::All)
            }
        };
        self.projector = Some(projector);
        let mut shown = task(view, history, ArtifactInclusion::Include, &ActiveExtensions::default(), self.policy);
        if let Some(generation) = &mut self.generation {
            *generation = view.generation;
            shown.metadata = Some(generation_metadata(view.generation));
        }
        show(TaskStreamItem { number: Some(view.version), item: shown.into(), last: false });
    }
}

fn final_message(item: &FeedItem) -> Option<&baton_types::Message> {
    let FeedItem::Event(stored) = item else { return None };
    match &stored.fact {
        JournalEvent::Task(TaskEvent::StatusChanged { message, .. }) => message.as_ref(),
        _ => None,
    }
}

/// Whether a stream ends with this item: at the end of the task, and for the stream of a send also at the end of its
/// turn.
fn is_last_item(item: &FeedItem, sent: bool) -> bool {
    let FeedItem::Event(stored) = item else { return false };
    match &stored.fact {
        JournalEvent::Task(TaskEvent::StatusChanged { state, .. }) => {
            state.is_terminal() || sent && *state == TaskState::InputRequired
        }
        _ => false,
    }
}

fn note_generation(shown: &mut StreamResponse<'_>, generation: u64) {
    let metadata = match (&mut shown.status_update, &mut shown.artifact_update) {
        (Some(update), _) => &mut update.metadata,
        (_, Some(update)) => &mut update.metadata,
        _ => return,
    };
    let own = generation_metadata(generation);
    *metadata = Some(match metadata.take() {
        None => own,
        Some(metadata) => {
            let members = |json: &Json| json.read::<BTreeMap<String, Json>>().unwrap_or_default();
            let mut all = members(&metadata);
            all.extend(members(&own).remove_entry(GENERATION));
            Json::from_serializable(&all).unwrap_or(metadata)
        }
    });
}

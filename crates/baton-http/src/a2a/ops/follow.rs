//! A task's feed as what A2A shows of it, in order, before it takes the form of a binding.

use super::{
    super::{extensions::Active, presentation::PresentationPolicy},
    shown::{bare, task},
};
use crate::{a2a::call::Call, shares::SharePermit, telemetry::RequestSpan};
use baton_engine::{FeedItem, Subscription};
use baton_ports::BoxFuture;
use baton_types::{Fact, Json, TaskEvent, TaskState, TaskView};
use baton_wire::a2a::v1::{
    ArtifactChoice, Error, GENERATION, HistoryLength, Projected, StreamProjector, StreamResponse, generation_metadata,
};
use std::{collections::BTreeMap, collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// How a stream begins.
pub(super) enum Beginning {
    /// With the task that a message was just sent to; it ends with the turn.
    Sent {
        /// Most messages of history in the task.
        history: HistoryLength,
        /// Whether nothing may be shown until it is known that the agent does not reply with a bare message.
        may_reply_directly: bool,
    },
    /// With the task as it is.
    Subscribed,
    /// After a cursor; these are the last events up to it.
    Resumed {
        /// Oldest first.
        earlier: Vec<TaskEvent>,
    },
}

/// One thing to show.
pub(in super::super) struct Told<'a> {
    /// The number of the journaled event behind it; text that is still being written has none.
    pub(in super::super) number: Option<u64>,
    /// What to show.
    pub(in super::super) item: StreamResponse<'a>,
    /// Whether the stream ends with it.
    pub(in super::super) last: bool,
}

/// A followed task; holds one of the streams that may be open at the same time.
pub(in super::super) struct Following {
    pub(in super::super) keep_alive: Duration,
    pub(in super::super) shutdown: CancellationToken,
    feeding: Feeding,
    /// Resolves when the caller's credentials no longer hold.
    no_longer: BoxFuture<'static, ()>,
    span: RequestSpan,
    _permit: SharePermit,
}

/// What comes of the task, in order.
struct Feeding {
    subscription: Subscription,
    withheld: Option<Withheld>,
    released: VecDeque<FeedItem>,
    narrator: Narrator,
}

/// Fed and not yet shown, while the agent may still reply with a bare message.
struct Withheld {
    items: VecDeque<FeedItem>,
    /// When the task is shown all the same: without its id, nobody could cancel an agent that takes its time.
    until: Instant,
}

/// How long a stream waits to learn whether the agent replies with a bare message.
const PATIENCE: Duration = Duration::from_millis(500);

impl Following {
    /// The right to one stream.
    pub(super) fn permit(call: &Call<'_>) -> Result<SharePermit, Error> {
        call.shared.streams.take(call.caller).map_err(|refusal| refusal.error("streams"))
    }

    pub(super) fn new(
        call: &Call<'_>,
        subscription: Subscription,
        beginning: Beginning,
        active: &Active,
        permit: SharePermit,
    ) -> Self {
        let withheld = matches!(beginning, Beginning::Sent { may_reply_directly: true, .. })
            .then(|| Withheld { items: VecDeque::new(), until: Instant::now() + PATIENCE });
        Self {
            keep_alive: call.shared.options.keep_alive,
            shutdown: call.shared.options.shutdown.clone(),
            feeding: Feeding {
                subscription,
                withheld,
                released: VecDeque::new(),
                narrator: Narrator {
                    beginning,
                    policy: PresentationPolicy::new(call, active),
                    generation: active.generation().then_some(0),
                    projector: None,
                    reply: None,
                },
            },
            no_longer: call.caller.no_longer(),
            span: call.span.clone(),
            _permit: permit,
        }
    }

    /// What happened next; `None` at the end, which also comes with the end of the caller's credentials. Safe to drop
    /// half-way and ask again.
    pub(in super::super) async fn next(&mut self) -> Option<FeedItem> {
        tokio::select! {
            biased;
            () = &mut self.no_longer => None,
            next = self.feeding.next() => next,
        }
    }

    /// What is to be shown of it; `show` is called for each.
    pub(in super::super) fn tell(&mut self, item: &FeedItem, show: impl FnMut(Told<'_>)) {
        self.note(item);
        self.feeding.narrator.tell(item, show);
    }

    fn note(&self, item: &FeedItem) {
        match item {
            FeedItem::Task(view) => self.span.shows(view),
            FeedItem::Event(stored) => {
                if let Fact::Task(TaskEvent::StatusChanged { state, .. }) = &stored.fact {
                    self.span.stands(*state);
                }
            }
            _ => {}
        }
    }
}

impl Feeding {
    async fn next(&mut self) -> Option<FeedItem> {
        loop {
            if let Some(item) = self.released.pop_front() {
                return Some(item);
            }
            let Some(withheld) = &mut self.withheld else { return self.subscription.next().await };
            let Ok(fed) = timeout_at(withheld.until, self.subscription.next()).await else {
                self.release();
                continue;
            };
            let item = fed?;
            let direct = direct(&item);
            withheld.items.push_back(item);
            match direct {
                Direct::Unknown => {}
                Direct::No => self.release(),
                Direct::Yes => {
                    self.release();
                    self.narrator.reply = self.released.iter().find_map(|item| match item {
                        FeedItem::Task(view) => Some(Arc::clone(view)),
                        _ => None,
                    });
                    self.released.drain(..self.released.len().saturating_sub(1));
                }
            }
        }
    }

    fn release(&mut self) {
        self.released = self.withheld.take().map(|withheld| withheld.items).unwrap_or_default();
    }
}

/// The tool with which an agent replies without a task.
const REPLY: &str = "reply_message";

enum Direct {
    Yes,
    No,
    Unknown,
}

/// Whether the agent replies with a bare message, as far as this item tells.
fn direct(item: &FeedItem) -> Direct {
    let FeedItem::Event(stored) = item else {
        return if matches!(item, FeedItem::Task(_)) { Direct::Unknown } else { Direct::No };
    };
    match &stored.fact {
        Fact::Task(TaskEvent::RunStarted { .. } | TaskEvent::AttemptStarted { .. }) => Direct::Unknown,
        Fact::Task(TaskEvent::ToolsCalled { calls, .. }) if calls.iter().all(|call| call.name == REPLY) => {
            Direct::Unknown
        }
        Fact::Task(TaskEvent::ToolStarted { .. }) => Direct::Unknown,
        Fact::Task(TaskEvent::ToolFinished { result }) if result.name == REPLY => Direct::Unknown,
        Fact::Task(TaskEvent::StatusChanged { state: TaskState::Completed, message: Some(reply), .. })
            if reply.task.is_none() =>
        {
            Direct::Yes
        }
        _ => Direct::No,
    }
}

struct Narrator {
    beginning: Beginning,
    policy: PresentationPolicy,
    /// The generation of the task so far, when the caller wants to know.
    generation: Option<u64>,
    projector: Option<StreamProjector>,
    /// The task behind a bare reply.
    reply: Option<Arc<TaskView>>,
}

impl Narrator {
    fn tell(&mut self, item: &FeedItem, mut show: impl FnMut(Told<'_>)) {
        if let Some(view) = &self.reply {
            if let Some(reply) = final_message(item) {
                let item = StreamResponse { message: Some(bare(reply, view)), ..StreamResponse::default() };
                show(Told { number: None, item, last: true });
            }
            return;
        }
        if let FeedItem::Task(view) = item {
            return self.begin(view, show);
        }
        let Some(projector) = &mut self.projector else { return };
        let (projected, number): (Projected<'_>, Option<u64>) = match item {
            FeedItem::Task(_) => return,
            FeedItem::Event(stored) => match &stored.fact {
                Fact::Task(event) => {
                    if let Some(generation) = &mut self.generation {
                        *generation += u64::from(event.is_shown());
                    }
                    (projector.event(stored.at, event), Some(stored.number))
                }
                Fact::Handoff(_) | Fact::Session(_) => return,
            },
            FeedItem::OpenText { message, text, .. } => (projector.open_text(message, text), None),
            FeedItem::Delta { text, .. } if text.is_empty() => return,
            FeedItem::Delta { message, offset, text, .. } => (projector.delta(message, *offset, text), None),
        };
        if let Some(retraction) = projected.retraction {
            show(Told { number: None, item: retraction, last: false });
        }
        if let Some(mut shown) = projected.item {
            if let Some(generation) = self.generation.filter(|_| number.is_some()) {
                note_generation(&mut shown, generation);
            }
            let sent = matches!(self.beginning, Beginning::Sent { .. });
            show(Told { number, item: shown, last: ends(item, sent) });
        }
    }

    fn begin(&mut self, view: &Arc<TaskView>, mut show: impl FnMut(Told<'_>)) {
        let (id, context) = (view.id.clone(), view.context.clone());
        let presentation = self.policy.resolve(view);
        let (projector, history) = match &self.beginning {
            Beginning::Sent { history, .. } => (StreamProjector::new(id, context, presentation), *history),
            Beginning::Subscribed => (StreamProjector::new(id, context, presentation), HistoryLength::All),
            Beginning::Resumed { earlier } => {
                (StreamProjector::resumed(id, context, presentation, earlier), HistoryLength::All)
            }
        };
        self.projector = Some(projector);
        let mut shown = task(view, history, ArtifactChoice::Include, &Active::default(), self.policy);
        if let Some(generation) = &mut self.generation {
            *generation = view.generation;
            shown.metadata = Some(generation_metadata(view.generation));
        }
        show(Told { number: Some(view.version), item: shown.into(), last: false });
    }
}

fn final_message(item: &FeedItem) -> Option<&baton_types::Message> {
    let FeedItem::Event(stored) = item else { return None };
    match &stored.fact {
        Fact::Task(TaskEvent::StatusChanged { message, .. }) => message.as_ref(),
        _ => None,
    }
}

/// Whether a stream ends with this item: with the task, and if it is the stream of a send, also with its turn.
fn ends(item: &FeedItem, sent: bool) -> bool {
    let FeedItem::Event(stored) = item else { return false };
    match &stored.fact {
        Fact::Task(TaskEvent::StatusChanged { state, .. }) => {
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
            Json::of(&all).unwrap_or(metadata)
        }
    });
}

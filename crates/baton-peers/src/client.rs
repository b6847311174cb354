//! One peer that can be spoken to.

use crate::{
    Binding, CallError, Followed, Seen, With,
    follow::{Begin, Follow},
    push::PushDesk,
    traced::Place,
};
use baton_ports::{PeerError, PeerRequest};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{
    AgentCard, GetTaskRequest, IDEMPOTENCY, ListTasksRequest, ListTasksResponse, Message, STREAM_TEXT,
    SendMessageConfiguration, SendMessageRequest, TOOL_CALLS, Task,
};
use std::{fmt, sync::Arc, time::Duration};

/// What a peer can do, as far as we can use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It streams.
    pub streaming: bool,
    /// It notifies.
    pub push: bool,
    /// It takes a message once, however often it is sent.
    pub idempotent: bool,
    /// It lists its tasks.
    pub lists: bool,
    /// Its subscriptions begin with the task in full.
    pub snapshots: bool,
    /// It shows text while it is written, to those who ask for it.
    pub streams_text: bool,
    /// It shows the tool calls that it runs itself, to those who ask for them.
    pub shows_calls: bool,
}

impl Abilities {
    /// What a card promises of an interface in this version, such as `1.0` or `0.3`.
    pub fn of(card: &AgentCard, version: &str) -> Self {
        let current = !version.starts_with("0.");
        let capabilities = &card.capabilities;
        let offers = |uri: &str| capabilities.extensions.iter().any(|extension| extension.uri == uri);
        Self {
            streaming: capabilities.streaming.unwrap_or_default(),
            push: capabilities.push_notifications.unwrap_or_default(),
            idempotent: offers(IDEMPOTENCY),
            lists: current,
            snapshots: current,
            streams_text: offers(STREAM_TEXT),
            shows_calls: offers(TOOL_CALLS),
        }
    }
}

/// How long to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// To reach a peer that cannot be reached, or is too busy.
    pub reach: Duration,
    /// To stay with a task from which nothing is heard.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { reach: Duration::from_secs(30), silence: Duration::from_secs(600) }
    }
}

/// Speaks with one peer through whatever breaks; cheap to clone.
#[derive(Clone)]
pub struct PeerClient {
    pub(crate) binding: Arc<dyn Binding>,
    pub(crate) place: Arc<Place>,
    abilities: Abilities,
    patience: Patience,
    desk: Option<PushDesk>,
}

impl PeerClient {
    /// A client of a peer that is reached through `binding`.
    pub fn new(binding: Arc<dyn Binding>, abilities: Abilities, patience: Patience) -> Self {
        Self { binding, place: Arc::default(), abilities, patience, desk: None }
    }

    /// The same client, at this place.
    #[must_use]
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Arc::new(place);
        self
    }

    /// The same client, which asks the peer to notify it when the peer can.
    #[must_use]
    pub(crate) fn with_desk(mut self, desk: PushDesk) -> Self {
        self.desk = Some(desk).filter(|_| self.abilities.push);
        self
    }

    /// What the peer can do.
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Says something and gives everything that follows, until the task ended or needs something. The message is said
    /// once, unless the peer promised to take it once.
    pub async fn send_streaming(&self, ask: &PeerRequest) -> Result<Followed, PeerError> {
        Ok(self.say(ask).await?.into_stream())
    }

    /// Everything that happens to a task from now on, beginning with the task as it is.
    pub fn follow(&self, task: &str) -> Followed {
        Follow::new(self.clone(), self.usual(), Seen::of_task(task, None), Begin::Task).into_stream()
    }

    /// The task as it is.
    pub async fn get(&self, task: &str) -> Result<Task<'static>, CallError> {
        let request = GetTaskRequest { id: task.to_owned().into(), ..GetTaskRequest::default() };
        self.binding.get(request, &self.usual()).await
    }

    /// One page of tasks.
    pub async fn list(&self, request: ListTasksRequest<'static>) -> Result<ListTasksResponse<'static>, CallError> {
        self.binding.list(request, &self.usual()).await
    }

    pub(crate) fn binding(&self) -> &dyn Binding {
        &*self.binding
    }

    pub(crate) fn patience(&self) -> Patience {
        self.patience
    }

    pub(crate) fn desk(&self) -> Option<&PushDesk> {
        self.desk.as_ref()
    }

    /// What goes with every request: all of them see a task in the same form.
    pub(crate) fn usual(&self) -> With {
        let wanted = [(self.abilities.streams_text, STREAM_TEXT), (self.abilities.shows_calls, TOOL_CALLS)];
        let extensions = wanted.into_iter().filter(|(offered, _)| *offered).map(|(_, uri)| uri.to_owned()).collect();
        With { extensions, ..With::default() }
    }

    /// What goes with every request about these words.
    pub(crate) fn with(&self, ask: &PeerRequest) -> With {
        let mut with = With { trace: ask.trace.clone(), depth: ask.depth, ..self.usual() };
        if self.abilities.idempotent {
            with.extensions.push(IDEMPOTENCY.to_owned());
        }
        with
    }

    /// Follows words that the peer has.
    pub(crate) fn stay(&self, ask: &PeerRequest, task: &str) -> Follow {
        let seen = Seen::of_task(task, Some(ask.message.id.as_str()));
        Follow::new(self.clone(), self.with(ask), seen, Begin::Task)
    }
}

impl fmt::Debug for PeerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerClient").field("abilities", &self.abilities).finish_non_exhaustive()
    }
}

/// The words as they travel.
pub(crate) fn request(ask: &PeerRequest) -> SendMessageRequest<'static> {
    let message = Message::from(&ask.message);
    let owned = |text: std::borrow::Cow<'_, str>| text.into_owned().into();
    let message = Message {
        message_id: owned(message.message_id),
        context_id: Some(ask.context.clone().into()).filter(|_| !ask.context.is_empty()),
        task_id: ask.task.clone().map(Into::into),
        role: message.role,
        parts: message.parts.into_iter().map(crate::owned::part).collect(),
        metadata: message.metadata,
        extensions: message.extensions.into_iter().map(owned).collect(),
        reference_task_ids: message.reference_task_ids.into_iter().map(owned).collect(),
    };
    SendMessageRequest {
        message: Some(message),
        configuration: Some(SendMessageConfiguration {
            return_immediately: true,
            ..SendMessageConfiguration::default()
        }),
        ..SendMessageRequest::default()
    }
}

/// The peer said no; whoever was not let in hears that this is why.
pub(crate) fn refused(error: &CallError) -> PeerError {
    PeerError::Refused(clipped(&match error {
        CallError::Refused { status: 401, message, .. } => format!("it wants credentials: {message}"),
        CallError::Refused { status: 403, message, .. } => format!("it does not allow this: {message}"),
        _ => error.to_string(),
    }))
}

/// Nothing was said, and why.
pub(crate) fn unreached(error: &CallError) -> PeerError {
    let code = match error {
        CallError::Forbidden(_) => ErrorCode::PEER_UNTRUSTED,
        _ => ErrorCode::PEER_UNREACHABLE,
    };
    PeerError::Unreachable { code, detail: clipped(&error.to_string()) }
}

/// The peer's words, as many of them as fit into an error.
pub(crate) fn clipped(words: &str) -> String {
    const MOST: usize = 2000;
    match words.len() > MOST {
        true => format!("{}...", &words[..words.floor_char_boundary(MOST)]),
        false => words.to_owned(),
    }
}

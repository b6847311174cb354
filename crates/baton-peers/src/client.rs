//! Client of one peer.

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

/// Capabilities of a peer that this client uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Streaming.
    pub streaming: bool,
    /// Push notifications.
    pub push: bool,
    /// Idempotency: a message sent several times is accepted once.
    pub idempotent: bool,
    /// Lists its tasks.
    pub lists: bool,
    /// Subscriptions start with the full task.
    pub snapshots: bool,
    /// Streams partial text on request.
    pub streams_text: bool,
    /// Reports the tool calls that it executes, on request.
    pub shows_calls: bool,
}

impl Abilities {
    /// Capabilities according to the card, for an interface of this version, such as `1.0` or `0.3`.
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

/// Time limits of retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How long to retry an unreachable or busy peer.
    pub reach: Duration,
    /// How long to follow a task without any sign of life.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { reach: Duration::from_secs(30), silence: Duration::from_secs(600) }
    }
}

/// Client of one peer that retries and reconnects; cheap to clone.
#[derive(Clone)]
pub struct PeerClient {
    pub(crate) binding: Arc<dyn Binding>,
    pub(crate) place: Arc<Place>,
    abilities: Abilities,
    patience: Patience,
    desk: Option<PushDesk>,
}

impl PeerClient {
    /// Creates a client that uses `binding`.
    pub fn new(binding: Arc<dyn Binding>, abilities: Abilities, patience: Patience) -> Self {
        Self { binding, place: Arc::default(), abilities, patience, desk: None }
    }

    /// The same client with the attributes of its endpoint for spans.
    #[must_use]
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Arc::new(place);
        self
    }

    /// The same client; it requests push notifications if the peer supports them.
    #[must_use]
    pub(crate) fn with_desk(mut self, desk: PushDesk) -> Self {
        self.desk = Some(desk).filter(|_| self.abilities.push);
        self
    }

    /// Capabilities of the peer.
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Sends a message and returns all following events until the task ends or needs input. The message is sent once,
    /// unless the peer supports idempotency.
    pub async fn send_streaming(&self, ask: &PeerRequest) -> Result<Followed, PeerError> {
        Ok(self.say(ask).await?.into_stream())
    }

    /// All events of a task from now on, starting with its current state.
    pub fn follow(&self, task: &str) -> Followed {
        Follow::new(self.clone(), self.usual(), Seen::of_task(task, None), Begin::Task)
            .into_stream()
    }

    /// The current state of the task.
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

    /// Metadata of every request: all requests activate the same extensions, so that a task always has the same form.
    pub(crate) fn usual(&self) -> With {
        let wanted =
            [(self.abilities.streams_text, STREAM_TEXT), (self.abilities.shows_calls, TOOL_CALLS)];
        let extensions = wanted.into_iter().filter(|(offered, _)| *offered).map(|(_, uri)| uri.to_owned()).collect();
        With { extensions, ..With::default() }
    }

    /// Metadata of requests about this message.
    pub(crate) fn with(&self, ask: &PeerRequest) -> With {
        let mut with = With { trace: ask.trace.clone(), depth: ask.depth, ..self.usual() };
        if self.abilities.idempotent {
            with.extensions.push(IDEMPOTENCY.to_owned());
        }
        with
    }

    /// Follows a message that the peer has accepted.
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

/// The message in wire form.
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

/// Error for a refusal by the peer; names missing credentials or permissions as the cause.
pub(crate) fn refused(error: &CallError) -> PeerError {
    PeerError::Refused(clipped(&match error {
        CallError::Refused { status: 401, message, .. } => format!("it requires credentials: {message}"),
        CallError::Refused { status: 403, message, .. } => format!("it denied access: {message}"),
        _ => error.to_string(),
    }))
}

/// Error for a request that was not sent.
pub(crate) fn unreached(error: &CallError) -> PeerError {
    let code = match error {
        CallError::Forbidden(_) => ErrorCode::PEER_UNTRUSTED,
        _ => ErrorCode::PEER_UNREACHABLE,
    };
    PeerError::Unreachable { code, detail: clipped(&error.to_string()) }
}

/// The text, truncated to the maximum length of an error.
pub(crate) fn clipped(words: &str) -> String {
    const MOST: usize = 2000;
    match words.len() > MOST {
        true => format!("{}...", &words[..words.floor_char_boundary(MOST)]),
        false => words.to_owned(),
    }
}

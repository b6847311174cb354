//! Client of one peer.

use crate::{
    Binding, CallError, PeerTaskStream, RequestMetadata, TaskTracker, error_codes,
    follow::{FollowStart, TaskFollower},
    push::PushInbox,
    traced::EndpointAttributes,
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
pub struct PeerCapabilities {
    /// Streaming.
    pub streaming: bool,
    /// Push notifications.
    pub push: bool,
    /// Idempotency: a message sent several times is accepted once.
    pub idempotent: bool,
    /// Lists its tasks.
    pub lists_tasks: bool,
    /// Subscriptions start with the full task.
    pub snapshots: bool,
    /// Streams partial text on request.
    pub streams_text: bool,
    /// Reports the tool calls that it executes, on request.
    pub reports_tool_calls: bool,
}

impl PeerCapabilities {
    /// Capabilities according to the card, for an interface of this version, such as `1.0` or `0.3`.
    pub fn from_card(card: &AgentCard, version: &str) -> Self {
        let current = !version.starts_with("0.");
        let capabilities = &card.capabilities;
        let offers = |uri: &str| capabilities.extensions.iter().any(|extension| extension.uri == uri);
        Self {
            streaming: capabilities.streaming.unwrap_or_default(),
            push: capabilities.push_notifications.unwrap_or_default(),
            idempotent: offers(IDEMPOTENCY),
            lists_tasks: current,
            snapshots: current,
            streams_text: offers(STREAM_TEXT),
            reports_tool_calls: offers(TOOL_CALLS),
        }
    }
}

/// Time limits of retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryLimits {
    /// How long to retry an unreachable or busy peer.
    pub reach_timeout: Duration,
    /// How long to follow a task without any sign of life.
    pub silence_timeout: Duration,
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self { reach_timeout: Duration::from_secs(30), silence_timeout: Duration::from_secs(600) }
    }
}

/// Client of one peer that retries and reconnects; cheap to clone.
#[derive(Clone)]
pub struct PeerClient {
    pub(crate) binding: Arc<dyn Binding>,
    pub(crate) endpoint_attributes: Arc<EndpointAttributes>,
    capabilities: PeerCapabilities,
    retry_limits: RetryLimits,
    push_inbox: Option<PushInbox>,
}

impl PeerClient {
    /// Creates a client that uses `binding`.
    pub fn new(binding: Arc<dyn Binding>, capabilities: PeerCapabilities, retry_limits: RetryLimits) -> Self {
        Self { binding, endpoint_attributes: Arc::default(), capabilities, retry_limits, push_inbox: None }
    }

    /// The same client with the attributes of its endpoint for spans.
    #[must_use]
    pub(crate) fn with_endpoint_attributes(mut self, endpoint_attributes: EndpointAttributes) -> Self {
        self.endpoint_attributes = Arc::new(endpoint_attributes);
        self
    }

    /// The same client; it requests push notifications if the peer supports them.
    #[must_use]
    pub(crate) fn with_push_inbox(mut self, inbox: PushInbox) -> Self {
        self.push_inbox = Some(inbox).filter(|_| self.capabilities.push);
        self
    }

    /// Capabilities of the peer.
    pub fn capabilities(&self) -> PeerCapabilities {
        self.capabilities
    }

    /// Sends a message and returns all following events until the task ends or needs input. The message is sent once,
    /// unless the peer supports idempotency.
    pub async fn send_streaming(&self, ask: &PeerRequest) -> Result<PeerTaskStream, PeerError> {
        Ok(self.send(ask).await?.into_stream())
    }

    /// All events of a task from now on, starting with its current state.
    pub fn follow(&self, task: &str) -> PeerTaskStream {
        TaskFollower::new(self.clone(), self.base_metadata(), TaskTracker::for_task(task, None), FollowStart::Task)
            .into_stream()
    }

    /// The current state of the task.
    pub async fn get(&self, task: &str) -> Result<Task<'static>, CallError> {
        let request = GetTaskRequest { id: task.to_owned().into(), ..GetTaskRequest::default() };
        self.binding.get(request, &self.base_metadata()).await
    }

    /// One page of tasks.
    pub async fn list(&self, request: ListTasksRequest<'static>) -> Result<ListTasksResponse<'static>, CallError> {
        self.binding.list(request, &self.base_metadata()).await
    }

    pub(crate) fn binding(&self) -> &dyn Binding {
        &*self.binding
    }

    pub(crate) fn retry_limits(&self) -> RetryLimits {
        self.retry_limits
    }

    pub(crate) fn push_inbox(&self) -> Option<&PushInbox> {
        self.push_inbox.as_ref()
    }

    /// Metadata of every request: all requests activate the same extensions, so that a task always has the same form.
    pub(crate) fn base_metadata(&self) -> RequestMetadata {
        let supported =
            [(self.capabilities.streams_text, STREAM_TEXT), (self.capabilities.reports_tool_calls, TOOL_CALLS)];
        let extensions = supported.into_iter().filter(|(offered, _)| *offered).map(|(_, uri)| uri.to_owned()).collect();
        RequestMetadata { extensions, ..RequestMetadata::default() }
    }

    /// Metadata of requests about this message.
    pub(crate) fn message_metadata(&self, ask: &PeerRequest) -> RequestMetadata {
        let mut with = RequestMetadata { trace: ask.trace.clone(), depth: ask.depth, ..self.base_metadata() };
        if self.capabilities.idempotent {
            with.extensions.push(IDEMPOTENCY.to_owned());
        }
        with
    }

    /// Follows a message that the peer has accepted.
    pub(crate) fn follow_message(&self, ask: &PeerRequest, task: &str) -> TaskFollower {
        let seen = TaskTracker::for_task(task, Some(ask.message.id.as_str()));
        TaskFollower::new(self.clone(), self.message_metadata(ask), seen, FollowStart::Task)
    }
}

impl fmt::Debug for PeerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerClient").field("abilities", &self.capabilities).finish_non_exhaustive()
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
pub(crate) fn refused_error(error: &CallError) -> PeerError {
    PeerError::Refused(truncate_error(&match error {
        CallError::Refused { status: 401, message, .. } => format!("it requires credentials: {message}"),
        CallError::Refused { status: 403, message, .. } => format!("it denied access: {message}"),
        _ => error.to_string(),
    }))
}

/// Error for a request that was not sent.
pub(crate) fn unreachable_error(error: &CallError) -> PeerError {
    let code = match error {
        CallError::Forbidden(_) => error_codes::PEER_UNTRUSTED,
        _ => ErrorCode::PEER_UNREACHABLE,
    };
    PeerError::Unreachable { code, detail: truncate_error(&error.to_string()) }
}

/// The text, truncated to the maximum length of an error.
pub(crate) fn truncate_error(text: &str) -> String {
    const MAX_ERROR_BYTES: usize = 2000;
    match text.len() > MAX_ERROR_BYTES {
        true => format!("{}...", &text[..text.floor_char_boundary(MAX_ERROR_BYTES)]),
        false => text.to_owned(),
    }
}

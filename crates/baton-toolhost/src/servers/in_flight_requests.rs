//! Requests in flight on one connection, and server messages that belong to them.

use parking_lot::Mutex;
use rmcp::{
    RoleClient,
    model::{
        ClientCapabilities, ErrorData, GetExtensions, GetMeta, InputRequest, JsonRpcMessage,
        LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, RequestId, ServerNotification,
    },
    service::{InboundStreamOrigin, RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, atomic::AtomicBool, atomic::Ordering},
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// Maximum buffered messages per call; further progress and log messages are dropped.
const MAX_EVENTS: usize = 64;
/// Maximum unsolicited messages per window; more count as flooding.
const MAX_UNSOLICITED: u32 = 10_000;
const FLOOD_WINDOW: Duration = Duration::from_secs(10);
/// Maximum pending requests of the server; more count as flooding.
const MAX_PENDING_REQUESTS: usize = 512;

/// A server message about a request in flight.
pub(super) enum InFlightEvent {
    Progress(ProgressNotificationParam),
    Log(LoggingMessageNotificationParam),
    Question { request: InputRequest, reply: oneshot::Sender<Result<Value, ErrorData>> },
}

/// A change at the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerNotice {
    Tools,
    Prompts,
    Resources,
    Updated(String),
}

/// In-process marker of a request, to learn its id and progress token before it is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct InFlightKey(u64);

struct InFlightRequest {
    id: Option<RequestId>,
    token: Option<ProgressToken>,
    caller: String,
    capabilities: ClientCapabilities,
    /// Opened when the server may send messages about the request.
    events: Option<mpsc::Sender<InFlightEvent>>,
}

#[derive(Default)]
struct InFlightState {
    next: u64,
    requests: BTreeMap<u64, InFlightRequest>,
    window: Option<(Instant, u32)>,
    /// Requests of the server without a sent answer.
    pending: HashMap<RequestId, usize>,
}

/// The requests in flight of one connection.
pub(super) struct InFlightRequests {
    state: Mutex<InFlightState>,
    notices: mpsc::Sender<ServerNotice>,
    closed: CancellationToken,
    /// Set when the server sent a request that could belong to several calls in flight: from then on calls run one at a
    /// time, so that no caller receives a question of another caller's call.
    is_serial: AtomicBool,
}

/// Reason for which a server request cannot be routed.
#[derive(Clone, Copy)]
pub(super) enum RoutingError {
    /// No call is in flight.
    NoCall,
    /// It could belong to calls of several callers.
    Ambiguous,
    /// The caller lacks the capability.
    Incapable,
}

impl InFlightRequests {
    /// An empty table. Changes at the server go to `notices` and are dropped when that queue is full, since its reader
    /// then refreshes anyway.
    pub(super) fn new(notices: mpsc::Sender<ServerNotice>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            notices,
            closed: CancellationToken::new(),
            is_serial: AtomicBool::new(false),
        })
    }

    /// Registers a request before it is sent.
    pub(super) fn register(self: &Arc<Self>, caller: String, capabilities: ClientCapabilities) -> InFlightGuard {
        let mut state = self.state.lock();
        let key = state.next;
        state.next += 1;
        state.requests.insert(key, InFlightRequest { id: None, token: None, caller, capabilities, events: None });
        InFlightGuard { key, in_flight: Arc::clone(self) }
    }

    /// Whether calls must run one at a time.
    pub(super) fn is_serial(&self) -> bool {
        self.is_serial.load(Ordering::Acquire)
    }

    /// Cancelled when the connection is gone.
    pub(super) fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Records an outgoing message.
    pub(super) fn on_sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else { return };
        let Some(InFlightKey(key)) = request.request.extensions().get::<InFlightKey>() else { return };
        if let Some(entry) = self.state.lock().requests.get_mut(key) {
            entry.id = Some(request.id.clone());
            entry.token = request.request.get_meta().get_progress_token();
        }
    }

    /// Handles an incoming message, in order; false when the server floods.
    pub(super) fn on_received(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let message = match message {
            JsonRpcMessage::Notification(message) => message,
            JsonRpcMessage::Request(request) => return self.count_request(&request.id),
            _ => return true,
        };
        match &message.notification {
            ServerNotification::ProgressNotification(progress) => self.progress(&progress.params),
            ServerNotification::LoggingMessageNotification(log) => self.log(&log.params),
            ServerNotification::ToolListChangedNotification(_) => self.notice(ServerNotice::Tools),
            ServerNotification::PromptListChangedNotification(_) => self.notice(ServerNotice::Prompts),
            ServerNotification::ResourceListChangedNotification(_) => self.notice(ServerNotice::Resources),
            ServerNotification::ResourceUpdatedNotification(update) => {
                self.notice(ServerNotice::Updated(update.params.uri.clone()))
            }
            ServerNotification::CancelledNotification(cancelled) => {
                if let Some(id) = &cancelled.params.request_id {
                    self.finish_request(id);
                }
                self.count_unsolicited()
            }
            _ => self.count_unsolicited(),
        }
    }

    /// Counts a server request; false when too many are pending.
    fn count_request(&self, id: &RequestId) -> bool {
        let pending = &mut self.state.lock().pending;
        // An id may be reused before the answer to its first use is recorded as sent.
        *pending.entry(id.clone()).or_default() += 1;
        pending.values().sum::<usize>() <= MAX_PENDING_REQUESTS
    }

    /// Removes a server request that was answered or cancelled.
    pub(super) fn finish_request(&self, id: &RequestId) {
        let pending = &mut self.state.lock().pending;
        if let Some(count) = pending.get_mut(id) {
            *count -= 1;
            if *count == 0 {
                pending.remove(id);
            }
        }
    }

    fn progress(&self, progress: &ProgressNotificationParam) -> bool {
        let events = {
            let state = self.state.lock();
            let has_token = |entry: &&InFlightRequest| entry.token.as_ref() == Some(&progress.progress_token);
            state.requests.values().find(has_token).and_then(|entry| entry.events.clone())
        };
        match events {
            Some(events) => {
                events.try_send(InFlightEvent::Progress(progress.clone())).is_ok() || self.count_unsolicited()
            }
            None => self.count_unsolicited(),
        }
    }

    /// A log message names no request; it is delivered only when all calls in flight have the same caller.
    fn log(&self, message: &LoggingMessageNotificationParam) -> bool {
        let listeners: Vec<_> = {
            let state = self.state.lock();
            if state.only_caller() {
                state.requests.values().filter_map(|entry| entry.events.clone()).collect()
            } else {
                Vec::new()
            }
        };
        let delivered = listeners.iter().filter(|events| events.try_send(InFlightEvent::Log(message.clone())).is_ok());
        delivered.count() > 0 || self.count_unsolicited()
    }

    fn notice(&self, notice: ServerNotice) -> bool {
        let _ = self.notices.try_send(notice);
        self.count_unsolicited()
    }

    fn count_unsolicited(&self) -> bool {
        let mut state = self.state.lock();
        let now = Instant::now();
        match &mut state.window {
            Some((since, count)) if now.duration_since(*since) < FLOOD_WINDOW => {
                *count += 1;
                *count < MAX_UNSOLICITED
            }
            window => {
                *window = Some((now, 1));
                true
            }
        }
    }

    /// The call that a server request belongs to.
    pub(super) fn route(
        &self,
        request: &InputRequest,
        origin: Option<&InboundStreamOrigin>,
    ) -> Result<mpsc::Sender<InFlightEvent>, RoutingError> {
        let state = self.state.lock();
        let entry = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => {
                state.requests.values().find(|entry| entry.id.as_ref() == Some(id))
            }
            _ => {
                if state.requests.len() > 1 {
                    self.is_serial.store(true, Ordering::Release);
                }
                if !state.only_caller() && !state.requests.is_empty() {
                    return Err(RoutingError::Ambiguous);
                }
                state.requests.values().next()
            }
        };
        let entry = entry.ok_or(RoutingError::NoCall)?;
        let events = entry.events.clone().ok_or(RoutingError::NoCall)?;
        if can_answer(&entry.capabilities, request) { Ok(events) } else { Err(RoutingError::Incapable) }
    }
}

impl InFlightState {
    fn only_caller(&self) -> bool {
        let mut callers = self.requests.values().map(|entry| &entry.caller);
        let first = callers.next();
        first.is_some() && callers.all(|caller| Some(caller) == first)
    }
}

/// Whether the capabilities cover the request.
pub(super) fn can_answer(capabilities: &ClientCapabilities, request: &InputRequest) -> bool {
    use rmcp::model::ElicitRequestParams::UrlElicitationParams;
    match request {
        InputRequest::CreateMessage(_) => capabilities.sampling.is_some(),
        InputRequest::Elicitation(request) => match (&capabilities.elicitation, &request.params) {
            (Some(modes), UrlElicitationParams { .. }) => modes.url.is_some(),
            (Some(modes), _) => modes.form.is_some() || modes.url.is_none(),
            (None, _) => false,
        },
        InputRequest::ListRoots(_) => capabilities.roots.is_some(),
        _ => false,
    }
}

/// A request in flight; dropping it removes the registration.
pub(super) struct InFlightGuard {
    key: u64,
    in_flight: Arc<InFlightRequests>,
}

impl InFlightGuard {
    /// The marker for the request.
    pub(super) fn key(&self) -> InFlightKey {
        InFlightKey(self.key)
    }

    /// Opens the channel for messages of the server about the request.
    pub(super) fn open_events(&self) -> mpsc::Receiver<InFlightEvent> {
        let (events, receiver) = mpsc::channel(MAX_EVENTS);
        if let Some(entry) = self.in_flight.state.lock().requests.get_mut(&self.key) {
            entry.events = Some(events);
        }
        receiver
    }

    /// Records id and progress token of a request that is posted directly.
    pub(super) fn identify(&self, (id, token): (RequestId, ProgressToken)) {
        if let Some(entry) = self.in_flight.state.lock().requests.get_mut(&self.key) {
            (entry.id, entry.token) = (Some(id), Some(token));
        }
    }

    /// The requests in flight of the connection.
    pub(super) fn in_flight(&self) -> &InFlightRequests {
        &self.in_flight
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.in_flight.state.lock().requests.remove(&self.key);
    }
}

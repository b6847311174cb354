//! Requests to a ready server.

use super::{
    CALL_META, CallOptions, DEPTH_META, ServerError, TASK_META,
    in_flight_call::{CallExchange, CallLock, CallPermit, InFlightCall},
    in_flight_requests::InFlightRequests,
    plain_tools::PlainTools,
    spans::{RequestSpans, record_failure},
};
use crate::{ServerLog, needs_login, transport::DirectCalls};
use baton_telemetry::current_span;
use baton_types::{McpServer, McpTimeouts, McpTransport};
use http::HeaderValue;
use parking_lot::Mutex;
use rmcp::{
    RoleClient,
    model::{
        ClientRequest, GetExtensions, LoggingLevel, RequestMetaObject, RequestParamsMeta, ServerPeerInfo,
        SetLevelRequestParams, Tool,
    },
    service::{Peer, PeerRequestOptions, RequestHandle, ServiceError},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, OwnedSemaphorePermit, RwLock, Semaphore};

/// Maximum calls in flight or queued on one connection.
const MAX_CALLS: usize = 256;
/// Interval at which a queued call signals that it waits.
const QUEUE_SIGNAL_INTERVAL: Duration = Duration::from_secs(5);

/// Ways to send requests over one connection.
pub(super) struct ServerLink {
    /// The service of the MCP library.
    pub(super) peer: Peer<RoleClient>,
    /// Tool calls without the service.
    pub(super) direct: Option<Arc<DirectCalls>>,
}

/// An open connection.
pub(super) struct ServerConnection {
    server: String,
    peer: Peer<RoleClient>,
    direct: Option<Arc<DirectCalls>>,
    plain_tools: PlainTools,
    in_flight: Arc<InFlightRequests>,
    info: Arc<ServerPeerInfo>,
    is_modern: bool,
    is_internal: bool,
    limits: McpTimeouts,
    log: ServerLog,
    turns: Arc<RwLock<()>>,
    call_slots: Arc<Semaphore>,
    queued_call_signal: Notify,
    level: Mutex<Option<LoggingLevel>>,
    fault: Mutex<Option<String>>,
    spans: RequestSpans,
}

impl ServerConnection {
    pub(super) fn new(
        server: &McpServer,
        ServerLink { peer, direct }: ServerLink,
        in_flight: Arc<InFlightRequests>,
        info: Arc<ServerPeerInfo>,
        is_modern: bool,
        log: ServerLog,
        spans: RequestSpans,
    ) -> Self {
        let is_internal = matches!(server.transport, McpTransport::Internal { .. });
        let (server, limits) = (server.name.clone(), server.timeouts);
        let turns = Arc::new(RwLock::new(()));
        let call_slots = Arc::new(Semaphore::new(MAX_CALLS));
        let (level, fault) = (Mutex::new(None), Mutex::new(None));
        let queued_call_signal = Notify::new();
        Self {
            server,
            peer,
            direct,
            plain_tools: PlainTools::default(),
            in_flight,
            info,
            is_modern,
            is_internal,
            limits,
            log,
            turns,
            call_slots,
            queued_call_signal,
            level,
            fault,
            spans,
        }
    }

    /// The server's key.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// The rmcp peer handle.
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// Records the tools listed last.
    pub(super) fn set_tools(&self, tools: &[Arc<Tool>]) {
        self.plain_tools.set(tools);
    }

    /// Capabilities and version information from the server.
    pub(super) fn info(&self) -> &ServerPeerInfo {
        &self.info
    }

    /// Whether it uses protocol 2026-07-28: no call is held between rounds, and the server sends no requests.
    pub(super) fn is_modern(&self) -> bool {
        self.is_modern
    }

    /// Timeouts of the server.
    pub(super) fn limits(&self) -> &McpTimeouts {
        &self.limits
    }

    /// Log of the server, which also redacts secrets.
    pub(super) fn log(&self) -> &ServerLog {
        &self.log
    }

    /// The requests in flight.
    pub(super) fn in_flight(&self) -> &Arc<InFlightRequests> {
        &self.in_flight
    }

    /// Sends a request that may take long and may ask questions.
    pub(super) async fn start(
        self: &Arc<Self>,
        mut request: ClientRequest,
        options: &CallOptions,
        limits: McpTimeouts,
    ) -> Result<InFlightCall, ServerError> {
        let permit = self.acquire_permit(limits.call).await?;
        let guard = self.in_flight.register(options.caller.clone(), options.capabilities.clone());
        request.extensions_mut().insert(guard.key());
        let (exchange, events) = match (self.direct_route(&request), request) {
            (Some((direct, tool)), ClientRequest::CallToolRequest(request)) => {
                let call = direct.call(request, self.meta(options), tool);
                guard.identify(call.identifiers());
                (CallExchange::Direct(call.post()), None)
            }
            (_, request) => {
                let events = guard.open_events();
                // Boxed: the future of the service is large, and most calls do not need it.
                let handle = Box::pin(self.send(request, self.meta(options))).await?;
                (CallExchange::Service(handle), Some(events))
            }
        };
        Ok(InFlightCall::new(Arc::clone(self), exchange, guard, events, permit, (limits.call, limits.total)))
    }

    /// Sends a request through the service.
    pub(super) async fn send(
        &self,
        request: ClientRequest,
        meta: RequestMetaObject,
    ) -> Result<RequestHandle<RoleClient>, ServerError> {
        let sending = PeerRequestOptions::no_options().with_meta(meta);
        self.peer.send_request_with_option(request, sending).await.map_err(|error| self.failure(error))
    }

    /// The way to call a tool without the service, with the header that names the tool.
    fn direct_route(&self, request: &ClientRequest) -> Option<(&Arc<DirectCalls>, HeaderValue)> {
        let direct = self.direct.as_ref()?;
        match request {
            ClientRequest::CallToolRequest(call) => Some((direct, self.plain_tools.header(&call.params.name)?)),
            _ => None,
        }
    }

    /// Sends a short request without questions and waits for the response.
    pub(super) async fn send_short_request<P: RequestParamsMeta, T, A: Future<Output = Result<T, ServiceError>>>(
        &self,
        method: &'static str,
        mut params: P,
        ask: impl FnOnce(P) -> A,
    ) -> Result<T, ServerError> {
        let mut span = self.spans.begin(method, None, current_span());
        if let Some(context) = span.context() {
            params.set_traceparent(&context.to_string());
        }
        let limit = self.limits.call;
        let answer = match tokio::time::timeout(limit, ask(params)).await {
            Ok(answer) => answer.map_err(|error| self.failure(error)),
            Err(_) => Err(ServerError::TimedOut { server: self.server.clone(), limit }),
        };
        if let Err(error) = &answer {
            record_failure(&mut span, error);
        }
        answer
    }

    /// Span factory for requests to the server.
    pub(super) fn spans(&self) -> &RequestSpans {
        &self.spans
    }

    /// Sets the log level of a server of the older protocol; setting the same level again is free.
    pub(super) async fn set_level(&self, level: LoggingLevel) {
        let has_logging = self.info.capabilities.logging.is_some();
        if self.is_modern || !has_logging || self.level.lock().replace(level) == Some(level) {
            return;
        }
        // A rejection is ignored; the call does not depend on it.
        let params = SetLevelRequestParams::new(level);
        let _ = self.send_short_request("logging/setLevel", params, |params| self.peer.set_level(params)).await;
    }

    fn meta(&self, options: &CallOptions) -> RequestMetaObject {
        let mut meta = RequestMetaObject::new();
        if self.is_modern {
            meta.set_client_capabilities(options.capabilities.clone());
            if let Some(level) = options.log_level {
                meta.set_log_level(level);
            }
        }
        if let Some(trace) = &options.trace {
            meta.set_traceparent(trace.clone());
        }
        if options.depth > 0 {
            meta.insert(DEPTH_META.to_owned(), options.depth.into());
        }
        if let Some(task) = options.task.as_ref().filter(|_| self.is_internal) {
            meta.insert(TASK_META.to_owned(), task.as_str().into());
        }
        if let Some((task, call)) = options.remote_call.as_ref().filter(|_| !self.is_internal) {
            meta.insert(TASK_META.to_owned(), task.as_str().into());
            meta.insert(CALL_META.to_owned(), call.as_str().into());
        }
        meta
    }

    async fn acquire_permit(&self, max_wait: Duration) -> Result<CallPermit, ServerError> {
        let slot = Arc::clone(&self.call_slots).try_acquire_owned().map_err(|_| self.busy())?;
        // Without waiting, no timer is needed.
        if !self.in_flight.closed().is_cancelled()
            && let Ok(shared) = Arc::clone(&self.turns).try_read_owned()
            && !self.in_flight.is_serial()
        {
            return Ok(CallPermit { _lock: CallLock::Shared { _lock: shared }, _room: slot });
        }
        Box::pin(self.wait_for_turn(slot, max_wait)).await
    }

    async fn wait_for_turn(&self, slot: OwnedSemaphorePermit, max_wait: Duration) -> Result<CallPermit, ServerError> {
        let lock = async {
            if !self.in_flight.is_serial() {
                let shared = Arc::clone(&self.turns).read_owned().await;
                // The connection may have become serial during the wait.
                if !self.in_flight.is_serial() {
                    return CallLock::Shared { _lock: shared };
                }
            }
            CallLock::Exclusive { _lock: Arc::clone(&self.turns).write_owned().await }
        };
        let urging = async {
            loop {
                tokio::time::sleep(QUEUE_SIGNAL_INTERVAL).await;
                self.queued_call_signal.notify_waiters();
            }
        };
        tokio::select! {
            lock = tokio::time::timeout(max_wait, lock) => {
                lock.map(|lock| CallPermit { _lock: lock, _room: slot }).map_err(|_| self.busy())
            }
            () = self.in_flight.closed().cancelled() => Err(self.broken()),
            never = urging => never,
        }
    }

    /// Waits until a queued call signals that it has waited for some time.
    pub(super) async fn wait_for_queued_call(&self) {
        self.queued_call_signal.notified().await;
    }

    fn busy(&self) -> ServerError {
        ServerError::NotReady {
            server: self.server.clone(),
            reason: "it handles one call at a time, and earlier calls are still running; try again later".to_owned(),
        }
    }

    /// Converts the error of a failed request.
    pub(super) fn failure(&self, error: ServiceError) -> ServerError {
        if needs_login(&error).is_some() {
            // The reconnect determines the message for the user.
            self.in_flight.closed().cancel();
            let reason = "it requires a login".to_owned();
            return ServerError::NotReady { server: self.server.clone(), reason };
        }
        match error {
            ServiceError::McpError(mut error) => {
                error.message = self.log.redact(&error.message).into_owned().into();
                ServerError::Rejected { server: self.server.clone(), error: Box::new(error) }
            }
            ServiceError::Timeout { timeout } => ServerError::TimedOut { server: self.server.clone(), limit: timeout },
            ServiceError::TransportClosed => self.broken(),
            other => {
                let reason = self.log.redact(&other.to_string()).into_owned();
                ServerError::Broken { server: self.server.clone(), reason }
            }
        }
    }

    /// Error for a closed connection, with the cause if known.
    pub(super) fn broken(&self) -> ServerError {
        let reason = self.fault().unwrap_or_else(|| "the server closed it".to_owned());
        ServerError::Broken { server: self.server.clone(), reason }
    }

    /// The reason for which the transport ended the connection, if any.
    pub(super) fn fault(&self) -> Option<String> {
        let mut fault = self.fault.lock();
        if fault.is_none() {
            *fault = self.log.take_fault();
        }
        fault.clone()
    }
}

//! Session calls answered without the transport.
//!
//! The transport sends each call of a session to the session's task and returns its answer through a stream. A call
//! that completes quickly needs neither: the session's handler is called directly. The call is passed to the transport
//! when it takes longer or must ask its client.

use super::{
    McpReply,
    caller::SESSION_HEADER,
    direct::{
        IMMEDIATE_ANSWER_TIMEOUT, ToolCallMessage, accepts_both, call_handler, has_param_headers, reply, single_header,
    },
    sessions::{McpSessionManager, SessionUseGuard},
    streaming::{AbandonPolicy, CallAnswer, CallWork, StartedCall, StreamSwitch},
};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Empty};
use parking_lot::Mutex;
use rmcp::{
    Peer, RoleServer, ServerHandler,
    model::{CallToolRequestParams, ProtocolVersion, RequestId},
    service::RequestContext,
};
use serde::Deserialize;
use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Direct routes to the session handlers of one endpoint, bypassing the transport.
pub(super) struct SessionRoutes<H>(Mutex<HashMap<Arc<str>, Arc<SessionHandlerRoute<H>>>>);

/// Direct route to the handler of one session.
struct SessionHandlerRoute<H> {
    session: Arc<str>,
    handler: Arc<H>,
    peer: Peer<RoleServer>,
    /// Cancelled when the session ends. A shutdown of this Baton does not cancel it: agents resume their calls after a
    /// restart.
    ended: CancellationToken,
    /// Time of the last call through the transport, which closes sessions without activity.
    last_transport_call: Mutex<Instant>,
    calls: Mutex<HashMap<RequestId, CancellationToken>>,
}

impl<H> SessionRoutes<H> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::default()))
    }

    /// Records a call that the transport passed to the handler of a session.
    pub(super) fn record_call(&self, session: &Arc<str>, handler: &Arc<H>, peer: &Peer<RoleServer>) {
        let mut lines = self.0.lock();
        if let Some(line) = lines.get(session).filter(|line| Arc::ptr_eq(&line.handler, handler)) {
            *line.last_transport_call.lock() = Instant::now();
            return;
        }
        let line = SessionHandlerRoute {
            session: Arc::clone(session),
            handler: Arc::clone(handler),
            peer: peer.clone(),
            ended: CancellationToken::new(),
            last_transport_call: Mutex::new(Instant::now()),
            calls: Mutex::default(),
        };
        if let Some(before) = lines.insert(Arc::clone(session), Arc::new(line)) {
            before.ended.cancel();
        }
    }

    /// Ends the route of the previous handler when a session is restored with a new one.
    pub(super) fn replace_handler(&self, session: &str, handler: &Arc<H>) {
        self.end(session, |line| !Arc::ptr_eq(&line.handler, handler));
    }

    /// Ends the route and its calls when the session of a handler ends.
    pub(super) fn close(&self, session: &str, handler: &Arc<H>) {
        self.end(session, |line| Arc::ptr_eq(&line.handler, handler));
    }

    fn end(&self, session: &str, is_over: impl FnOnce(&SessionHandlerRoute<H>) -> bool) {
        let mut lines = self.0.lock();
        if lines.get(session).is_some_and(|line| is_over(line))
            && let Some(line) = lines.remove(session)
        {
            line.ended.cancel();
        }
    }

    fn route(&self, session: &str) -> Option<Arc<SessionHandlerRoute<H>>> {
        self.0.lock().get(session).cloned()
    }
}

/// A call that may be answered directly.
pub(super) struct SessionCall<H> {
    registration: CallRegistration<H>,
    params: CallToolRequestParams,
    ct: CancellationToken,
}

/// Registration of a call in its session, until it ends.
struct CallRegistration<H> {
    route: Arc<SessionHandlerRoute<H>>,
    id: RequestId,
}

impl<H> Drop for CallRegistration<H> {
    fn drop(&mut self) {
        self.route.calls.lock().remove(&self.id);
    }
}

/// Outcome of a call.
pub(super) enum SessionCallOutcome {
    Replied(McpReply),
    /// Still running: the transport answers this request with it, and the session stays in use until then.
    Running(Request<Bytes>, SessionUseGuard),
}

impl<H: ServerHandler> SessionRoutes<H> {
    /// The call of a request in the caller's session; `None` if the request needs the transport.
    pub(super) fn call(&self, session: &str, idle: Duration, request: &Request<Bytes>) -> Option<SessionCall<H>> {
        let headers = request.headers();
        let is_plain = request.method() == Method::POST
            && has_sessions(single_header(headers, "mcp-protocol-version")?)
            && single_header(headers, SESSION_HEADER)? == session
            && !headers.contains_key("mcp-method")
            && !headers.contains_key("mcp-name")
            && single_header(headers, header::CONTENT_TYPE.as_str())?.starts_with("application/json")
            && accepts_both(single_header(headers, header::ACCEPT.as_str())?);
        if !is_plain {
            return None;
        }
        let line = self.route(session)?;
        // The transport must regularly see activity of the session.
        if line.last_transport_call.lock().elapsed() > idle / 4 {
            return None;
        }
        let ToolCallMessage { id, params, .. } = ToolCallMessage::read(request.body())?;
        let tool = line.handler.get_tool(&params.name)?;
        let says_version = params.meta.as_ref().is_some_and(|meta| meta.protocol_version().is_some());
        if says_version || has_param_headers(&tool.input_schema, 0) {
            return None;
        }
        let ct = line.ended.child_token();
        match line.calls.lock().entry(id.clone()) {
            Entry::Vacant(free) => free.insert(ct.clone()),
            Entry::Occupied(_) => return None,
        };
        Some(SessionCall { registration: CallRegistration { route: line, id }, params, ct })
    }

    /// Cancels the call named by a cancellation notification.
    pub(super) fn cancel_call(&self, session: &str, message: &[u8]) {
        let Some(line) = self.route(session) else { return };
        if line.calls.lock().is_empty() {
            return;
        }
        if let Some(id) = cancelled_request_id(message)
            && let Some(ct) = line.calls.lock().get(&id)
        {
            ct.cancel();
        }
    }
}

impl<H: ServerHandler> SessionCall<H> {
    /// Answers the call, or passes it on while it runs.
    pub(super) async fn answer(self, parts: Parts, body: Bytes, sessions: &McpSessionManager) -> SessionCallOutcome {
        let Self { registration, params, ct } = self;
        let id = registration.id.clone();
        let again = copy_request(&parts, body);
        let switch = StreamSwitch::default();
        let mut context = RequestContext::new(id.clone(), registration.route.peer.clone());
        context.ct = ct.clone();
        context.extensions.insert(parts);
        context.extensions.insert(switch.clone());
        let in_use = sessions.begin_call(&registration.route.session);
        let ended = registration.route.ended.clone();
        let work = async move { call_handler(&*registration.route.handler, params, context).await };
        // A broken connection does not cancel the call.
        let mut work = CallWork::new(work, ct.clone(), AbandonPolicy::Continue(switch.clone()));
        let answered: CallAnswer = tokio::select! {
            biased;
            answered = &mut work => answered,
            () = switch.stream_wanted() => {
                return SessionCallOutcome::Running(with_running_call(again, work, switch), in_use);
            }
            () = sleep(IMMEDIATE_ANSWER_TIMEOUT) => {
                return SessionCallOutcome::Running(with_running_call(again, work, switch), in_use);
            }
        };
        let is_unwanted = ct.is_cancelled() && !ended.is_cancelled();
        SessionCallOutcome::Replied(if is_unwanted { empty_reply() } else { reply(id, answered, |_| StatusCode::OK) })
    }
}

/// Copy of the request for the transport, which opens a stream for the answer.
fn copy_request(parts: &Parts, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    request.method_mut().clone_from(&parts.method);
    request.uri_mut().clone_from(&parts.uri);
    *request.version_mut() = parts.version;
    request.headers_mut().clone_from(&parts.headers);
    request
}

/// The request with the running call that will answer it.
fn with_running_call(mut request: Request<Bytes>, work: CallWork, switch: StreamSwitch) -> Request<Bytes> {
    request.extensions_mut().insert(StartedCall::new(work, switch));
    request
}

/// Protocol versions with sessions.
fn has_sessions(version: &str) -> bool {
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str);
    known.take_while(|known| *known < ProtocolVersion::V_2026_07_28.as_str()).any(|known| known == version)
}

/// Id of the call that a message cancels.
fn cancelled_request_id(message: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct CancelNotification<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
        params: Option<CancelNotificationParams>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CancelNotificationParams {
        request_id: RequestId,
    }
    let message: CancelNotification<'_> = serde_json::from_slice(message).ok()?;
    message.params.filter(|_| message.method == "notifications/cancelled").map(|cancelled| cancelled.request_id)
}

/// Empty reply to a cancelled call.
fn empty_reply() -> McpReply {
    let mut reply = Response::new(Empty::new().boxed_unsync());
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    reply
}

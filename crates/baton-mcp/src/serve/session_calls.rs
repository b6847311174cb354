//! Calls of sessions that are answered where they arrive.
//!
//! The transport gives each call of a session to the session's own task, and its answer back through a stream. A call
//! that is answered within moments needs neither. It is asked of the session's handler at once, and becomes one of the
//! transport's when it takes longer or has to ask its client something.

use super::{
    McpReply,
    caller::SESSION_HEADER,
    direct::{AT_ONCE, Call, accepts_both, asked, has_param_headers, reply, sole},
    sessions::{InUse, Sessions},
    streaming::{Answered, Begun, Left, Turn, Working},
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

/// Ways to the handlers of one endpoint's sessions, past the transport.
pub(super) struct Lines<H>(Mutex<HashMap<Arc<str>, Arc<Line<H>>>>);

/// The way to the handler of one session.
struct Line<H> {
    session: Arc<str>,
    handler: Arc<H>,
    peer: Peer<RoleServer>,
    /// The session is over. When this Baton stops, that is nothing that calls are told: agents go on with theirs after a
    /// restart.
    ended: CancellationToken,
    /// When the transport had a call last: it ends sessions from which it hears nothing.
    heard: Mutex<Instant>,
    calls: Mutex<HashMap<RequestId, CancellationToken>>,
}

impl<H> Lines<H> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::default()))
    }

    /// The transport has given a call to the handler of a session.
    pub(super) fn hear(&self, session: &Arc<str>, handler: &Arc<H>, peer: &Peer<RoleServer>) {
        let mut lines = self.0.lock();
        if let Some(line) = lines.get(session).filter(|line| Arc::ptr_eq(&line.handler, handler)) {
            *line.heard.lock() = Instant::now();
            return;
        }
        let line = Line {
            session: Arc::clone(session),
            handler: Arc::clone(handler),
            peer: peer.clone(),
            ended: CancellationToken::new(),
            heard: Mutex::new(Instant::now()),
            calls: Mutex::default(),
        };
        if let Some(before) = lines.insert(Arc::clone(session), Arc::new(line)) {
            before.ended.cancel();
        }
    }

    /// A session is restored with this handler; the one that it had before may not know yet that it is over.
    pub(super) fn restored(&self, session: &str, handler: &Arc<H>) {
        self.end(session, |line| !Arc::ptr_eq(&line.handler, handler));
    }

    /// The session of a handler is over, and with it its calls.
    pub(super) fn close(&self, session: &str, handler: &Arc<H>) {
        self.end(session, |line| Arc::ptr_eq(&line.handler, handler));
    }

    fn end(&self, session: &str, is_over: impl FnOnce(&Line<H>) -> bool) {
        let mut lines = self.0.lock();
        if lines.get(session).is_some_and(|line| is_over(line))
            && let Some(line) = lines.remove(session)
        {
            line.ended.cancel();
        }
    }

    fn line(&self, session: &str) -> Option<Arc<Line<H>>> {
        self.0.lock().get(session).cloned()
    }
}

/// A call that may be answered at once.
pub(super) struct SessionCall<H> {
    noted: Noted<H>,
    params: CallToolRequestParams,
    ct: CancellationToken,
}

/// A call among those of its session, until it ends.
struct Noted<H> {
    line: Arc<Line<H>>,
    id: RequestId,
}

impl<H> Drop for Noted<H> {
    fn drop(&mut self) {
        self.line.calls.lock().remove(&self.id);
    }
}

/// What became of a call.
pub(super) enum Outcome {
    Replied(McpReply),
    /// It goes on; the transport is to answer this request with it, and the session is in use until it does.
    GoesOn(Request<Bytes>, InUse),
}

impl<H: ServerHandler> Lines<H> {
    /// The call of a request, if it has nothing unusual about it, in a session that is the caller's.
    pub(super) fn call(&self, session: &str, idle: Duration, request: &Request<Bytes>) -> Option<SessionCall<H>> {
        let headers = request.headers();
        let is_plain = request.method() == Method::POST
            && is_of_sessions(sole(headers, "mcp-protocol-version")?)
            && sole(headers, SESSION_HEADER)? == session
            && !headers.contains_key("mcp-method")
            && !headers.contains_key("mcp-name")
            && sole(headers, header::CONTENT_TYPE.as_str())?.starts_with("application/json")
            && accepts_both(sole(headers, header::ACCEPT.as_str())?);
        if !is_plain {
            return None;
        }
        let line = self.line(session)?;
        // Now and then the transport has to hear that the session is in use.
        if line.heard.lock().elapsed() > idle / 4 {
            return None;
        }
        let Call { id, params, .. } = Call::read(request.body())?;
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
        Some(SessionCall { noted: Noted { line, id }, params, ct })
    }

    /// Cancels what a message of the session says is no longer wanted.
    pub(super) fn heed(&self, session: &str, message: &[u8]) {
        let Some(line) = self.line(session) else { return };
        if line.calls.lock().is_empty() {
            return;
        }
        if let Some(id) = unwanted(message)
            && let Some(ct) = line.calls.lock().get(&id)
        {
            ct.cancel();
        }
    }
}

impl<H: ServerHandler> SessionCall<H> {
    /// Answers it, or lets it go on.
    pub(super) async fn answer(self, parts: Parts, body: Bytes, sessions: &Sessions) -> Outcome {
        let Self { noted, params, ct } = self;
        let id = noted.id.clone();
        let again = again(&parts, body);
        let turn = Turn::default();
        let mut context = RequestContext::new(id.clone(), noted.line.peer.clone());
        context.ct = ct.clone();
        context.extensions.insert(parts);
        context.extensions.insert(turn.clone());
        let in_use = sessions.calls(&noted.line.session);
        let ended = noted.line.ended.clone();
        let work = async move { asked(&*noted.line.handler, params, context).await };
        // A connection that breaks says nothing about whether the call is wanted.
        let mut work = Working::new(work, ct.clone(), Left::Alone(turn.clone()));
        let answered: Answered = tokio::select! {
            biased;
            answered = &mut work => answered,
            () = turn.wanted() => return Outcome::GoesOn(with(again, work, turn), in_use),
            () = sleep(AT_ONCE) => return Outcome::GoesOn(with(again, work, turn), in_use),
        };
        let is_unwanted = ct.is_cancelled() && !ended.is_cancelled();
        Outcome::Replied(if is_unwanted { nothing() } else { reply(id, answered, |_| StatusCode::OK) })
    }
}

/// The request as the transport needs it to have a stream for its answer.
fn again(parts: &Parts, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    request.method_mut().clone_from(&parts.method);
    request.uri_mut().clone_from(&parts.uri);
    *request.version_mut() = parts.version;
    request.headers_mut().clone_from(&parts.headers);
    request
}

/// The request with the call that is to answer it.
fn with(mut request: Request<Bytes>, work: Working, turn: Turn) -> Request<Bytes> {
    request.extensions_mut().insert(Begun::new(work, turn));
    request
}

/// Versions in which calls belong to sessions.
fn is_of_sessions(version: &str) -> bool {
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str);
    known.take_while(|known| *known < ProtocolVersion::V_2026_07_28.as_str()).any(|known| known == version)
}

/// The call that a message says is no longer wanted.
fn unwanted(message: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
        params: Option<Cancelled>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled {
        request_id: RequestId,
    }
    let message: Message<'_> = serde_json::from_slice(message).ok()?;
    message.params.filter(|_| message.method == "notifications/cancelled").map(|cancelled| cancelled.request_id)
}

/// What is said to whoever did not want an answer.
fn nothing() -> McpReply {
    let mut reply = Response::new(Empty::new().boxed_unsync());
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    reply
}

//! One endpoint: a handler behind streamable HTTP, for all protocol versions.

use super::{
    EndpointContext, McpSessionManager,
    caller::SESSION_HEADER,
    direct::DirectDispatcher,
    late_reply::reply_or_stream,
    methods::{explain_reply, session_method_error},
    session_calls::{SessionCallOutcome, SessionRoutes},
    session_handler::SessionHandler,
    sessions::{SessionHolder, SessionOwner, SessionOwnership},
};
use crate::error_codes;
use baton_types::Principal;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
};
use serde::Deserialize;
use std::{borrow::Cow, convert::Infallible, sync::Arc, time::Duration};

/// HTTP reply of an endpoint.
pub type McpReply = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// One endpoint. The handler is created for each request of the newest protocol and for each session of the older ones,
/// so creating it should be cheap.
///
/// Hosts and origins are not checked here: the surface in front checks them for every route against its configured
/// hosts.
pub struct McpService<H> {
    inner: Arc<StreamableHttpService<SessionHandler<H>, McpSessionManager>>,
    direct: Arc<DirectDispatcher<H>>,
    routes: Arc<SessionRoutes<H>>,
    endpoint: Arc<str>,
    sessions: Arc<McpSessionManager>,
    keep_alive: Duration,
}

impl<H> Clone for McpService<H> {
    fn clone(&self) -> Self {
        let Self { inner, direct, routes: lines, endpoint, sessions, keep_alive } = self;
        Self {
            inner: Arc::clone(inner),
            direct: Arc::clone(direct),
            routes: Arc::clone(lines),
            endpoint: Arc::clone(endpoint),
            sessions: Arc::clone(sessions),
            keep_alive: *keep_alive,
        }
    }
}

/// Maximum size of `initialize` in bytes: its client data is stored as long as the session.
const MAX_INITIALIZE_BYTES: usize = 64 * 1024;

/// Session id that never exists.
const UNKNOWN_SESSION_ID: HeaderValue = HeaderValue::from_static("unknown");

impl<H: ServerHandler> McpService<H> {
    /// An endpoint; sessions and states are bound to its name, such as `agents/weather`.
    pub fn new(endpoint: &str, common: &EndpointContext, handler: impl Fn() -> H + Send + Sync + 'static) -> Self {
        let sessions = Arc::clone(&common.sessions);
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_sse_keep_alive(Some(common.limits.keep_alive))
            .with_max_request_body_bytes(common.limits.max_body)
            .with_cancellation_token(common.shutdown.child_token());
        config.session_store = sessions.store();
        let handler: Arc<dyn Fn() -> H + Send + Sync> = Arc::new(handler);
        let direct = DirectDispatcher::new(Arc::clone(&handler), common.shutdown.clone());
        let routes = SessionRoutes::new();
        let with_line = Arc::clone(&routes);
        let factory = move || Ok(SessionHandler::new(handler(), Arc::clone(&with_line)));
        let inner = StreamableHttpService::new(factory, Arc::clone(&sessions), config);
        Self {
            inner: Arc::new(inner),
            direct: Arc::new(direct),
            routes,
            endpoint: endpoint.into(),
            sessions,
            keep_alive: common.limits.keep_alive,
        }
    }

    /// Name that sessions and states are bound to.
    pub fn endpoint(&self) -> &Arc<str> {
        &self.endpoint
    }

    /// Answers a request of a principal that is authenticated and may use this endpoint. The size of the body was
    /// already checked.
    pub async fn answer(&self, principal: &Arc<Principal>, mut request: Request<Bytes>) -> McpReply {
        request.extensions_mut().insert(Arc::clone(principal));
        if let Some(call) = self.direct.call(&request) {
            let (parts, _) = request.into_parts();
            return self.direct.answer(call, parts, self.keep_alive).await;
        }
        let owner = SessionOwner::new(&self.endpoint, principal);
        let holder = request.extensions_mut().remove::<SessionHolder>().unwrap_or_else(|| owner.holder());
        let named = request.headers().get(SESSION_HEADER).map(|id| id.to_str().unwrap_or_default().to_owned());
        let ownership = match &named {
            Some(id) => self.sessions.ownership(id, &owner).await,
            None => SessionOwnership::Live,
        };
        let mut in_use = None;
        if let (Some(id), SessionOwnership::Live) = (&named, ownership) {
            if let Some(call) = self.routes.call(id, self.sessions.idle(), &request) {
                let (parts, body) = request.into_parts();
                match call.answer(parts, body, &self.sessions).await {
                    SessionCallOutcome::Replied(reply) => return reply,
                    SessionCallOutcome::Running(again, until_answered) => {
                        request = again;
                        in_use = Some(until_answered);
                    }
                }
            } else if let Some(refused) = session_method_error(request.body(), || self.direct.capabilities()) {
                return json_reply(StatusCode::OK, &refused);
            } else {
                self.routes.cancel_call(id, request.body());
            }
        }
        let service = self.clone();
        // Boxed: the future of the transport path is large, and most calls do not take it.
        let transported = Box::pin(async move {
            let _in_use = in_use;
            service.handle_in_transport(request, (owner, holder), named, ownership).await
        });
        reply_or_stream(self.keep_alive, transported).await
    }

    async fn handle_in_transport(
        &self,
        mut request: Request<Bytes>,
        (owner, holder): (SessionOwner, SessionHolder),
        named: Option<String>,
        ownership: SessionOwnership,
    ) -> McpReply {
        let own = ownership != SessionOwnership::Foreign;
        if !own {
            // A session of another caller is handled exactly like an unknown one, whatever else is wrong with the
            // request.
            request.headers_mut().insert(SESSION_HEADER, UNKNOWN_SESSION_ID);
        }
        let method = request.method().clone();
        let says_json = is_json(&request);
        let mut opens = ownership == SessionOwnership::Stored;
        if named.is_none() && method == Method::POST {
            let introduces = is_initialize(request.body());
            if request.body().len() > MAX_INITIALIZE_BYTES && introduces {
                return too_long();
            }
            if opens_session(&request) && self.sessions.is_full() {
                return busy();
            }
            opens = introduces && opens_session(&request);
        }
        // Held until the session has an owner, so that two requests cannot use the same reservation.
        let _admission = match opens {
            true => match self.sessions.admit(&holder).await {
                Some(admission) => Some(admission),
                None => return share_full(),
            },
            false => None,
        };
        let _turn = match &named {
            Some(id) if ownership == SessionOwnership::Stored => Some(self.sessions.lock_restore(id).await),
            _ => None,
        };
        let reply = self.inner.handle(request.map(Full::new)).await.map(BodyExt::boxed_unsync);
        match (&named, reply.headers().get(SESSION_HEADER).and_then(|id| id.to_str().ok())) {
            (_, Some(opened)) => self.sessions.bind(opened, owner, holder).await,
            (Some(id), None) if own => self.sessions.claim(id, owner, holder),
            _ => {}
        }
        if says_json && reply.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return unreadable();
        }
        if method == Method::DELETE && reply.status() == StatusCode::ACCEPTED {
            // The official Python client reports 202 Accepted as a failure.
            return if own { plain(StatusCode::NO_CONTENT, "") } else { no_session() };
        }
        explain_reply(reply, || self.direct.capabilities()).await
    }
}

fn is_initialize(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct MethodEnvelope<'a> {
        #[serde(borrow)]
        method: Option<Cow<'a, str>>,
    }
    let method = serde_json::from_slice::<MethodEnvelope<'_>>(body).ok().and_then(|envelope| envelope.method);
    method.as_deref() == Some("initialize")
}

/// Requests of the newest protocol declare their version in a header.
fn opens_session<B>(request: &Request<B>) -> bool {
    let version = request.headers().get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version.is_none_or(|version| version < "2026-07-28")
}

fn is_json<B>(request: &Request<B>) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// The transport reports an unreadable body as an unsupported media type.
fn unreadable() -> McpReply {
    let message =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the body is not one JSON-RPC message"}}"#;
    let mut reply = plain(StatusCode::BAD_REQUEST, message);
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

fn busy() -> McpReply {
    let mut reply = plain(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable: too many sessions are in use");
    reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    reply
}

/// The holder has reached its limit, and all its sessions have calls in flight.
pub(super) fn share_full() -> McpReply {
    let code = error_codes::SHARE_FULL;
    let message = format!("you have reached the session limit of one principal. {} ({})", code.hint, code.code);
    let error = serde_json::json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": message}});
    let mut reply = json_reply(StatusCode::TOO_MANY_REQUESTS, &error);
    reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    reply
}

fn json_reply(status: StatusCode, message: &serde_json::Value) -> McpReply {
    let mut reply = Response::new(Full::new(Bytes::from(message.to_string())).boxed_unsync());
    *reply.status_mut() = status;
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

fn too_long() -> McpReply {
    plain(StatusCode::PAYLOAD_TOO_LARGE, "Payload Too Large: an initialize request is limited to 64 KB")
}

fn no_session() -> McpReply {
    plain(StatusCode::NOT_FOUND, "Not Found: Session not found")
}

fn plain(status: StatusCode, text: &'static str) -> McpReply {
    let mut reply = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed_unsync());
    *reply.status_mut() = status;
    reply
}

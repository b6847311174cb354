//! MCP clients of every era at an endpoint in memory, and what they hear beside the answers.

use baton_mcp::{McpReply, McpService, PublicBaseUrl};
use baton_types::Principal;
use bytes::Bytes;
use futures_util::{StreamExt as _, future::BoxFuture, stream::BoxStream};
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use rmcp::{
    ClientHandler, RoleClient, ServerHandler,
    model::{ClientConfig, ClientJsonRpcMessage, ProgressNotificationParam, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RunningService},
    transport::{
        StreamableHttpClientTransport,
        streamable_http_client::{
            StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use sse_stream::{Error as SseError, Sse, SseStream};
use std::{collections::HashMap, convert::Infallible, sync::Arc};
use tokio::sync::mpsc;

/// The protocol that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
}

impl Era {
    pub(crate) const ALL: [Self; 2] = [Self::Modern, Self::Legacy];
}

/// A client that is connected, and what it was told.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, Listener>,
    pub(crate) told: mpsc::Receiver<Told>,
}

/// What a server says without being asked.
#[derive(Debug, PartialEq)]
pub(crate) enum Told {
    Progress(f64, Option<String>),
    ToolsChanged,
}

pub(crate) struct Listener(mpsc::Sender<Told>);

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(Told::Progress(progress.progress, progress.message)).await;
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(Told::ToolsChanged).await;
    }
}

/// Somebody's client at an endpoint.
pub(crate) async fn connect<H: ServerHandler>(
    endpoint: &Arc<McpService<H>>,
    principal: &Principal,
    era: Era,
    query: &str,
) -> Client {
    let (tell, told) = mpsc::channel(64);
    let service = speak(endpoint, principal, era, query, Listener(tell)).await;
    Client { service, told }
}

/// The same with a handler of its own.
pub(crate) async fn speak<H: ServerHandler, C: ClientHandler>(
    endpoint: &Arc<McpService<H>>,
    principal: &Principal,
    era: Era,
    query: &str,
    handler: C,
) -> RunningService<RoleClient, C> {
    speak_edited(endpoint, principal, era, query, handler, Bytes::clone).await
}

/// The same with an edit of every body that is sent, for what the library would not say.
pub(crate) async fn speak_edited<H: ServerHandler, C: ClientHandler>(
    endpoint: &Arc<McpService<H>>,
    principal: &Principal,
    era: Era,
    query: &str,
    handler: C,
    edit: fn(&Bytes) -> Bytes,
) -> RunningService<RoleClient, C> {
    let (endpoint, principal) = (Arc::clone(endpoint), Arc::new(principal.clone()));
    let line = Line(Arc::new(move |mut request| {
        let (endpoint, principal) = (Arc::clone(&endpoint), Arc::clone(&principal));
        request.extensions_mut().insert(PublicBaseUrl("http://baton.test".to_owned()));
        let request = request.map(|body| edit(&body));
        Box::pin(async move { endpoint.answer(&principal, request).await })
    }));
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://baton.test/mcp{query}"));
    let transport = StreamableHttpClientTransport::with_client(line, config);
    let lifecycle = match era {
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    handler.serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

type Answer = dyn Fn(Request<Bytes>) -> BoxFuture<'static, McpReply> + Send + Sync;
type Failure = StreamableHttpError<Infallible>;

/// HTTP without a network.
#[derive(Clone)]
struct Line(Arc<Answer>);

impl Line {
    async fn send(
        &self,
        method: Method,
        uri: &str,
        session: Option<&str>,
        headers: HashMap<HeaderName, HeaderValue>,
        body: Bytes,
    ) -> McpReply {
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::HOST, "baton.test");
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        let mut request = request.body(body).unwrap();
        request.headers_mut().extend(headers);
        (self.0)(request).await
    }
}

fn events(reply: McpReply) -> BoxStream<'static, Result<Sse, SseError>> {
    SseStream::new(reply.into_body()).boxed()
}

impl StreamableHttpClient for Line {
    type Error = Infallible;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let body = serde_json::to_vec(&message)?.into();
        let reply = self.send(Method::POST, &uri, session.as_deref(), headers, body).await;
        match reply.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if session.is_some() => return Err(Failure::SessionExpired),
            _ => {}
        }
        let (session, kind) = {
            let text = |name: &str| reply.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
            (text("mcp-session-id"), text("content-type").unwrap_or_default())
        };
        if kind.starts_with("text/event-stream") {
            return Ok(StreamableHttpPostResponse::Sse(events(reply), session));
        }
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        Ok(StreamableHttpPostResponse::Json(serde_json::from_slice(&body)?, session))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        self.send(Method::DELETE, &uri, Some(&session), headers, Bytes::new()).await;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let reply = self.send(Method::GET, &uri, session.as_deref(), headers, Bytes::new()).await;
        if reply.status() != StatusCode::OK {
            return Err(Failure::ServerDoesNotSupportSse);
        }
        Ok(events(reply))
    }
}

//! MCP clients of both eras connected to an in-memory endpoint, with the notifications they receive.

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

/// The protocol era of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
}

impl Era {
    pub(crate) const ALL: [Self; 2] = [Self::Modern, Self::Legacy];
}

/// A connected client and its received notifications.
pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, Listener>,
    pub(crate) notifications: mpsc::Receiver<Notification>,
}

/// A notification sent by the server.
#[derive(Debug, PartialEq)]
pub(crate) enum Notification {
    Progress(f64, Option<String>),
    ToolsChanged,
}

pub(crate) struct Listener(mpsc::Sender<Notification>);

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(Notification::Progress(progress.progress, progress.message)).await;
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(Notification::ToolsChanged).await;
    }
}

/// Connects a client of the principal to an endpoint.
pub(crate) async fn connect<H: ServerHandler>(
    endpoint: &Arc<McpService<H>>,
    principal: &Principal,
    era: Era,
    query: &str,
) -> Client {
    let (sender, notifications) = mpsc::channel(64);
    let service = connect_with_handler(endpoint, principal, era, query, Listener(sender)).await;
    Client { service, notifications }
}

/// Connects with a custom client handler.
pub(crate) async fn connect_with_handler<H: ServerHandler, C: ClientHandler>(
    endpoint: &Arc<McpService<H>>,
    principal: &Principal,
    era: Era,
    query: &str,
    handler: C,
) -> RunningService<RoleClient, C> {
    connect_with_body_edit(endpoint, principal, era, query, handler, Bytes::clone).await
}

/// Connects with a custom client handler and an edit of every request body, for messages that the library cannot
/// produce.
pub(crate) async fn connect_with_body_edit<H: ServerHandler, C: ClientHandler>(
    endpoint: &Arc<McpService<H>>,
    principal: &Principal,
    era: Era,
    query: &str,
    handler: C,
    edit: fn(&Bytes) -> Bytes,
) -> RunningService<RoleClient, C> {
    let (endpoint, principal) = (Arc::clone(endpoint), Arc::new(principal.clone()));
    let http = InMemoryHttp(Arc::new(move |mut request| {
        let (endpoint, principal) = (Arc::clone(&endpoint), Arc::clone(&principal));
        request.extensions_mut().insert(PublicBaseUrl("http://baton.test".to_owned()));
        let request = request.map(|body| edit(&body));
        Box::pin(async move { endpoint.answer(&principal, request).await })
    }));
    let config = StreamableHttpClientTransportConfig::with_uri(format!("http://baton.test/mcp{query}"));
    let transport = StreamableHttpClientTransport::with_client(http, config);
    let lifecycle = match era {
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    handler.serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

type Answer = dyn Fn(Request<Bytes>) -> BoxFuture<'static, McpReply> + Send + Sync;
type Failure = StreamableHttpError<Infallible>;

/// HTTP transport without a network.
#[derive(Clone)]
struct InMemoryHttp(Arc<Answer>);

impl InMemoryHttp {
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

impl StreamableHttpClient for InMemoryHttp {
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

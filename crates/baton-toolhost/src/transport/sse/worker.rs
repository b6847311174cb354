//! HTTP+SSE connection: reads the event stream and posts messages.
//!
//! The transport cannot resume: the session ends with its stream. The worker ends with the stream too, and its owner
//! opens a new connection.

use super::endpoint::endpoint;
use crate::transport::http::{
    ContentClass, MAX_MESSAGE, RemoteError, RemoteServer, StreamCutoff, content_class, events,
};
use baton_outbound::Target;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream::BoxStream};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, ServerJsonRpcMessage},
    transport::{
        streamable_http_client::SseError,
        worker::{Worker, WorkerContext, WorkerQuitReason, WorkerSendRequest},
    },
};
use sse_stream::Sse;
use std::time::Duration;
use tokio::{task::JoinSet, time::timeout};

/// Maximum wait for the event that names the message endpoint.
const ENDPOINT_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum messages in flight.
const MAX_POSTS: usize = 16;

type SseEventStream = BoxStream<'static, Result<Sse, SseError>>;
type SseQuitReason = WorkerQuitReason<RemoteError>;

/// Communicates with one server over HTTP+SSE until its stream ends.
pub(super) struct SseWorker {
    remote: RemoteServer,
}

impl SseWorker {
    pub(super) fn new(remote: RemoteServer) -> Self {
        Self { remote }
    }

    async fn listen(&self) -> Result<(SseEventStream, Target), RemoteError> {
        let url = self.remote.url();
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        let response = self.remote.exchange(Method::GET, &url, &headers, &Bytes::new()).await?;
        match (response.status(), content_class(response.headers())) {
            (StatusCode::OK, ContentClass::Events) => {}
            (StatusCode::OK, _) => return Err(RemoteError::NoEndpoint(": it sends no event stream")),
            (status, _) => return Err(RemoteError::Status { status: status.as_u16() }),
        }
        let log = self.remote.log().clone();
        let on_cutoff = move |cut: &StreamCutoff| {
            log.record_fault(cut.to_string());
            None
        };
        let mut events = events(response.into_body(), MAX_MESSAGE, on_cutoff);
        let named = timeout(ENDPOINT_TIMEOUT, async {
            while let Some(Ok(event)) = events.next().await {
                if event.event.as_deref() == Some("endpoint") {
                    return event.data;
                }
            }
            None
        });
        let Ok(named) = named.await else { return Err(RemoteError::NoEndpoint(" in time")) };
        let named = named.ok_or(RemoteError::NoEndpoint(" before its stream ended"))?;
        let messages = endpoint(&Target::parse(&url)?, &named)?;
        Ok((events, messages))
    }
}

async fn post(remote: RemoteServer, url: String, message: ClientJsonRpcMessage) -> Result<(), RemoteError> {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    let body = serde_json::to_vec(&message).map_err(|error| RemoteError::Unwritable(error.to_string()))?;
    let response = remote.exchange(Method::POST, &url, &headers, &Bytes::from(body)).await?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(RemoteError::Status { status: status.as_u16() }),
    }
}

/// Whether the message must be delivered before all later ones.
fn is_handshake(message: &ClientJsonRpcMessage) -> bool {
    match message {
        ClientJsonRpcMessage::Request(request) => matches!(request.request, ClientRequest::InitializeRequest(_)),
        ClientJsonRpcMessage::Notification(notification) => {
            matches!(notification.notification, ClientNotification::InitializedNotification(_))
        }
        _ => false,
    }
}

impl Worker for SseWorker {
    type Error = RemoteError;
    type Role = RoleClient;

    fn err_closed() -> RemoteError {
        RemoteError::Closed
    }

    fn err_join(_: tokio::task::JoinError) -> RemoteError {
        RemoteError::Closed
    }

    async fn run(self, mut context: WorkerContext<Self>) -> Result<(), SseQuitReason> {
        let stopped = context.cancellation_token.clone();
        // The first message waits for the stream: without the stream there is no endpoint, and the sender receives the
        // error.
        let first = tokio::select! {
            () = stopped.cancelled() => return Err(SseQuitReason::Cancelled),
            first = context.recv_from_handler() => first?,
        };
        let listened = tokio::select! {
            () = stopped.cancelled() => return Err(SseQuitReason::Cancelled),
            listened = self.listen() => listened,
        };
        let (mut events, messages) = match listened {
            Ok(listened) => listened,
            Err(error) => {
                let _ = first.responder.send(Err(error));
                return Err(SseQuitReason::TransportClosed);
            }
        };
        let url = messages.uri().to_string();
        let mut posts = JoinSet::new();
        self.send(first, &url, &mut posts).await;
        loop {
            tokio::select! {
                () = stopped.cancelled() => return Err(SseQuitReason::Cancelled),
                Some(_) = posts.join_next() => {}
                message = context.from_handler_rx.recv(), if posts.len() < MAX_POSTS => match message {
                    Some(message) => self.send(message, &url, &mut posts).await,
                    None => return Err(SseQuitReason::HandlerTerminated),
                },
                event = events.next() => {
                    let Some(Ok(event)) = event else { return Err(SseQuitReason::TransportClosed) };
                    if let Some(message) = self.read(&event) {
                        context.send_to_handler(message).await?;
                    }
                }
            }
        }
    }
}

impl SseWorker {
    async fn send(&self, request: WorkerSendRequest<Self>, url: &str, posts: &mut JoinSet<()>) {
        let alone = is_handshake(&request.message);
        let sent = post(self.remote.clone(), url.to_owned(), request.message);
        let responder = request.responder;
        let work = async move {
            let _ = responder.send(sent.await);
        };
        if alone { work.await } else { drop(posts.spawn(work)) }
    }

    fn read(&self, event: &Sse) -> Option<ServerJsonRpcMessage> {
        if !matches!(event.event.as_deref(), None | Some("" | "message")) {
            return None;
        }
        let data = event.data.as_deref()?;
        let message = serde_json::from_str(data);
        if message.is_err() {
            self.remote.log().push_line("an event was skipped: it is not a JSON-RPC message");
        }
        message.ok()
    }
}

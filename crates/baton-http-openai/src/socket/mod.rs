//! `GET /v1/responses` as a WebSocket: sequential requests on one connection.

mod frames;
mod meter;
mod upgrade;

use super::{
    create::PreparedRequest,
    error::{error_reply, from_error},
    prior_context::TurnCommand,
    references,
    request::ResponsesRequest,
    stream::{self, TurnStream},
};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_http::{Caller, body::BodyShare};
use baton_responses::{CreateResponse, OpenAiError, Response, StreamEvent};
use baton_types::Json;
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use meter::{LimitBreach, MeteredIo, SocketMeter};
use serde_json::{Map, Value};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::{io::AsyncReadExt as _, time::Instant};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error as SocketError, Message,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};
use upgrade::Upgrade;

/// Maximum duration of a connection.
const MAX_CONNECTION_DURATION: Duration = Duration::from_secs(60 * 60);

/// Maximum number of evicted response ids that a connection remembers.
const MAX_EVICTED_IDS: usize = 256;

/// Size of the read and write buffers.
const BUFFER_BYTES: usize = 16 * 1024;

/// Maximum time for reading from a closed connection, so that its client receives the reason.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens the connection.
pub(crate) async fn connect(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    let (mut parts, _) = request.into_parts();
    let Some(upgrade) = Upgrade::from_parts(&mut parts) else {
        let message = "create responses with POST; GET opens a WebSocket and needs its upgrade headers";
        return error_reply(&OpenAiError {
            status: 426,
            ..OpenAiError::invalid("upgrade_required", "method", message)
        });
    };
    let caller = match Caller::from_extensions(&parts.extensions) {
        Ok(caller) => caller,
        Err(error) => return error_reply(&from_error(&error)),
    };
    let request = ResponsesRequest::from_connection(shared, caller, &parts);
    let permit = match request.shared.sockets.acquire(&request.caller) {
        Ok(permit) => permit,
        Err(full) => return error_reply(&from_error(&full.error("WebSockets"))),
    };
    let (connection, reply) = upgrade.accept();
    tokio::spawn(async move {
        match connection.await {
            Ok(upgraded) => Box::pin(ResponsesSocket::open(request, upgraded).await.serve()).await,
            Err(error) => tracing::debug!(%error, "a connection did not become a WebSocket"),
        }
        drop(permit);
    });
    reply
}

/// A connection with its local state.
struct ResponsesSocket {
    request: ResponsesRequest,
    socket: WebSocketStream<MeteredIo<TokioIo<Upgraded>>>,
    meter: SocketMeter,
    /// The last response, if it is not stored elsewhere.
    last: Option<UnstoredResponse>,
    /// Responses that could not be continued.
    evicted: VecDeque<String>,
}

struct UnstoredResponse {
    id: String,
    /// Items of the conversation up to the end of the response.
    items: Vec<Json>,
    /// Share of the caller's body memory used by the items.
    _share: BodyShare,
}

/// Marker that the connection has ended.
struct SocketEnd;

impl ResponsesSocket {
    async fn open(request: ResponsesRequest, upgraded: Upgraded) -> Self {
        let meter = SocketMeter::new(request.clone_for_background());
        let metered = MeteredIo::new(TokioIo::new(upgraded), meter.clone(), request.shared.http.options.body_timeout);
        let limit = Some(request.shared.http.bodies.limit());
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER_BYTES)
            .write_buffer_size(BUFFER_BYTES)
            .max_message_size(limit)
            .max_frame_size(limit);
        let socket = WebSocketStream::from_raw_socket(metered, Role::Server, Some(config)).await;
        Self { request, socket, meter, last: None, evicted: VecDeque::new() }
    }

    async fn serve(mut self) {
        let until = Instant::now() + MAX_CONNECTION_DURATION;
        let mut no_longer = self.request.caller.credentials_revoked();
        let shutdown = self.request.shared.http.options.shutdown.clone();
        let code = loop {
            let received = tokio::select! {
                biased;
                () = shutdown.cancelled() => break CloseCode::Away,
                () = &mut no_longer => break CloseCode::Policy,
                () = tokio::time::sleep_until(until) => {
                    let message = "a connection lasts 60 minutes; open another and continue from the last response";
                    let refused = OpenAiError::invalid("websocket_connection_limit_reached", "connection", message);
                    let _ = self.refuse(&refused).await;
                    break CloseCode::Normal;
                }
                received = self.socket.next() => received,
            };
            let handled = match self.message(received).await {
                Ok(Some(message)) => self.take(message).await,
                Ok(None) => Ok(()),
                Err(closed) => Err(closed),
            };
            if handled.is_err() {
                return;
            }
        };
        let frame = CloseFrame { code, reason: "".into() };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, self.socket.close(Some(frame))).await;
    }

    /// Received message; `None` for control frames.
    async fn message(&mut self, received: Option<Result<Message, SocketError>>) -> Result<Option<Bytes>, SocketEnd> {
        match received {
            Some(Ok(Message::Text(text))) => Ok(Some(text.into())),
            Some(Ok(Message::Binary(bytes))) => Ok(Some(bytes)),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(None),
            Some(Ok(Message::Close(_))) => {
                // The library has prepared the close reply with the peer's code and sends it on flush.
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, self.socket.flush()).await;
                Err(SocketEnd)
            }
            None => Err(SocketEnd),
            Some(Err(error)) => {
                self.fail(&error).await;
                Err(SocketEnd)
            }
        }
    }

    /// Reports the error and closes the connection.
    async fn fail(&mut self, error: &SocketError) {
        let (code, refused) = match (self.meter.exceeded(), error) {
            (Some(LimitBreach::TooLarge(error)), _) => (CloseCode::Size, Some(from_error(&error))),
            (Some(LimitBreach::Policy(error)), _) => (CloseCode::Policy, Some(from_error(&error))),
            (None, SocketError::Capacity(_)) => {
                let error = self.request.shared.http.bodies.too_large();
                (CloseCode::Size, Some(from_error(&error)))
            }
            (None, SocketError::Protocol(_)) => (CloseCode::Protocol, None),
            (None, SocketError::Utf8(_)) => (CloseCode::Invalid, None),
            (None, _) => return,
        };
        let closing = async {
            let mut reason = String::new();
            if let Some(refused) = refused {
                self.refuse(&refused).await?;
                reason = refused.code.unwrap_or_default();
            }
            let frame = CloseFrame { code, reason: reason.into() };
            self.socket.send(Message::Close(Some(frame))).await.map_err(|_| SocketEnd)?;
            // Closing with unread bytes could reset the connection before the client receives the last message.
            let mut unread = [0; BUFFER_BYTES];
            let connection = self.socket.get_mut().inner_mut();
            while connection.read(&mut unread).await.is_ok_and(|bytes| bytes > 0) {}
            Ok::<(), SocketEnd>(())
        };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, Box::pin(closing)).await;
    }

    /// Handles one request message and streams its response.
    async fn take(&mut self, message: Bytes) -> Result<(), SocketEnd> {
        let bytes = message.len();
        let shared = Arc::clone(&self.request.shared);
        let begun = shared.http.large_requests.drive(bytes, Box::pin(self.begin(message)).as_mut()).await;
        self.meter.release(bytes);
        match begun {
            Ok((followed, begun)) => self.show(followed, begun).await,
            Err(refused) => self.refuse(&refused).await,
        }
    }

    /// Starts the response that a message requests.
    async fn begin(&mut self, message: Bytes) -> Result<(TurnStream, Vec<StreamEvent>), OpenAiError> {
        baton_http::reply::parse_text(&message).map_err(|error| from_error(&error))?;
        let mut share = self.request.shared.http.bodies.share(&self.request.caller);
        let named = references::resolve_references(&self.request, &message, &mut share).await?;
        let (previous, create) = self.read(named.as_deref().unwrap_or(&message), &mut share)?;
        let begun = match create {
            Ok(create) => begin(&self.request, create).await,
            Err(refused) => Err(refused),
        };
        if begun.is_err() {
            self.evict(previous);
        }
        begun
    }

    /// Request in a frame, and the id of the previous response.
    fn read(
        &self,
        frame: &[u8],
        share: &mut BodyShare,
    ) -> Result<(Option<String>, Result<CreateResponse, OpenAiError>), OpenAiError> {
        let mut body: Map<String, Value> = serde_json::from_slice(frame).map_err(|error| {
            OpenAiError::invalid(
                "invalid_json",
                "frame",
                format!("a frame is a JSON object; this cannot be read: {error}"),
            )
        })?;
        match body.remove("type").as_ref().and_then(Value::as_str) {
            Some("response.create") => {}
            _ => {
                let message = "the type of a frame must be response.create";
                return Err(OpenAiError::invalid("invalid_value", "type", message));
            }
        }
        for name in ["stream", "stream_options", "background"] {
            body.remove(name);
        }
        let previous = body.get("previous_response_id").and_then(Value::as_str).map(str::to_owned);
        if let Some(id) = previous.as_ref().filter(|id| self.evicted.contains(id)) {
            let message =
                format!("Previous response with id '{id}' not found. Send the whole conversation as input instead.");
            return Err(OpenAiError::invalid("previous_response_not_found", "previous_response_id", message));
        }
        let remembered = self.last.as_ref().filter(|last| Some(&last.id) == previous.as_ref());
        if let Some(last) = remembered {
            let total = frame.len().saturating_add(size_of_all(&last.items));
            let bodies = &self.request.shared.http.bodies;
            bodies.check_size(total).and_then(|()| share.grow(total)).map_err(|error| from_error(&error))?;
            body.remove("previous_response_id");
            let input = body.remove("input").unwrap_or(Value::Null);
            body.insert("input".to_owned(), append_input(&last.items, input));
        }
        let text = serde_json::to_vec(&body).unwrap_or_default();
        let mut create = CreateResponse::parse(&text, &mut || self.request.shared.engine.fresh_id());
        if let (Ok(create), true) = (&mut create, remembered.is_some()) {
            create.record.previous.clone_from(&previous);
        }
        Ok((previous, create))
    }

    /// Streams a response; messages that arrive meanwhile are rejected.
    async fn show(&mut self, mut followed: TurnStream, begun: Vec<StreamEvent>) -> Result<(), SocketEnd> {
        self.write(&begun).await?;
        loop {
            let events = tokio::select! {
                biased;
                events = followed.next() => events,
                received = self.socket.next() => {
                    if let Some(message) = self.message(received).await? {
                        self.meter.release(message.len());
                        let message = "a response is in progress on this connection; wait for its end";
                        let refused = OpenAiError::invalid("response_in_progress", "frame", message);
                        self.refuse(&OpenAiError { status: 409, ..refused }).await?;
                    }
                    continue;
                }
            };
            let Some(events) = events else { break };
            self.write(&events).await?;
        }
        if !followed.projector.is_over() {
            let broken = followed.interruption_event();
            self.write(&[broken]).await?;
            return Err(SocketEnd);
        }
        self.last = self.remember(followed.projector.response(), followed.input());
        Ok(())
    }

    async fn write(&mut self, events: &[StreamEvent]) -> Result<(), SocketEnd> {
        for event in events {
            self.socket.send(Message::Text(event.to_frame().into())).await.map_err(|_| SocketEnd)?;
        }
        Ok(())
    }

    async fn refuse(&mut self, refused: &OpenAiError) -> Result<(), SocketEnd> {
        let frame = serde_json::json!({ "type": "error", "status": refused.status, "error": refused.error() });
        self.socket.send(Message::Text(frame.to_string().into())).await.map_err(|_| SocketEnd)
    }

    /// Keeps a response that is not stored elsewhere, if there is room; otherwise the client gets a not-found error and
    /// sends the conversation again.
    fn remember(&self, response: &Response, input: &[Json]) -> Option<UnstoredResponse> {
        if response.store {
            return None;
        }
        let output = response.output.iter().filter_map(|item| Json::from_serializable(item).ok());
        let items: Vec<Json> = input.iter().cloned().chain(output).collect();
        let bodies = &self.request.shared.http.bodies;
        let mut share = bodies.share(&self.request.caller);
        let bytes = size_of_all(&items);
        bodies.check_size(bytes).and_then(|()| share.grow(bytes)).ok()?;
        Some(UnstoredResponse { id: response.id.clone(), items, _share: share })
    }

    fn evict(&mut self, previous: Option<String>) {
        let Some(previous) = previous else { return };
        self.last.take_if(|last| last.id == previous);
        if self.evicted.len() >= MAX_EVICTED_IDS {
            self.evicted.pop_front();
        }
        self.evicted.push_back(previous);
    }
}

async fn begin(
    request: &ResponsesRequest,
    create: CreateResponse,
) -> Result<(TurnStream, Vec<StreamEvent>), OpenAiError> {
    let store = create.store;
    let PreparedRequest { turn_command: placed, .. } = PreparedRequest::read(request, create, None).await?;
    let TurnCommand { command, after, continuation: joined, owns_context: alone } = placed;
    stream::send_and_stream(request, command, after, joined, !store && alone).await
}

/// Input appended to the items of an unstored response.
fn append_input(items: &[Json], input: Value) -> Value {
    let added = match input {
        Value::Array(items) => items,
        Value::String(text) => vec![serde_json::json!({ "type": "message", "role": "user", "content": text })],
        Value::Null => Vec::new(),
        other => vec![other],
    };
    let before = items.iter().filter_map(|item| serde_json::from_str(item.as_str()).ok());
    Value::Array(before.chain(added).collect())
}

fn size_of_all(items: &[Json]) -> usize {
    items.iter().map(|item| item.as_str().len()).sum()
}

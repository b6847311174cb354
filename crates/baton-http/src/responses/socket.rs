//! `GET /v1/responses` as a WebSocket: one request after the other on one connection.

use super::{
    asked::Asked,
    create::Begun,
    place::Placed,
    references,
    refused::{refusal, reply_to},
    stream::{self, Followed},
};
use crate::{app::Shared, auth::Caller};
use axum::{
    extract::{
        FromRequestParts, Request, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    response::Response as Reply,
};
use baton_responses::{Create, Refusal, Response, StreamEvent};
use baton_types::Json;
use serde_json::{Map, Value};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::time::Instant;

/// A connection lasts so long.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Ids that a connection remembers to have been given up.
const MOST_EVICTED: usize = 256;

/// Opens the connection.
pub(crate) async fn connect(State(shared): State<Arc<Shared>>, request: Request) -> Reply {
    let (mut parts, _) = request.into_parts();
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(_) => {
            let message = "responses are made with POST; GET opens a WebSocket, and needs the headers of one";
            return reply_to(&Refusal { status: 426, ..Refusal::invalid("upgrade_required", "method", message) });
        }
    };
    let caller = match Caller::of(&parts.extensions) {
        Ok(caller) => caller,
        Err(error) => return reply_to(&refusal(&error)),
    };
    let asked = Asked::connected(shared, caller, &parts);
    // The connection is no longer among those that the server counts, so it counts as a stream.
    let permit = match stream::permit(&asked) {
        Ok(permit) => permit,
        Err(refused) => return reply_to(&refused),
    };
    let limit = asked.shared.options.max_body;
    upgrade.max_message_size(limit).max_frame_size(limit).on_upgrade(move |socket| async move {
        Box::pin(Connection { asked, socket, last: None, evicted: VecDeque::new() }.serve()).await;
        drop(permit);
    })
}

/// A connection, and what only it knows.
struct Connection {
    asked: Asked,
    socket: WebSocket,
    /// The last response, when it is kept nowhere else.
    last: Option<Remembered>,
    /// Responses from which going on failed.
    evicted: VecDeque<String>,
}

struct Remembered {
    id: String,
    /// What was said up to its end.
    items: Vec<Json>,
}

/// Why a connection ends.
struct Closed;

impl Connection {
    async fn serve(mut self) {
        let until = Instant::now() + LONGEST;
        let mut no_longer = self.asked.caller.no_longer();
        let shutdown = self.asked.shared.options.shutdown.clone();
        loop {
            let received = tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                () = &mut no_longer => break,
                () = tokio::time::sleep_until(until) => {
                    let message = "a connection lasts 60 minutes; open another and go on from the last response";
                    let refused = Refusal::invalid("websocket_connection_limit_reached", "connection", message);
                    let _ = self.refuse(&refused).await;
                    break;
                }
                received = self.socket.recv() => received,
            };
            let handled = match received {
                Some(Ok(Message::Text(text))) => self.take(text.as_bytes()).await,
                Some(Ok(Message::Binary(bytes))) => self.take(&bytes).await,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => Err(Closed),
            };
            if handled.is_err() {
                break;
            }
        }
    }

    /// One frame: a request, and all that comes of it.
    async fn take(&mut self, frame: &[u8]) -> Result<(), Closed> {
        let named = match references::resolved(&self.asked, frame).await {
            Ok(named) => named,
            Err(refused) => return self.refuse(&refused).await,
        };
        let (previous, asked) = match self.read(named.as_deref().unwrap_or(frame)) {
            Ok(read) => read,
            Err(refused) => return self.refuse(&refused).await,
        };
        let begun = match asked {
            Ok(create) => begin(&self.asked, create).await,
            Err(refused) => Err(refused),
        };
        match begun {
            Ok((followed, begun)) => self.show(followed, begun).await,
            Err(refused) => {
                self.evict(previous);
                self.refuse(&refused).await
            }
        }
    }

    /// The request of a frame, and the response that it goes on from.
    fn read(&self, frame: &[u8]) -> Result<(Option<String>, Result<Create, Refusal>), Refusal> {
        crate::reply::readable(frame).map_err(|error| refusal(&error))?;
        let mut body: Map<String, Value> = serde_json::from_slice(frame).map_err(|error| {
            Refusal::invalid("invalid_json", "frame", format!("a frame is a JSON object; this cannot be read: {error}"))
        })?;
        match body.remove("type").as_ref().and_then(Value::as_str) {
            Some("response.create") => {}
            _ => {
                let message = "the type of a frame must be response.create";
                return Err(Refusal::invalid("invalid_value", "type", message));
            }
        }
        for name in ["stream", "stream_options", "background"] {
            body.remove(name);
        }
        let previous = body.get("previous_response_id").and_then(Value::as_str).map(str::to_owned);
        if let Some(gone) = previous.as_ref().filter(|id| self.evicted.contains(id)) {
            let message =
                format!("Previous response with id '{gone}' not found. Send the whole conversation as input instead.");
            return Err(Refusal::invalid("previous_response_not_found", "previous_response_id", message));
        }
        let remembered = self.last.as_ref().filter(|last| Some(&last.id) == previous.as_ref());
        if let Some(last) = remembered {
            body.remove("previous_response_id");
            let input = body.remove("input").unwrap_or(Value::Null);
            body.insert("input".to_owned(), joined(&last.items, input));
        }
        let text = serde_json::to_vec(&body).unwrap_or_default();
        let mut create = Create::read(&text, &mut || self.asked.shared.engine.fresh_id());
        if let (Ok(create), true) = (&mut create, remembered.is_some()) {
            create.note.previous.clone_from(&previous);
        }
        Ok((previous, create))
    }

    /// Shows a response; whoever says something meanwhile is told to wait.
    async fn show(&mut self, mut followed: Followed, begun: Vec<StreamEvent>) -> Result<(), Closed> {
        self.write(&begun).await?;
        loop {
            let events = tokio::select! {
                biased;
                events = followed.next() => events,
                received = self.socket.recv() => match received {
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Text(_) | Message::Binary(_))) => {
                        let message = "a response is in progress on this connection; wait for its end";
                        let refused = Refusal::invalid("response_in_progress", "frame", message);
                        self.refuse(&Refusal { status: 409, ..refused }).await?;
                        continue;
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Closed),
                },
            };
            let Some(events) = events else { break };
            self.write(&events).await?;
        }
        if !followed.projector.is_over() {
            let broken = followed.broken_off();
            self.write(&[broken]).await?;
            return Err(Closed);
        }
        self.last = remember(followed.projector.response(), followed.input());
        Ok(())
    }

    async fn write(&mut self, events: &[StreamEvent]) -> Result<(), Closed> {
        for event in events {
            self.socket.send(Message::Text(event.to_frame().into())).await.map_err(|_| Closed)?;
        }
        Ok(())
    }

    async fn refuse(&mut self, refused: &Refusal) -> Result<(), Closed> {
        let frame = serde_json::json!({ "type": "error", "status": refused.status, "error": refused.error() });
        self.socket.send(Message::Text(frame.to_string().into())).await.map_err(|_| Closed)
    }

    fn evict(&mut self, previous: Option<String>) {
        let Some(previous) = previous else { return };
        self.last.take_if(|last| last.id == previous);
        if self.evicted.len() >= MOST_EVICTED {
            self.evicted.pop_front();
        }
        self.evicted.push_back(previous);
    }
}

async fn begin(asked: &Asked, create: Create) -> Result<(Followed, Vec<StreamEvent>), Refusal> {
    let store = create.store;
    let Begun { placed, .. } = Begun::read(asked, create, None).await?;
    let Placed { command, after, joined, alone } = placed;
    stream::follow(asked, command, after, joined, !store && alone).await
}

/// What is said after a response that only the connection knows.
fn joined(items: &[Json], input: Value) -> Value {
    let said = match input {
        Value::Array(items) => items,
        Value::String(text) => vec![serde_json::json!({ "type": "message", "role": "user", "content": text })],
        Value::Null => Vec::new(),
        other => vec![other],
    };
    let before = items.iter().filter_map(|item| serde_json::from_str(item.as_str()).ok());
    Value::Array(before.chain(said).collect())
}

/// A response that is kept nowhere else.
fn remember(response: &Response, input: &[Json]) -> Option<Remembered> {
    if response.store {
        return None;
    }
    let output = response.output.iter().filter_map(|item| Json::of(item).ok());
    Some(Remembered { id: response.id.clone(), items: input.iter().cloned().chain(output).collect() })
}

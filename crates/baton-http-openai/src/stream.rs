//! A turn as server-sent events: live, or from any of its events on.

use super::{
    conversations::{self, ConversationContinuation},
    create::{delete_task_session, response_id_at},
    error::{from_engine, from_error},
    failed_reply::failed_reply,
    request::ResponsesRequest,
    turn::{ResponseTurn, first_turn_after, task_events},
};
use axum::{body::Body, response::Response as Reply};
use baton_engine::{EngineError, FeedItem, SendCommand, Subscription, TaskRef};
use baton_http::SharePermit;
use baton_ports::{BoxFuture, StoredEvent};
use baton_responses::{
    ErrorObject, OpenAiError, RequestRecord, Response, ResponseId, ResponseProjector, StreamEvent,
    chat::{ChunkEncoder, Completion, TextChunkEncoder, TextCompletion},
};
use baton_types::{JournalEvent, TaskEvent, TaskView};
use bytes::Bytes;
use http::{HeaderValue, header};
use std::{convert::Infallible, pin::pin, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// API dialect of a reply.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReplyDialect {
    Responses,
    Chat {
        /// Whether the last chunk contains the usage.
        include_usage: bool,
    },
    Text {
        /// Whether the last chunk contains the usage.
        include_usage: bool,
    },
}

impl ReplyDialect {
    /// Reply with a finished turn.
    pub(super) fn complete_reply(self, response: &Response) -> Result<Reply, OpenAiError> {
        match self {
            Self::Responses => super::request::json(response),
            Self::Chat { .. } => super::request::json(&Completion::from_response(response)?),
            Self::Text { .. } => super::request::json(&TextCompletion::from_response(response)?),
        }
    }

    fn writer(self, response: &Response) -> TurnEventEncoder {
        match self {
            Self::Responses => TurnEventEncoder::Responses,
            Self::Chat { include_usage } => {
                TurnEventEncoder::Chat(Box::new(ChunkEncoder::new(response, include_usage)))
            }
            Self::Text { include_usage } => {
                TurnEventEncoder::Text(Box::new(TextChunkEncoder::new(response, include_usage)))
            }
        }
    }
}

/// Encodes the events of a turn, each as one chunk: some parsers fail on partial events.
enum TurnEventEncoder {
    Responses,
    Chat(Box<ChunkEncoder>),
    Text(Box<TextChunkEncoder>),
}

impl TurnEventEncoder {
    fn write(&mut self, events: &[StreamEvent]) -> Vec<Bytes> {
        match self {
            Self::Responses => events.iter().map(|event| Bytes::from(event.to_sse())).collect(),
            Self::Chat(chunks) => {
                let chunks = events.iter().flat_map(|event| chunks.event(event));
                chunks.map(|chunk| Bytes::from(chunk.to_sse())).collect()
            }
            Self::Text(chunks) => events.iter().flat_map(|event| chunks.event(event)).map(Bytes::from).collect(),
        }
    }
}

/// Last event of every stream.
const DONE_EVENT: &[u8] = b"data: [DONE]\n\n";

/// Keep-alive comment of an idle stream.
const KEEP_ALIVE_COMMENT: &[u8] = b": keep-alive\n\n";

/// Maximum wait for the first event before the stream starts, so that an immediate failure is reported as a status
/// code.
const FIRST_EVENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Stream of a turn.
pub(super) struct TurnStream {
    pub(super) subscription: Subscription,
    pub(super) projector: ResponseProjector,
    /// Input items of the turn.
    input: Vec<baton_types::Json>,
    /// Sequence number up to which events were already sent.
    sent_until: Option<u64>,
    credentials_revoked: BoxFuture<'static, ()>,
    keep_alive: Duration,
    shutdown: CancellationToken,
    forget: Option<DeleteOnDrop>,
    /// Permit for one stream; `None` if the client does not stream.
    _permit: Option<SharePermit>,
}

/// Deletes a task when its turn is over, also if the client has disconnected.
struct DeleteOnDrop {
    request: ResponsesRequest,
    view: Option<Arc<TaskView>>,
    /// Last event before the turn; 0 if the task began with it.
    after: u64,
}

impl DeleteOnDrop {
    async fn delete(mut self) {
        if let Some(view) = self.view.take() {
            delete_task_session(&self.request, &view).await;
        }
    }
}

impl Drop for DeleteOnDrop {
    fn drop(&mut self) {
        let Some(view) = self.view.take() else { return };
        let (request, answers) = (self.request.clone_for_background(), self.after > 0);
        tokio::spawn(async move {
            // An approved action is completed even if the client has disconnected.
            if !answers || await_task_end(&request, &view).await {
                delete_task_session(&request, &view).await;
            }
        });
    }
}

/// Waits until a task has ended; false if it waits for input again.
async fn await_task_end(request: &ResponsesRequest, view: &TaskView) -> bool {
    let task = TaskRef { task: view.id.clone(), agent: None };
    if let Ok(mut subscription) = request.shared.engine.subscribe(request.principal(), &task, None).await {
        while let Some(item) = subscription.next().await {
            let FeedItem::Event(stored) = item else { continue };
            if let JournalEvent::Task(TaskEvent::StatusChanged { state, .. }) = &stored.fact
                && (state.is_terminal() || state.is_interrupted())
            {
                break;
            }
        }
    }
    request.shared.engine.task(request.principal(), &task).await.is_ok_and(|view| view.state.is_terminal())
}

/// Sends a command and streams its turn.
pub(super) async fn stream_live(
    request: &ResponsesRequest,
    command: SendCommand,
    after: u64,
    joined: Option<ConversationContinuation>,
    forget: bool,
    form: ReplyDialect,
) -> Result<Reply, OpenAiError> {
    let (mut followed, mut begun) = send_and_stream(request, command, after, joined, forget).await?;
    let first = followed.first_events().await;
    // Clients detect errors by the status code, which a started stream cannot change.
    if let Some(reply) = failed_reply(&followed.projector) {
        return Ok(reply);
    }
    begun.extend(first);
    Ok(sse(followed, begun, form))
}

/// Sends a command and waits for its turn. The projection is built from the subscription, so that the turn is not read
/// from the journal afterwards.
pub(super) async fn await_turn(
    request: &ResponsesRequest,
    command: SendCommand,
    after: u64,
    joined: Option<ConversationContinuation>,
    forget: bool,
) -> Result<ResponseProjector, OpenAiError> {
    let (mut followed, _) = send_and_subscribe(request, command, after, joined, forget, None).await?;
    while !followed.projector.is_over() {
        match followed.subscription.next().await {
            // The response object depends on journaled events only.
            Some(FeedItem::Event(stored)) => drop(followed.apply_event(&stored)),
            Some(_) => {}
            None => return Err(shutdown_error()),
        }
    }
    if let Some(forget) = followed.forget.take() {
        forget.delete().await;
    }
    Ok(followed.projector)
}

/// Sends a command and subscribes to its turn; also returns the events so far.
pub(super) async fn send_and_stream(
    request: &ResponsesRequest,
    command: SendCommand,
    after: u64,
    joined: Option<ConversationContinuation>,
    forget: bool,
) -> Result<(TurnStream, Vec<StreamEvent>), OpenAiError> {
    let permit = permit(request)?;
    send_and_subscribe(request, command, after, joined, forget, Some(permit)).await
}

async fn send_and_subscribe(
    request: &ResponsesRequest,
    command: SendCommand,
    after: u64,
    joined: Option<ConversationContinuation>,
    forget: bool,
    permit: Option<SharePermit>,
) -> Result<(TurnStream, Vec<StreamEvent>), OpenAiError> {
    let note = command.run_options.as_deref().map(RequestRecord::from_run_options).unwrap_or_default();
    let mut subscription =
        request.shared.engine.send_and_follow(request.principal(), command).await.map_err(from_engine)?;
    let Some(FeedItem::Task(view)) = subscription.next().await else { return Err(shutdown_error()) };
    let (id, earlier) = match view.version {
        // The task begins with this turn, so the subscription delivers everything that follows.
        1 => (ResponseId::first(view.id.clone()), Vec::new()),
        version => {
            let task = TaskRef { task: view.id.clone(), agent: None };
            let (_, mut events) =
                request.shared.engine.task_with_events(request.principal(), &task).await.map_err(from_engine)?;
            events.retain(|event| event.number <= version);
            (response_id_at(&view.id, first_turn_after(&events, after)), events)
        }
    };
    conversations::record_response(request, joined, &id).await?;
    let created =
        earlier.iter().find(|event| event.number == id.event_number).map_or(view.created_at, |event| event.at);
    let mut projector = ResponseProjector::new(&id, created, view.agent.as_str(), &note);
    let mut begun = projector.begin();
    for (number, at, event) in task_events(&earlier) {
        begun.extend(projector.event(number, at, event));
    }
    let forget = (forget && !projector.awaits_answer()).then(|| DeleteOnDrop {
        request: request.clone_for_background(),
        view: Some(view),
        after,
    });
    Ok((
        TurnStream { input: note.input, ..TurnStream::new(request, subscription, projector, None, forget, permit) },
        begun,
    ))
}

/// Streams a turn from the event after `shown` on.
pub(super) async fn resume_stream(
    request: &ResponsesRequest,
    turn: ResponseTurn,
    shown: Option<u64>,
) -> Result<Reply, OpenAiError> {
    let permit = permit(request)?;
    let task = TaskRef { task: turn.view.id.clone(), agent: None };
    let mut subscription =
        request.shared.engine.subscribe(request.principal(), &task, Some(1)).await.map_err(from_engine)?;
    // Skips the task as of its first event; later events follow.
    let _ = subscription.next().await;
    let created = turn.projector.response().created_at;
    let created = baton_types::Timestamp::from_millis(created.saturating_mul(1000));
    let mut projector = ResponseProjector::new(&turn.id, created, turn.view.agent.as_str(), &turn.note);
    let mut begun = projector.begin();
    begun.retain(|event| shown.is_none_or(|shown| event.sequence_number > shown));
    let followed = TurnStream::new(request, subscription, projector, shown, None, Some(permit));
    Ok(sse(followed, begun, ReplyDialect::Responses))
}

/// Permit for one stream.
pub(super) fn permit(request: &ResponsesRequest) -> Result<SharePermit, OpenAiError> {
    request.shared.http.streams.acquire(&request.caller).map_err(|full| from_error(&full.error("streams")))
}

fn shutdown_error() -> OpenAiError {
    from_engine(EngineError::ShuttingDown)
}

impl TurnStream {
    fn new(
        request: &ResponsesRequest,
        subscription: Subscription,
        projector: ResponseProjector,
        sent_until: Option<u64>,
        forget: Option<DeleteOnDrop>,
        permit: Option<SharePermit>,
    ) -> Self {
        let options = &request.shared.http.options;
        Self {
            subscription,
            projector,
            input: Vec::new(),
            sent_until,
            credentials_revoked: request.caller.credentials_revoked(),
            keep_alive: options.keep_alive,
            shutdown: options.shutdown.clone(),
            forget,
            _permit: permit,
        }
    }

    /// Input items of the turn.
    pub(super) fn input(&self) -> &[baton_types::Json] {
        &self.input
    }

    /// Next events; `None` when the turn is over, the credentials become invalid or the subscription ends.
    pub(super) async fn next(&mut self) -> Option<Vec<StreamEvent>> {
        loop {
            if self.projector.is_over() {
                return None;
            }
            let item = tokio::select! {
                biased;
                () = &mut self.credentials_revoked => None,
                item = self.subscription.next() => item,
            }?;
            let mut events = match &item {
                FeedItem::Task(_) => continue,
                FeedItem::Event(stored) => self.apply_event(stored),
                FeedItem::OpenText { message, attempt, text } => self.projector.open_text(message, *attempt, text),
                FeedItem::Delta { message, attempt, offset, text } => {
                    self.projector.delta(message, *attempt, *offset, text)
                }
            };
            events.retain(|event| self.sent_until.is_none_or(|shown| event.sequence_number > shown));
            if !events.is_empty() {
                return Some(events);
            }
        }
    }

    /// First events after the initial ones of every stream; empty after a timeout.
    async fn first_events(&mut self) -> Vec<StreamEvent> {
        let shutdown = self.shutdown.clone();
        let first = tokio::select! {
            biased;
            () = shutdown.cancelled() => None,
            first = tokio::time::timeout(FIRST_EVENT_TIMEOUT, self.next()) => first.ok().flatten(),
        };
        first.unwrap_or_default()
    }

    /// Stream events of a stored event; empty for events that are not task events.
    fn apply_event(&mut self, stored: &StoredEvent) -> Vec<StreamEvent> {
        let events = match &stored.fact {
            JournalEvent::Task(event) => self.projector.event(stored.number, stored.at, event),
            JournalEvent::Handoff(_) | JournalEvent::Session(_) => Vec::new(),
        };
        // A waiting task is not deleted: it stays listed as pending, even if its response cannot be retrieved.
        if self.projector.awaits_answer()
            && let Some(forget) = &mut self.forget
        {
            forget.view = None;
        }
        events
    }

    /// Error event for a stream that ends before its turn.
    pub(super) fn interruption_event(&self) -> StreamEvent {
        let error = shutdown_error().error();
        self.error(error)
    }

    fn error(&self, error: ErrorObject) -> StreamEvent {
        StreamEvent::error(self.projector.sequence(), error)
    }
}

enum ResponseStreamSignal {
    Events(Option<Vec<StreamEvent>>),
    KeepAlive,
    Stopped,
}

fn sse(followed: TurnStream, begun: Vec<StreamEvent>, form: ReplyDialect) -> Reply {
    let writer = form.writer(followed.projector.response());
    let mut response = Reply::new(Body::from_stream(pieces(followed, begun, writer)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn pieces(
    mut followed: TurnStream,
    begun: Vec<StreamEvent>,
    mut writer: TurnEventEncoder,
) -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
    async_stream::stream! {
        for piece in writer.write(&begun) {
            yield Ok(piece);
        }
        let mut stopped = pin!(followed.shutdown.clone().cancelled_owned());
        let mut beat = tokio::time::interval(followed.keep_alive);
        beat.reset();
        loop {
            let shown = {
                let mut next = pin!(followed.next());
                loop {
                    let woken = tokio::select! {
                        biased;
                        events = &mut next => ResponseStreamSignal::Events(events),
                        () = &mut stopped => ResponseStreamSignal::Stopped,
                        _ = beat.tick() => ResponseStreamSignal::KeepAlive,
                    };
                    match woken {
                        ResponseStreamSignal::Events(events) => break events,
                        ResponseStreamSignal::Stopped => break None,
                        ResponseStreamSignal::KeepAlive => yield Ok(Bytes::from_static(KEEP_ALIVE_COMMENT)),
                    }
                }
            };
            let Some(events) = shown else { break };
            for piece in writer.write(&events) {
                yield Ok(piece);
            }
        }
        if followed.projector.is_over() {
            yield Ok(Bytes::from_static(DONE_EVENT));
        } else {
            for piece in writer.write(&[followed.interruption_event()]) {
                yield Ok(piece);
            }
        }
        drop(followed.forget.take());
    }
}

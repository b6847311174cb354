//! A task's feed as server-sent events.

use super::Call;
use axum::{body::Body, response::Response};
use baton_engine::{FeedItem, Subscription};
use baton_types::{ErrorCode, Fact, TaskEvent};
use baton_wire::{
    a2a::v1::{ArtifactChoice, Error, ErrorKind, HistoryLength, Projected, StreamProjector, StreamResponse, Task},
    jsonrpc,
};
use bytes::Bytes;
use http::{HeaderValue, header};
use serde_json::value::RawValue;
use std::{convert::Infallible, io::Write as _, pin::pin, sync::Arc, time::Duration};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

/// How a stream begins.
pub(super) enum Beginning {
    /// With the task, showing this much history.
    Fresh {
        /// Most messages.
        history: HistoryLength,
    },
    /// After a cursor; these are the last events up to it.
    Resumed {
        /// Oldest first.
        earlier: Vec<TaskEvent>,
    },
}

/// The right to one stream.
pub(super) fn permit(call: &Call<'_>) -> Result<OwnedSemaphorePermit, Error> {
    Arc::clone(&call.shared.streams).try_acquire_owned().map_err(|_| {
        let message = format!("{} streams are open already", call.shared.options.max_streams);
        Error::new(ErrorKind::Unavailable, ErrorCode::BUSY, message)
    })
}

/// The reply that carries the subscription.
pub(super) fn response(
    call: &Call<'_>,
    subscription: Subscription,
    beginning: Beginning,
    permit: OwnedSemaphorePermit,
) -> Response {
    let options = &call.shared.options;
    let writer = EventWriter { id: call.id.map(ToOwned::to_owned), beginning, projector: None };
    let events = events(subscription, writer, options.keep_alive, options.shutdown.clone(), permit);
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

enum Woken {
    Fed(Option<FeedItem>),
    Beat,
    Stopped,
}

fn events(
    mut subscription: Subscription,
    mut writer: EventWriter,
    keep_alive: Duration,
    shutdown: CancellationToken,
    permit: OwnedSemaphorePermit,
) -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
    async_stream::stream! {
        let _permit = permit;
        let mut stopped = pin!(shutdown.cancelled_owned());
        let mut beat = tokio::time::interval(keep_alive);
        beat.reset();
        loop {
            let mut next = pin!(subscription.next());
            let fed = loop {
                let woken = tokio::select! {
                    biased;
                    item = &mut next => Woken::Fed(item),
                    () = &mut stopped => Woken::Stopped,
                    _ = beat.tick() => Woken::Beat,
                };
                match woken {
                    Woken::Fed(item) => break item,
                    Woken::Stopped => break None,
                    Woken::Beat => yield Ok(Bytes::from_static(b": still here\n\n")),
                }
            };
            let Some(item) = fed else { break };
            let bytes = writer.write(&item);
            if !bytes.is_empty() {
                yield Ok(Bytes::from(bytes));
            }
        }
    }
}

/// Writes fed items as events; numbered ones carry their number as the event's id.
struct EventWriter {
    id: Option<Box<RawValue>>,
    beginning: Beginning,
    projector: Option<StreamProjector>,
}

impl EventWriter {
    fn write(&mut self, item: &FeedItem) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        let id = self.id.as_deref();
        if let FeedItem::Task(view) = item {
            let (task, context) = (view.id.clone(), view.context.clone());
            let (projector, history) = match &self.beginning {
                Beginning::Fresh { history } => (StreamProjector::new(task, context), *history),
                Beginning::Resumed { earlier } => {
                    (StreamProjector::resumed(task, context, earlier), HistoryLength::All)
                }
            };
            self.projector = Some(projector);
            let task = Task::of(view, history, ArtifactChoice::Include);
            write_event(&mut out, id, Some(view.version), &task.into());
            return out;
        }
        let Some(projector) = &mut self.projector else { return out };
        let (projected, number): (Projected<'_>, Option<u64>) = match item {
            FeedItem::Task(_) => return out,
            FeedItem::Event(stored) => match &stored.fact {
                Fact::Task(event) => (projector.event(stored.at, event), Some(stored.number)),
                Fact::Handoff(_) => return out,
            },
            FeedItem::OpenText { message, text, .. } => (projector.open_text(message, text), None),
            FeedItem::Delta { text, .. } if text.is_empty() => return out,
            FeedItem::Delta { message, offset, text, .. } => (projector.delta(message, *offset, text), None),
        };
        if let Some(retraction) = &projected.retraction {
            write_event(&mut out, id, None, retraction);
        }
        if let Some(item) = &projected.item {
            write_event(&mut out, id, number, item);
        }
        out
    }
}

fn write_event(out: &mut Vec<u8>, id: Option<&RawValue>, number: Option<u64>, item: &StreamResponse<'_>) {
    if let Some(number) = number {
        let _ = writeln!(out, "id: {number}");
    }
    out.extend_from_slice(b"data: ");
    jsonrpc::write_result(out, id, item);
    out.extend_from_slice(b"\n\n");
}

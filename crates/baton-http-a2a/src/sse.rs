//! Task stream as server-sent events.

use super::ops::{TaskStream, TaskStreamItem};
use axum::{body::Body, response::Response};
use baton_engine::FeedItem;
use bytes::Bytes;
use http::{HeaderValue, header};
use std::{convert::Infallible, io::Write as _, pin::pin};

/// Encodes a stream item as the data of an event.
pub(super) trait EventEncoder: Send + 'static {
    /// Appends the data, which must not contain line breaks.
    fn write(&self, out: &mut Vec<u8>, item: TaskStreamItem<'_>);
}

/// Reply that streams the task.
pub(super) fn response(following: TaskStream, frame: impl EventEncoder) -> Response {
    let mut response = Response::new(Body::from_stream(events(following, frame)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Keep-alive comment of an idle stream. No blank line follows: after an event with an id, common parsers (httpx-sse,
/// which the Python client of 0.3 uses) take one for the end of another event, without data.
const KEEP_ALIVE_COMMENT: &[u8] = b": still here\n";

enum TaskStreamSignal {
    Item(Option<FeedItem>),
    KeepAlive,
    Stopped,
}

fn events(
    mut following: TaskStream,
    frame: impl EventEncoder,
) -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
    async_stream::stream! {
        let mut stopped = pin!(following.shutdown.clone().cancelled_owned());
        let mut beat = tokio::time::interval(following.keep_alive);
        beat.reset();
        loop {
            let fed = {
                let mut next = pin!(following.next());
                loop {
                    let woken = tokio::select! {
                        biased;
                        item = &mut next => TaskStreamSignal::Item(item),
                        () = &mut stopped => TaskStreamSignal::Stopped,
                        _ = beat.tick() => TaskStreamSignal::KeepAlive,
                    };
                    match woken {
                        TaskStreamSignal::Item(item) => break item,
                        TaskStreamSignal::Stopped => break None,
                        TaskStreamSignal::KeepAlive => yield Ok(Bytes::from_static(KEEP_ALIVE_COMMENT)),
                    }
                }
            };
            let Some(item) = fed else { break };
            let mut bytes = Vec::with_capacity(512);
            following.encode(&item, |stream_item| write_event(&mut bytes, &frame, stream_item));
            if !bytes.is_empty() {
                yield Ok(Bytes::from(bytes));
            }
        }
    }
}

/// Writes an event; numbered items use their number as the event id.
fn write_event(out: &mut Vec<u8>, frame: &impl EventEncoder, item: TaskStreamItem<'_>) {
    if let Some(number) = item.number {
        let _ = writeln!(out, "id: {number}");
    }
    out.extend_from_slice(b"data: ");
    frame.write(out, item);
    out.extend_from_slice(b"\n\n");
}

//! Task stream as server-sent events.

use super::ops::{Following, Told};
use axum::{body::Body, response::Response};
use baton_engine::FeedItem;
use bytes::Bytes;
use http::{HeaderValue, header};
use std::{convert::Infallible, io::Write as _, pin::pin};

/// Encodes a stream item as the data of an event.
pub(super) trait Frame: Send + 'static {
    /// Appends the data, which must not contain line breaks.
    fn write(&self, out: &mut Vec<u8>, told: Told<'_>);
}

/// Reply that streams the task.
pub(super) fn response(following: Following, frame: impl Frame) -> Response {
    let mut response = Response::new(Body::from_stream(events(following, frame)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Keep-alive comment of an idle stream. No blank line follows: after an event with an id, common parsers (httpx-sse,
/// which the Python client of 0.3 uses) take one for the end of another event, without data.
const STILL_HERE: &[u8] = b": still here\n";

enum Woken {
    Fed(Option<FeedItem>),
    Beat,
    Stopped,
}

fn events(mut following: Following, frame: impl Frame) -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
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
                        item = &mut next => Woken::Fed(item),
                        () = &mut stopped => Woken::Stopped,
                        _ = beat.tick() => Woken::Beat,
                    };
                    match woken {
                        Woken::Fed(item) => break item,
                        Woken::Stopped => break None,
                        Woken::Beat => yield Ok(Bytes::from_static(STILL_HERE)),
                    }
                }
            };
            let Some(item) = fed else { break };
            let mut bytes = Vec::with_capacity(512);
            following.tell(&item, |told| write_event(&mut bytes, &frame, told));
            if !bytes.is_empty() {
                yield Ok(Bytes::from(bytes));
            }
        }
    }
}

/// Writes an event; numbered items use their number as the event id.
fn write_event(out: &mut Vec<u8>, frame: &impl Frame, told: Told<'_>) {
    if let Some(number) = told.number {
        let _ = writeln!(out, "id: {number}");
    }
    out.extend_from_slice(b"data: ");
    frame.write(out, told);
    out.extend_from_slice(b"\n\n");
}

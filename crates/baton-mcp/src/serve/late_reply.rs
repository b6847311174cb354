//! Replies that start before the result is available.
//!
//! For a request of the newest protocol, the transport replies with the first message, so that the HTTP status is
//! correct. Calls may take minutes, and clients and proxies close idle connections. After a delay, the reply therefore
//! starts as a stream with keep-alive comments.

use super::McpReply;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, Response, header};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use std::{convert::Infallible, pin::Pin, time::Duration};
use tokio::time::timeout;

/// A future that produces a reply.
type ReplyFuture = Pin<Box<dyn Future<Output = McpReply> + Send>>;

/// Keep-alive comment of an idle stream; clients ignore comments.
const KEEP_ALIVE_COMMENT: &[u8] = b": still working\n\n";

/// Returns the reply, or after `keep_alive` a stream that will contain it.
pub(super) async fn reply_or_stream(keep_alive: Duration, mut work: ReplyFuture) -> McpReply {
    match timeout(keep_alive, &mut work).await {
        Ok(reply) => reply,
        Err(_) => start_stream(keep_alive, work),
    }
}

enum LateReplyState {
    Working(ReplyFuture),
    Replying { body: UnsyncBoxBody<Bytes, Infallible>, is_stream: bool },
    Over,
}

fn start_stream(keep_alive: Duration, work: ReplyFuture) -> McpReply {
    let frames = stream::unfold(LateReplyState::Working(work), move |state| async move {
        let (bytes, state) = next(keep_alive, state).await?;
        Some((Ok::<_, Infallible>(Frame::data(bytes)), state))
    });
    let mut reply = Response::new(StreamBody::new(frames).boxed_unsync());
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    reply
}

async fn next(keep_alive: Duration, state: LateReplyState) -> Option<(Bytes, LateReplyState)> {
    match state {
        LateReplyState::Working(mut work) => match timeout(keep_alive, &mut work).await {
            Err(_) => Some((Bytes::from_static(KEEP_ALIVE_COMMENT), LateReplyState::Working(work))),
            Ok(reply) => {
                let kind = reply.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
                let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
                let first = if is_stream { Bytes::new() } else { Bytes::from_static(b"data: ") };
                Some((first, LateReplyState::Replying { body: reply.into_body(), is_stream }))
            }
        },
        // JSON is one line, so it is the data of one event.
        LateReplyState::Replying { mut body, is_stream } => loop {
            match body.frame().await {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => return Some((bytes, LateReplyState::Replying { body, is_stream })),
                    Err(_trailers) => {}
                },
                _ if is_stream => return None,
                _ => return Some((Bytes::from_static(b"\n\n"), LateReplyState::Over)),
            }
        },
        LateReplyState::Over => None,
    }
}

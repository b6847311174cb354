//! Requests that are answered before their body was read, such as those without a valid token.
//!
//! HTTP/1 must consume a request before the next can arrive on the same connection. The rest of the body is drained
//! here; otherwise the connection would be closed, and a client that has already sent its next request would get no
//! response to it.

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

/// Maximum bytes drained from an unread body.
const MAX_DISCARD_BYTES: u64 = 1024 * 1024;
/// Timeout for draining a body.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(5);

type RemainderSlot = Arc<Mutex<Option<BodyRemainder>>>;

struct BodyRemainder {
    body: Incoming,
    started: bool,
}

/// Body that returns its remainder when it is dropped before its end.
pub(super) struct ReclaimableBody {
    rest: Option<BodyRemainder>,
    to: RemainderSlot,
}

/// Handle to the remainder of a body that was dropped.
pub(super) struct UnreadBody {
    left: RemainderSlot,
    expects_continue: bool,
}

impl UnreadBody {
    /// Wraps the body of a request to recover its remainder.
    pub(super) fn watch(request: Request<Incoming>) -> (Request<ReclaimableBody>, Self) {
        let left = RemainderSlot::default();
        // A client that sent `Expect` has not started to send the body.
        let is_asked_for = request.headers().contains_key(header::EXPECT);
        let to = Arc::clone(&left);
        (
            request.map(|body| ReclaimableBody { rest: Some(BodyRemainder { body, started: false }), to }),
            Self { left, expects_continue: is_asked_for },
        )
    }

    /// Prepares the connection for its next request, or announces its close.
    pub(super) async fn finish(self, response: &mut Response) {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(BodyRemainder { body, started: begun }) = left.filter(|rest| !rest.body.is_end_stream()) else {
            return;
        };
        // A handler that stopped in the middle of a body did so on purpose, so the rest is not drained.
        let awaited = !begun && !self.expects_continue && body.size_hint().lower() <= MAX_DISCARD_BYTES;
        if !awaited || !matches!(tokio::time::timeout(DISCARD_TIMEOUT, drain_body(body)).await, Ok(true)) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// Whether the body ends within the limit.
async fn drain_body(mut body: Incoming) -> bool {
    let mut seen = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        seen += frame.data_ref().map_or(0, |data| data.len() as u64);
        if seen > MAX_DISCARD_BYTES {
            return false;
        }
    }
    true
}

impl Body for ReclaimableBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(rest) = &mut self.rest else { return Poll::Ready(None) };
        rest.started = true;
        let polled = Pin::new(&mut rest.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.rest = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.rest.as_ref().is_none_or(|rest| rest.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.rest.as_ref().map_or_else(|| SizeHint::with_exact(0), |rest| rest.body.size_hint())
    }
}

impl Drop for ReclaimableBody {
    fn drop(&mut self) {
        if let Some(rest) = self.rest.take() {
            *self.to.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
        }
    }
}

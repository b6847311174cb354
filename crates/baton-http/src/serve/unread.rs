//! Requests that are answered before their body was read, such as those without a valid token.
//!
//! HTTP/1 has to be done with one request before the next can come over the same connection. What is left is read
//! here; otherwise the connection would be closed without a word, and a client that has its next request under way
//! would see no answer to it at all.

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

/// Most that is read of a body that nobody wants.
const MOST: u64 = 1024 * 1024;
/// How long its sender has.
const PATIENCE: Duration = Duration::from_secs(5);

type Left = Arc<Mutex<Option<Rest>>>;

struct Rest {
    body: Incoming,
    begun: bool,
}

/// A body that is given back when it is dropped before its end.
pub(super) struct Returned {
    rest: Option<Rest>,
    to: Left,
}

/// Where the rest of a body is, once nobody reads it any more.
pub(super) struct Unread {
    left: Left,
    is_asked_for: bool,
}

impl Unread {
    /// The same request, whose body comes back.
    pub(super) fn watch(request: Request<Incoming>) -> (Request<Returned>, Self) {
        let left = Left::default();
        // A client that waits to be asked for its body has nothing under way.
        let is_asked_for = request.headers().contains_key(header::EXPECT);
        let to = Arc::clone(&left);
        (request.map(|body| Returned { rest: Some(Rest { body, begun: false }), to }), Self { left, is_asked_for })
    }

    /// Makes the connection ready for its next request, or says that there will be none.
    pub(super) async fn finish(self, response: &mut Response) {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Rest { body, begun }) = left.filter(|rest| !rest.body.is_end_stream()) else { return };
        // Whoever began to read had a reason to stop.
        let awaited = !begun && !self.is_asked_for && body.size_hint().lower() <= MOST;
        if !awaited || !matches!(tokio::time::timeout(PATIENCE, ends(body)).await, Ok(true)) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// Whether the body ends within bounds.
async fn ends(mut body: Incoming) -> bool {
    let mut seen = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        seen += frame.data_ref().map_or(0, |data| data.len() as u64);
        if seen > MOST {
            return false;
        }
    }
    true
}

impl Body for Returned {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(rest) = &mut self.rest else { return Poll::Ready(None) };
        rest.begun = true;
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

impl Drop for Returned {
    fn drop(&mut self) {
        if let Some(rest) = self.rest.take() {
            *self.to.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
        }
    }
}

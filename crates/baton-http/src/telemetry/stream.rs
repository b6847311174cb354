//! Spans of streamed responses.

use axum::body::{Body, Bytes};
use baton_telemetry::{SharedSpan, names, with_span};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Body that ends its span at its own end.
pub(super) struct TracedBody {
    body: Body,
    span: SharedSpan,
}

impl TracedBody {
    pub(super) fn new(body: Body, span: SharedSpan) -> Self {
        Self { body, span }
    }

    fn record_grpc_status(&self, frame: &Frame<Bytes>) {
        let status = frame.trailers_ref().and_then(|trailers| trailers.get("grpc-status"));
        if let Some(name) = status.and_then(|status| grpc_status(status.as_bytes())) {
            self.span.edit(|span| span.set(names::RPC_RESPONSE_STATUS_CODE, name));
        }
    }
}

impl hyper::body::Body for TracedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let context = self.span.context();
        let frame = ready!(with_span(context, || Pin::new(&mut self.body).poll_frame(task)));
        match &frame {
            Some(Ok(frame)) => self.record_grpc_status(frame),
            Some(Err(_)) | None => self.span.end(),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TracedBody {
    fn drop(&mut self) {
        self.span.end();
    }
}

/// Name of a gRPC status code.
pub(super) fn grpc_status(number: &[u8]) -> Option<&'static str> {
    const NAMES: [&str; 17] = [
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ];
    let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
    NAMES.get(number).copied()
}

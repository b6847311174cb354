//! WebSocket connection whose input is subject to the limits of request bodies.

use super::{
    super::request::ResponsesRequest,
    frames::{FrameCounter, FrameEvent, MAX_FRAGMENTS},
};
use crate::error_codes;
use baton_api::{ApiError, ApiErrorKind};
use baton_http::body::BodyShare;
use baton_types::ErrorCode;
use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Sleep,
};

/// Counts the input of a socket; shared by the connection, which reads, and by the consumer of the messages.
#[derive(Clone)]
pub(super) struct SocketMeter(Arc<Mutex<MeterState>>);

struct MeterState {
    request: ResponsesRequest,
    frames: FrameCounter,
    /// Bytes received but not yet consumed.
    held: usize,
    share: BodyShare,
    exceeded: Option<LimitBreach>,
}

/// Limit that a socket has exceeded.
#[derive(Clone, Debug)]
pub(super) enum LimitBreach {
    /// A message exceeds the body size or the number of frames.
    TooLarge(ApiError),
    /// Memory share, rate or timeout exceeded.
    Policy(ApiError),
}

impl SocketMeter {
    pub(super) fn new(request: ResponsesRequest) -> Self {
        let share = request.shared.http.bodies.share(&request.caller);
        Self(Arc::new(Mutex::new(MeterState {
            request,
            frames: FrameCounter::default(),
            held: 0,
            share,
            exceeded: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, MeterState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases a consumed message of this size.
    pub(super) fn release(&self, bytes: usize) {
        let mut state = self.state();
        state.held = state.held.saturating_sub(bytes);
        let held = state.held;
        state.share.shrink(held);
    }

    /// Exceeded limit, if any.
    pub(super) fn exceeded(&self) -> Option<LimitBreach> {
        self.state().exceeded.clone()
    }

    /// Counts received bytes; returns whether a message is incomplete.
    fn count(&self, bytes: &[u8]) -> Result<bool, ()> {
        let state = &mut *self.state();
        let MeterState { request, frames, held, share, .. } = state;
        match frames.advance(bytes, |event| admit(request, held, share, event)) {
            Ok(()) => Ok(state.frames.is_within_message()),
            Err(exceeded) => {
                state.exceeded = Some(exceeded);
                Err(())
            }
        }
    }

    fn record_timeout(&self, timeout: Duration) {
        let message = format!("the message did not arrive within {} s", timeout.as_secs());
        let error = ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message);
        self.state().exceeded = Some(LimitBreach::Policy(error));
    }
}

fn admit(
    request: &ResponsesRequest,
    held: &mut usize,
    share: &mut BodyShare,
    event: FrameEvent,
) -> Result<(), LimitBreach> {
    match event {
        FrameEvent::MessageBegun | FrameEvent::Control => match request.shared.http.rates.as_ref() {
            Some(rates) => rates.take(&request.caller).map_err(|wait| {
                let message = format!("too many messages; retry in {} s", wait.as_secs() + 1);
                request.caller.audit_denial(&request.shared.http, error_codes::RATE_LIMITED, &message);
                LimitBreach::Policy(ApiError::new(ApiErrorKind::RateLimited, error_codes::RATE_LIMITED, message))
            }),
            None => Ok(()),
        },
        FrameEvent::Continued { fragments } if fragments > MAX_FRAGMENTS => {
            let message = format!("the message has more than {MAX_FRAGMENTS} frames");
            Err(LimitBreach::TooLarge(ApiError::new(ApiErrorKind::BodyTooLarge, error_codes::BODY_TOO_LARGE, message)))
        }
        FrameEvent::Continued { .. } => Ok(()),
        FrameEvent::Payload { bytes, message_bytes } => {
            request.shared.http.bodies.check_size(message_bytes).map_err(LimitBreach::TooLarge)?;
            share.grow(held.saturating_add(bytes)).map_err(LimitBreach::Policy)?;
            *held += bytes;
            Ok(())
        }
    }
}

/// A connection whose reader never receives input over the limits.
pub(super) struct MeteredIo<S> {
    inner: S,
    meter: SocketMeter,
    message_timeout: Duration,
    /// Deadline for completing the current message.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> MeteredIo<S> {
    pub(super) fn new(inner: S, meter: SocketMeter, message_timeout: Duration) -> Self {
        Self { inner, meter, message_timeout, deadline: None }
    }

    /// The connection without metering.
    pub(super) fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MeteredIo<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(deadline) = &mut this.deadline
            && deadline.as_mut().poll(context).is_ready()
        {
            this.meter.record_timeout(this.message_timeout);
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        std::task::ready!(Pin::new(&mut this.inner).poll_read(context, buffer))?;
        match this.meter.count(&buffer.filled()[before..]) {
            Ok(true) if this.deadline.is_none() => {
                this.deadline = Some(Box::pin(tokio::time::sleep(this.message_timeout)));
                Poll::Ready(Ok(()))
            }
            Ok(true) => Poll::Ready(Ok(())),
            Ok(false) => {
                this.deadline = None;
                Poll::Ready(Ok(()))
            }
            Err(()) => Poll::Ready(Err(io::Error::other("connection limit exceeded"))),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MeteredIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

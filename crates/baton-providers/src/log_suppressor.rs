//! Polling of external code with its log output suppressed.

use futures_util::Stream;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tracing::{Dispatch, dispatcher};

/// Runs external code with logging disabled.
pub(crate) fn without_logging<T>(work: impl FnOnce() -> T) -> T {
    dispatcher::with_default(&Dispatch::none(), work)
}

/// A future or stream of the client library with logging disabled: the library logs whole responses, including keys
/// that they repeat.
pub(crate) struct LogSuppressor<T>(pub(crate) Pin<Box<T>>);

impl<T> LogSuppressor<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self(Box::pin(inner))
    }
}

impl<T: Future> Future for LogSuppressor<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T::Output> {
        without_logging(|| self.0.as_mut().poll(context))
    }
}

impl<T: Stream> Stream for LogSuppressor<T> {
    type Item = T::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T::Item>> {
        without_logging(|| self.0.as_mut().poll_next(context))
    }
}

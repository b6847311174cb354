//! Polls foreign code without letting it write to our log.

use futures_util::Stream;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tracing::{Dispatch, dispatcher};

/// Has foreign code do something at once.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    dispatcher::with_default(&Dispatch::none(), work)
}

/// A future or stream of the client library, which logs whole answers of services, keys that they repeat included.
pub(crate) struct Quiet<T>(pub(crate) Pin<Box<T>>);

impl<T> Quiet<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self(Box::pin(inner))
    }
}

impl<T: Future> Future for Quiet<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T::Output> {
        quietly(|| self.0.as_mut().poll(context))
    }
}

impl<T: Stream> Stream for Quiet<T> {
    type Item = T::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T::Item>> {
        quietly(|| self.0.as_mut().poll_next(context))
    }
}

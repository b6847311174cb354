//! Current span of a thread, for log correlation.

use baton_types::TraceContext;
use std::{
    cell::Cell,
    future::poll_fn,
    mem,
    pin::pin,
    task::{Context, Poll},
};

thread_local! {
    static CURRENT: Cell<Option<TraceContext>> = const { Cell::new(None) };
}

/// The current span of this thread, if one is set.
pub fn current_span() -> Option<TraceContext> {
    CURRENT.get()
}

/// Replaces the current span for the rest of the enclosing scope.
pub fn set_current_span(context: Option<TraceContext>) {
    CURRENT.set(context);
}

/// Runs a closure with a current span.
pub fn with_span<T>(context: Option<TraceContext>, work: impl FnOnce() -> T) -> T {
    let mut own = context;
    let _entered = CurrentSpanGuard::new(&mut own);
    work()
}

/// Polls a future with a current span; tasks that it spawns do not inherit it.
pub async fn in_span<F: Future>(context: Option<TraceContext>, work: F) -> F::Output {
    let (mut own, mut work) = (context, pin!(work));
    let entered = |task: &mut Context<'_>| -> Poll<F::Output> {
        let _entered = CurrentSpanGuard::new(&mut own);
        work.as_mut().poll(task)
    };
    poll_fn(entered).await
}

/// Sets the current span and restores the previous one on drop, also on panic.
struct CurrentSpanGuard<'a> {
    own: &'a mut Option<TraceContext>,
    outer: Option<TraceContext>,
}

impl<'a> CurrentSpanGuard<'a> {
    fn new(own: &'a mut Option<TraceContext>) -> Self {
        Self { outer: CURRENT.replace(*own), own }
    }
}

impl Drop for CurrentSpanGuard<'_> {
    fn drop(&mut self) {
        *self.own = CURRENT.replace(mem::take(&mut self.outer));
    }
}

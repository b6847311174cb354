//! Where in which trace this thread works at the moment, so that log lines can say it.

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

/// The span inside of which this thread works, if anybody said so.
pub fn current() -> Option<TraceContext> {
    CURRENT.get()
}

/// What is left of the work that [`within`] or [`during`] began here happens inside of this span.
pub fn move_into(context: Option<TraceContext>) {
    CURRENT.set(context);
}

/// Does something inside of a span.
pub fn during<T>(context: Option<TraceContext>, work: impl FnOnce() -> T) -> T {
    let mut own = context;
    let _entered = Entered::new(&mut own);
    work()
}

/// Does something that takes time inside of a span; work that it spawns is outside.
pub async fn within<F: Future>(context: Option<TraceContext>, work: F) -> F::Output {
    let (mut own, mut work) = (context, pin!(work));
    let entered = |task: &mut Context<'_>| -> Poll<F::Output> {
        let _entered = Entered::new(&mut own);
        work.as_mut().poll(task)
    };
    poll_fn(entered).await
}

/// Changes places with what was there, and back at the end, also when the work panics.
struct Entered<'a> {
    own: &'a mut Option<TraceContext>,
    outer: Option<TraceContext>,
}

impl<'a> Entered<'a> {
    fn new(own: &'a mut Option<TraceContext>) -> Self {
        Self { outer: CURRENT.replace(*own), own }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        *self.own = CURRENT.replace(mem::take(&mut self.outer));
    }
}

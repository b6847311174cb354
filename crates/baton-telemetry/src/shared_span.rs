//! A span with several owners.

use crate::OpenSpan;
use baton_types::TraceContext;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A span with several owners: cheap to clone, ended once; later edits are ignored.
#[derive(Clone)]
pub struct SharedSpan(Arc<Mutex<SharedSpanState>>);

enum SharedSpanState {
    Open(OpenSpan),
    Ended(Option<TraceContext>),
}

impl SharedSpan {
    /// Wraps a span.
    pub fn new(span: OpenSpan) -> Self {
        Self(Arc::new(Mutex::new(SharedSpanState::Open(span))))
    }

    /// Context for child spans, also after the end.
    pub fn context(&self) -> Option<TraceContext> {
        match &*self.state() {
            SharedSpanState::Open(span) => span.context(),
            SharedSpanState::Ended(context) => *context,
        }
    }

    /// Edits the span, unless it has ended.
    pub fn edit(&self, say: impl FnOnce(&mut OpenSpan)) {
        if let SharedSpanState::Open(span) = &mut *self.state() {
            say(span);
        }
    }

    /// Ends the span.
    pub fn end(&self) {
        let mut state = self.state();
        if let SharedSpanState::Open(span) = &*state {
            let ended = SharedSpanState::Ended(span.context());
            let span = std::mem::replace(&mut *state, ended);
            // The lock is released before the span reaches its sink.
            drop(state);
            drop(span);
        }
    }

    fn state(&self) -> MutexGuard<'_, SharedSpanState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedSpan").field(&self.context()).finish()
    }
}

//! Where meters listen: at the way of spans to their store, and at the commits of the journal.

use super::{Meters, OpenTasks};
use baton_ports::{CommitObserver, SpanSink, StoredEvent};
use baton_types::Span;
use std::sync::Arc;

/// Passes spans on after the meters have seen them, whether there is room for them or not.
pub struct MeteredSink {
    sink: Arc<dyn SpanSink>,
    meters: Arc<Meters>,
}

impl MeteredSink {
    /// A sink before that one.
    pub fn new(sink: Arc<dyn SpanSink>, meters: Arc<Meters>) -> Self {
        Self { sink, meters }
    }
}

impl SpanSink for MeteredSink {
    fn emit(&self, span: Span) {
        self.meters.observe(&span);
        self.sink.emit(span);
    }

    fn now(&self) -> u64 {
        self.sink.now()
    }

    fn fresh(&self) -> [u8; 16] {
        self.sink.fresh()
    }
}

/// Counts what the journal writes, and passes it on.
pub struct MeteredCommits {
    meters: Arc<Meters>,
    tasks: Arc<OpenTasks>,
    next: Option<Arc<dyn CommitObserver>>,
}

impl MeteredCommits {
    /// An observer before that one.
    pub fn new(meters: Arc<Meters>, tasks: Arc<OpenTasks>, next: Option<Arc<dyn CommitObserver>>) -> Self {
        Self { meters, tasks, next }
    }
}

impl CommitObserver for MeteredCommits {
    fn committed(&self, events: &[Arc<StoredEvent>]) {
        self.meters.committed(events.len());
        self.tasks.heard(events);
        if let Some(next) = &self.next {
            next.committed(events);
        }
    }
}

//! Decorators that feed the metrics: a span sink and a commit observer.

use crate::{Meters, OpenTasks};
use baton_ports::{CommitObserver, StoredEvent};
use baton_telemetry::{SpanObserver as _, SpanSink};
use baton_types::Span;
use std::sync::Arc;

/// Records metrics of each span, then forwards it, even if the store drops it.
pub struct MeteredSink {
    sink: Arc<dyn SpanSink>,
    meters: Arc<Meters>,
}

impl MeteredSink {
    /// Wraps a sink.
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

    fn random_bytes(&self) -> [u8; 16] {
        self.sink.random_bytes()
    }
}

/// Counts journal commits, then forwards them.
pub struct MeteredCommits {
    meters: Arc<Meters>,
    tasks: Arc<OpenTasks>,
    next: Option<Arc<dyn CommitObserver>>,
}

impl MeteredCommits {
    /// Wraps an observer.
    pub fn new(meters: Arc<Meters>, tasks: Arc<OpenTasks>, next: Option<Arc<dyn CommitObserver>>) -> Self {
        Self { meters, tasks, next }
    }
}

impl CommitObserver for MeteredCommits {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        self.meters.committed(events.len());
        self.tasks.apply(events);
        if let Some(next) = &self.next {
            next.on_commit(events);
        }
    }
}

//! Sink of the spans of this process.

use baton_types::Span;

/// Observes spans of this process when they end.
pub trait SpanObserver: Send + Sync + 'static {
    /// Observes an ended span.
    fn observe(&self, span: &Span);
}

/// Accepts the spans of this process without blocking.
pub trait SpanSink: Send + Sync + 'static {
    /// Queues a span; if the queue is full, the span is dropped and counted.
    fn emit(&self, span: Span);

    /// The current time, in nanoseconds since the Unix epoch.
    fn now(&self) -> u64;

    /// Random bytes for a new id.
    fn random_bytes(&self) -> [u8; 16];
}

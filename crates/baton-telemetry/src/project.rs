//! Spans derived from journaled events; the same events always yield the same spans.

mod calls;
mod context;
mod extra_calls;
mod handoff;
mod messages;
mod span_draft;
mod task;

pub use handoff::HandoffSpans;
pub use task::{EventMetadata, ModelLabel, TaskSpans};

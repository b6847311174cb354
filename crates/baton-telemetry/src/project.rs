//! Spans derived from journaled events; the same events always yield the same spans.

mod beside;
mod calls;
mod context;
mod handoff;
mod make;
mod messages;
mod task;

pub use handoff::HandoffSpans;
pub use task::{EventMetadata, ModelLabel, TaskSpans};

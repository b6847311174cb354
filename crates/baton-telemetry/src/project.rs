//! The spans of journaled facts: the same events always give the same spans.

mod beside;
mod calls;
mod context;
mod handoff;
mod make;
mod messages;
mod task;

pub use handoff::HandoffSpans;
pub use task::{ModelLabel, TaskSpans, Told};

//! Telemetry of Baton: attribute names, emit modes, and the spans derived from journaled events.
//!
//! This crate must never read the environment, a clock or a file, and never decide anything about a task: it only
//! describes events that have happened.
//!
//! Read first: [`Tracer`] and [`OpenSpan`] (live spans), [`TaskSpans`] (spans derived from the journal),
//! [`TelemetrySettings`] (configuration), [`names`].

mod current;
pub mod ids;
pub mod names;
mod project;
mod read;
mod settings;
mod shape;
mod shared_span;
mod sink;
mod tracer;

pub use current::{current_span, in_span, set_current_span, with_span};
pub use project::{EventMetadata, HandoffSpans, ModelLabel, TaskSpans};
pub use settings::{ContentCapture, EmitMode, ModeSource, Schema, TelemetrySettings};
pub use shape::{ALIASES, RENAMED_ATTRIBUTES, rewrite_attributes};
pub use shared_span::SharedSpan;
pub use sink::{SpanObserver, SpanSink};
pub use tracer::{OpenSpan, SCOPE, SpanOrigin, Tracer};

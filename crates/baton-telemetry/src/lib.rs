//! Telemetry of Baton: attribute names, emit modes, and the spans derived from journaled events.
//!
//! This crate must never read the environment, a clock or a file, and never decide anything about a task: it only
//! describes events that have happened.
//!
//! Read first: [`Tracer`] and [`OpenSpan`] (live spans), [`TaskSpans`] (spans derived from the journal), [`TelemetrySettings`]
//! (configuration), [`Meters`] (metrics), [`names`].

mod current;
pub mod ids;
mod meters;
pub mod names;
mod project;
mod read;
mod settings;
mod shape;
mod shared;
mod tracer;

pub use current::{current, during, move_into, within};
pub use meters::{
    Instrument, InstrumentKind, JournalLevels, Levels, MOST_SERIES, MeterFamily, MeterPoint, MeterReading,
    MeterSource, MeteredCommits, MeteredSink, Meters, OpenTasks, Shown, SpanLevels, instruments,
};
pub use project::{HandoffSpans, ModelLabel, TaskSpans, Told};
pub use settings::{Content, EmitMode, ModeSource, Schema, Settings};
pub use shape::{ALIASES, RENAMED, shape};
pub use shared::SharedSpan;
pub use tracer::{OpenSpan, Origin, SCOPE, Tracer};

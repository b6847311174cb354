//! What Baton says about itself: the names it uses, the modes in which it says them, and the spans that follow from
//! journaled facts.
//!
//! This crate must never read the environment, a clock or a file, and never decide anything about a task: it describes
//! what has become true.
//!
//! Read first: [`Tracer`] and [`OpenSpan`] (spans of what happens now), [`TaskSpans`] (spans of what the journal says),
//! [`Settings`] (what is said and how), [`Meters`] (what is counted and timed), [`names`].

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
    Instrument, InstrumentKind, JournalLevels, Levels, MOST_SERIES, MeterFamily, MeterPoint, MeterReading, MeterSource,
    MeteredCommits, MeteredSink, Meters, OpenTasks, Shown, SpanLevels, instruments,
};
pub use project::{HandoffSpans, ModelLabel, TaskSpans, Told};
pub use settings::{Content, EmitMode, ModeSource, Schema, Settings};
pub use shape::{ALIASES, RENAMED, shape};
pub use shared::SharedSpan;
pub use tracer::{OpenSpan, Origin, SCOPE, Tracer};

//! What Baton says about itself: the names it uses, the modes in which it says them, and the spans that follow from
//! journaled facts.
//!
//! This crate must never read the environment, a clock or a file, and never decide anything about a task: it describes
//! what has become true.
//!
//! Read first: [`Tracer`] and [`OpenSpan`] (spans of what happens now), [`Settings`] (what is said and how), [`names`].

mod current;
pub mod names;
mod settings;
mod shape;
mod shared;
mod tracer;

pub use current::{current, during, move_into, within};
pub use settings::{Content, EmitMode, ModeSource, Schema, Settings};
pub use shape::{RENAMED, shape};
pub use shared::SharedSpan;
pub use tracer::{OpenSpan, Origin, SCOPE, Tracer};

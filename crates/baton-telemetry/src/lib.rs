//! What Baton says about itself: the names it uses, the modes in which it says them, and the spans that follow from
//! journaled facts.
//!
//! This crate must never read the environment, a clock or a file, and never decide anything about a task: it describes
//! what has become true.
//!
//! Read first: [`Tracer`] and [`OpenSpan`] (spans of what happens now), [`Settings`] (what is said and how), [`names`].

pub mod names;
mod settings;
mod shape;
mod tracer;

pub use settings::{Content, EmitMode, ModeSource, Schema, Settings};
pub use shape::{RENAMED, shape};
pub use tracer::{OpenSpan, Origin, SCOPE, Tracer};

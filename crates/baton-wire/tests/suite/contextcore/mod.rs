//! ContextCore's dialect, in both directions.

mod discovery;
mod golden;
mod refusals;
mod round_trips;

//! The ContextCore dialect, in both directions.

mod discovery;
mod golden;
mod refusals;
mod round_trips;

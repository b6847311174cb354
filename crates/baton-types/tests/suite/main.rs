//! Stored values round-trip.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod backoff;
mod facts;
mod globs;
mod json;
mod time;

//! Tests of the public API of `baton-responses`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod chat;
mod data_parts;
mod histories;
mod refusals;
mod requests;
mod streams;

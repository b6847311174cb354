//! The surface over a real engine: what clients see when they behave, and when they do not.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod bad_input;
mod cards;
mod connections;
mod equivalence;
mod sends;
mod storage;
mod streams;
mod tasks;
mod world;

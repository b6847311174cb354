//! Tests of the messages that exporters send and Tempo clients read.
#![expect(clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod answers;
mod bounds;
mod forms;
mod generate;
mod other_signals;
mod round_trip;

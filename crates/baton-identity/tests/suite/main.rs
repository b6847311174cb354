//! Tests of the crate from outside.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod forger;
mod signed_cards;
mod signing_keys;

//! Tests of the wire types: JSON sent to peers, and the interpretation of their JSON.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod arbitrary;
mod card_payload;
mod cards;
mod catalog;
mod contextcore;
mod fuzz_findings;
mod golden;
mod projector;
mod refusals;
mod sample;
mod v03;

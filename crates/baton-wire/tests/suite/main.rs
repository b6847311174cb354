//! What peers see and what Baton makes of what they send.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod arbitrary;
mod canonical;
mod card_payload;
mod cards;
mod catalog;
mod contextcore;
mod found;
mod golden;
mod projector;
mod refusals;
mod sample;
mod sse;
mod v03;

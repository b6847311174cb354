//! What gRPC peers see and what Baton makes of what they send.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod arbitrary;
mod facts;
mod found;
mod golden;
mod old;
mod refusals;
mod roundtrip;
mod sample;
mod service;

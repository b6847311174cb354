//! Tests of the protobuf messages and their mapping to the wire types.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod arbitrary;
mod facts;
mod fuzz_findings;
mod generated;
mod golden;
mod refusals;
mod roundtrip;
mod sample;
mod service;
mod v03;

//! Push notifications, as receivers see them.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod fixtures;
mod push;
#[expect(dead_code, reason = "the receiver is shared with the tests of baton-outbound, which use all of it")]
#[path = "../../../baton-outbound/tests/suite/fixtures.rs"]
mod receiver;

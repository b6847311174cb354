//! Agents in code, served and talked to.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod made;
mod managed;
mod refused;
mod served;

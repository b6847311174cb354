//! Agents defined in Rust, served and called by clients.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod exported;
mod made;
mod managed;
mod rejections;
mod served;

//! Baton as MCP clients of both eras see it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod desk;
mod exported;
mod line;
mod own;

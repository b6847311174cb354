//! Baton as MCP clients of both eras see it.
#![expect(deprecated, reason = "sampling and logging are on their way out of MCP, and clients still use them")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod desk;
mod environment;
mod exported;
mod line;
mod manage;
mod own;

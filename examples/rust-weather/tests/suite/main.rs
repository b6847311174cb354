//! Runs the example program and calls it with A2A and MCP clients.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

mod a2a;
mod exported;
mod mcp;
mod page;
mod program;

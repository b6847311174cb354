//! The MCP servers as seen by clients of both protocol eras.
#![expect(deprecated, reason = "sampling and logging are on their way out of MCP, and clients still use them")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod environment;
mod exported;
mod invoker;
mod manage;
mod mcp_client;
mod own;
#[path = "../../../baton-rules/tests/suite/permission_cases.rs"]
mod permission_cases;

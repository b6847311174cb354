//! The tool host against scripted servers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod calls;
mod http_tools;
mod internal;
mod native;
mod remote;
mod servers;
mod span_collector;

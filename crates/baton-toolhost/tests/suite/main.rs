//! The tool host against scripted servers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[cfg(unix)]
mod calling;
mod calls;
#[cfg(unix)]
mod commands;
#[cfg(target_os = "linux")]
mod detached;
mod http_tools;
mod internal;
mod native;
mod remote;
mod servers;
mod span_collector;

//! Address policy, calls and redirects, as receivers see them.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod allow;
mod calls;
mod connections;
mod fixtures;
mod http2;
mod identity;
mod names;
mod policy;
mod redirects;
mod streaming;
mod targets;
mod tls;

//! What may be reached, what may not, and what receivers see.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod allow;
mod calls;
mod http2;
mod identity;
mod names;
mod opened;
mod policy;
mod push;
mod redirects;
mod targets;
mod tls;
mod world;

//! Providers on the wire: aimock for all services, and scripted servers for faults.
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod aimock;
mod calls;
mod cancellation;
mod chunks;
mod embeddings;
mod faults;
mod protocols;
mod requests;
mod retries;
mod scripted_server;
mod secrets;
mod signatures;
mod wire;

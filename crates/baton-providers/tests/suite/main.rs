//! Providers on the wire: a stand-in for all of their services, and scripted servers for what it cannot do.
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod aimock;
mod ask;
mod cancelled;
mod embeddings;
mod faults;
mod pieces;
mod scripted;
mod secrets;
mod sent;
mod signed;
mod tries;
mod wire;

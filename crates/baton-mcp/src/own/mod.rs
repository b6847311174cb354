//! Baton's own server: finding and calling every agent that is served.
//!
//! `server.rs` is the table of what a client can do; each tool is one file.

mod call;
mod known;
mod list;
mod server;
mod shapes;
mod tools;

pub use server::{OwnOptions, OwnServer};
pub use tools::Names;

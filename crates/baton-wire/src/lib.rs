//! Wire types of the protocol dialects that Baton supports, and their mapping to and from the types of `baton-types`.
//!
//! This crate must never do I/O, read a clock, or make decisions about a task: it parses bytes into checked values and
//! serializes values into bytes. Numbers inside data parts and metadata keep every digit.
//!
//! Read first: [`a2a::v1::Message`] (wire form of a message), [`a2a::v1::StreamProjector`] (maps journaled events to
//! A2A stream events), [`a2a::v1::Error`] (error responses), [`jsonrpc::RpcRequest`] (the envelope). Other dialects,
//! such as [`contextcore`], are mapped to and from A2A 1.0.

pub mod a2a;
pub mod catalog;
pub mod contextcore;
mod de;
pub mod error_codes;
pub mod jsonrpc;
mod members;

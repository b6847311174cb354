//! Wire types of the dialects that Baton speaks, and their mapping to and from the nouns of `baton-types`.
//!
//! This crate must never do I/O, read a clock, or decide what happens to a task: it turns bytes into checked values
//! and values into bytes. Numbers inside data parts and metadata keep every digit.
//!
//! Read first: [`a2a::v1::Message`] (how a message travels), [`a2a::v1::StreamProjector`] (how journaled events
//! become A2A stream events), [`a2a::v1::Error`] (how a refusal looks), [`jsonrpc::Request`] (the envelope). Other
//! dialects, such as [`contextcore`], are mapped to and from A2A 1.0.

pub mod a2a;
pub mod api;
mod base64;
mod canonical;
pub mod catalog;
pub mod contextcore;
mod de;
mod depth;
pub mod jsonrpc;
mod members;
mod path;
pub mod sse;
mod violation;

pub use canonical::{NotCanonical, canonical_json};
pub use depth::depth_within;
pub use path::path_segment;
pub use violation::{FieldViolation, Violations};

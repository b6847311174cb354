//! A2A over gRPC: the messages and services of 1.0 and 0.3, and their mapping to and from the wire types.
//!
//! This crate must never do I/O, read a clock or make decisions about a task, and its messages must stay at the gRPC
//! boundary: internally, `baton_wire::a2a::v1` is the only form. Values that gRPC cannot represent are rejected with
//! the path of the field, or listed in the documentation of [`v1`] and [`v03`]; nothing changes silently.
//!
//! Read first: [`v1`] and [`v03`] (the mappings, as `TryFrom` in both directions), [`Codec`] (encoding of messages),
//! [`status`] (error responses).

mod card;
mod codec;
mod fault;
mod json;
mod scalar;
mod status;
pub mod v03;
pub mod v1;

pub use codec::{ClientCodec, Codec};
pub use status::{error_from_status, status};

//! A2A 1.0: `lf.a2a.v1` to and from the wire types, as `TryFrom` in both directions.
//!
//! Conversion from protobuf takes ownership of the fields; conversion to protobuf copies borrowed data. A request that
//! cannot be represented is rejected as invalid parameters with the path of the field, a response as an invalid agent
//! response.
//!
//! Differences from the JSON bindings:
//!
//! - Numbers in data parts and metadata are doubles. Integers beyond 2^53 are rounded, numbers beyond the range of a
//!   double are rejected. In the other direction, integers up to 2^53 are written without a fraction (`42`, not
//!   `42.0`).
//! - Members of JSON objects are sorted by name, and of duplicate members the last one counts.
//! - JSON values are nested at most 30 objects or 45 arrays deep, because protobuf parsers stop at 100 messages.
//! - An empty string counts as absent, except as the content of a part; so does an empty list.
//! - `GetTaskRequest` has no `currentGeneration`; a request that sets it is rejected.
//! - `ListTasksResponse.totalSize` saturates at 2^31 - 1.

mod card;
mod event;
mod list;
mod message;
mod push;
mod request;
mod security;
mod task;

/// The generated messages and services.
#[expect(missing_docs, reason = "generated; the schema says what its fields are")]
pub mod pb {
    include!("../generated/lf.a2a.v1.rs");
}

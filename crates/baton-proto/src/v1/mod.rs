//! A2A 1.0: `lf.a2a.v1` to and from the wire types, as `TryFrom` in both directions.
//!
//! Reading takes a message apart and owns what it finds; writing copies what the wire types borrow. A request that
//! cannot be carried is refused as invalid parameters with the path of the field, an answer as an invalid agent
//! response.
//!
//! What is different from the JSON bindings:
//!
//! - Numbers in data parts and metadata are doubles. Integers beyond 2^53 are rounded, numbers beyond the range of a
//!   double are refused. On the way back whole numbers up to 2^53 are integers again (`42`, not `42.0`).
//! - Members of JSON objects come back in the order of their names, and of two with one name the last counts.
//! - JSON values are nested at most 30 objects or 45 arrays deep, because protobuf readers stop at 100 messages.
//! - An empty text is an absent one, except as the content of a part; so is an empty list.
//! - `GetTaskRequest` has no `currentGeneration` and is refused when it is set.
//! - `ListTasksResponse.totalSize` counts to 2^31 - 1 and stays there.

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
    include!(concat!(env!("OUT_DIR"), "/lf.a2a.v1.rs"));
}

//! A2A 0.3: `a2a.v1` to and from the wire types of 1.0, as `TryFrom` in both directions.
//!
//! [`pb::StreamResponse::of`] takes one word more: whether the stream ends with the item.
//!
//! What [`crate::v1`] says of numbers, members, depth and empty texts holds here too. Beyond that:
//!
//! - Tasks and push configurations go by resource names, `tasks/{id}` and
//!   `tasks/{id}/pushNotificationConfigs/{id}`.
//! - `blocking` is false unless it is set, and then the answer comes as soon as the task exists: that is what the
//!   schema means, what Python's server does, and why Python's client always says which it wants. A request without
//!   any configuration waits for the turn to end, as in the other bindings.
//! - `historyLength` 0 means that nothing was said; nobody can ask for no history, so such a request is refused.
//! - `fileWithBytes` holds base64 text, as the SDKs for Python and Go write and expect it. Bytes that are no base64 text are
//!   taken as they are; a file whose own content is base64 text is taken for its encoding.
//! - Data that is not an object travels as `{"value": ...}` with `data_part_compat` in the part's metadata.
//! - There is no room for `referenceTaskIds` of messages, `filename` and `mediaType` of text and data parts,
//!   `metadata` of a cancel and `pkceRequired`: they are left out. `tenant` and device-code flows are refused,
//!   because without them the request would reach somebody else and the card would mislead.

mod card;
mod event;
mod message;
mod name;
mod part;
mod push;
mod request;
mod security;
mod task;

/// The generated messages and services.
#[expect(missing_docs, reason = "generated; the schema says what its fields are")]
pub mod pb {
    include!(concat!(env!("OUT_DIR"), "/a2a.v1.rs"));
}

//! A2A 0.3: `a2a.v1` to and from the wire types of 1.0, as `TryFrom` in both directions.
//!
//! [`pb::StreamResponse`] has `from_wire` instead, with an additional parameter: whether the stream ends with the item.
//!
//! The differences of [`crate::v1`] in numbers, members, depth and empty strings apply here too. In addition:
//!
//! - Tasks and push configurations are identified by resource names, `tasks/{id}` and
//!   `tasks/{id}/pushNotificationConfigs/{id}`.
//! - `blocking` defaults to false, and the response is then sent as soon as the task exists: this follows the schema
//!   and Python's server, and Python's client always sets it. A request without any configuration waits for the turn to
//!   end, as in the other bindings.
//! - `historyLength` 0 counts as absent; an empty history cannot be requested, so such a request is rejected.
//! - `fileWithBytes` contains base64 text, as in the SDKs for Python and Go. Other bytes are accepted unchanged; a file
//!   whose content is itself base64 text is misread as its encoding.
//! - Data that is not an object is sent as `{"value": ...}` with `data_part_compat` in the part's metadata.
//! - `referenceTaskIds` of messages, `filename` and `mediaType` of text and data parts, `metadata` of a cancel and
//!   `pkceRequired` cannot be represented and are omitted. `tenant` and device-code flows are rejected, because without
//!   them the request would reach another agent and the card would be misleading.

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
    include!("../generated/a2a.v1.rs");
}

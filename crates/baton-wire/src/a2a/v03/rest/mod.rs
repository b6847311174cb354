//! A2A 0.3 over HTTP+JSON: the ProtoJSON of its proto (package `a2a.v1`), which is not the JSON of its JSON-RPC.
//!
//! What differs from [`v03`](super): no `kind`; roles and states by their proto names (`ROLE_USER`,
//! `TASK_STATE_CANCELLED` with two L) or numbers; a message has `content` instead of `parts` and no
//! `referenceTaskIds`; files are `fileWithUri` or `fileWithBytes`; data stands in a shell `{"data": {...}}`; answers
//! are wrapped in `task` or `message`. Three fields have a JSON name that is not their proto name, and both are read:
//! `message` for `request`, `update` and `msg`. Names are read in camel and snake case and written in camel case.
//!
//! Routes, all below `/v1`, as the Python SDK 0.3 serves and calls them:
//!
//! | Route | Body or query | Answer |
//! |---|---|---|
//! | `POST message:send` | [`SendMessageRequest`] | [`SendMessageResponse`] |
//! | `POST message:stream` | [`SendMessageRequest`] | SSE, each `data` a bare [`StreamResponse`] |
//! | `GET tasks/{id}` | `historyLength` | [`Task`] |
//! | `POST tasks/{id}:cancel` | `{"name": "tasks/{id}"}`, nobody looks at it | [`Task`] |
//! | `GET tasks/{id}:subscribe` | | SSE as above |
//! | `POST tasks/{id}/pushNotificationConfigs` | [`CreatePushRequest`] | [`TaskPushNotificationConfig`] |
//! | `GET tasks/{id}/pushNotificationConfigs/{id}` | | [`TaskPushNotificationConfig`] |
//! | `GET tasks/{id}/pushNotificationConfigs` | `pageSize`, `pageToken` | [`ListPushResponse`] |
//! | `DELETE tasks/{id}/pushNotificationConfigs/{id}` | | `{}` |
//! | `GET card` | | the card as in JSON-RPC, [`super::AgentCard`], not its ProtoJSON |
//!
//! The Python server never served the list and the deletion, and its client calls neither; the proto has both.
//! A refusal is `{"message": ...}` with a status of its own ([`http_status`], [`error_body`]); the client acts on the
//! status alone.
//!
//! Habits of the SDKs that decide how things are read and written:
//!
//! - They put the base64 *text* of a file into the proto's `bytes`, so JSON carries base64 of base64, and a client
//!   that gets the plain kind fails on the first byte that is not UTF-8. So it is written twice encoded and read
//!   either way; only a plain file whose content is itself well-formed base64 is misread.
//! - proto3 leaves out `false`, so a configuration without `blocking` means `false` here, where JSON-RPC means `true`;
//!   a request without any configuration still waits, as one does who does not care.
//! - The Python client refuses answers with members that the proto does not have, so nothing is added to them.
//! - An empty string is no string.

mod enums;
mod error;
mod events;
mod message;
mod part;
mod push;
mod request;
mod task;

pub use enums::TaskState;
pub use error::{error_body, http_status};
pub use events::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use message::Message;
pub use part::{DataPart, FilePart, Part};
pub use push::{
    CreatePushRequest, ListPushResponse, TaskPushNotificationConfig, push_name, push_of, task_name, task_of,
};
pub use request::{SendMessageConfiguration, SendMessageRequest};
pub use task::{Artifact, Task, TaskStatus};

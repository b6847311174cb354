//! A2A 0.3 over HTTP+JSON: the ProtoJSON of its proto (package `a2a.v1`), which differs from the JSON of its JSON-RPC.
//!
//! Differences from [`v03`](super): no `kind`; roles and states by their proto names (`ROLE_USER`,
//! `TASK_STATE_CANCELLED` with two L) or numbers; a message has `content` instead of `parts` and no `referenceTaskIds`;
//! files are `fileWithUri` or `fileWithBytes`; data is wrapped in `{"data": {...}}`; responses are wrapped in `task` or
//! `message`. Three fields have a JSON name that differs from their proto name, and both are accepted: `message` for
//! `request`, `update` and `msg`. Names are accepted in camel and snake case and written in camel case.
//!
//! Routes, all below `/v1`, as the Python SDK 0.3 serves and calls them:
//!
//! | Route | Body or query | Response |
//! |---|---|---|
//! | `POST message:send` | [`SendMessageRequest`] | [`SendMessageResponse`] |
//! | `POST message:stream` | [`SendMessageRequest`] | SSE, each `data` a bare [`StreamResponse`] |
//! | `GET tasks/{id}` | `historyLength` | [`Task`] |
//! | `POST tasks/{id}:cancel` | `{"name": "tasks/{id}"}`, ignored | [`Task`] |
//! | `GET tasks/{id}:subscribe` | | SSE as above |
//! | `POST tasks/{id}/pushNotificationConfigs` | [`CreatePushRequest`] | [`TaskPushNotificationConfig`] |
//! | `GET tasks/{id}/pushNotificationConfigs/{id}` | | [`TaskPushNotificationConfig`] |
//! | `GET tasks/{id}/pushNotificationConfigs` | `pageSize`, `pageToken` | [`ListPushResponse`] |
//! | `DELETE tasks/{id}/pushNotificationConfigs/{id}` | | `{}` |
//! | `GET card` | | the card as in JSON-RPC, [`super::AgentCard`], not its ProtoJSON |
//!
//! The Python server never implemented list and delete, and its client calls neither; the proto has both. An error is
//! `{"message": ...}` with a specific status ([`http_status`], [`error_body`]); the client evaluates only the status.
//!
//! SDK behavior that determines the mapping:
//!
//! - SDKs put the base64 *text* of a file into the proto's `bytes`, so the JSON contains base64 of base64, and a client
//!   that gets single base64 fails on the first byte that is not UTF-8. So files are written with double encoding and
//!   accepted in either form; only a singly encoded file whose content is itself well-formed base64 is misread.
//! - proto3 omits `false`, so a configuration without `blocking` means `false` here, but `true` in JSON-RPC; a request
//!   without any configuration still blocks.
//! - The Python client rejects responses with members that the proto does not define, so no members are added.
//! - An empty string counts as absent.

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
    CreatePushRequest, ListPushResponse, TaskPushNotificationConfig, parse_push_name, parse_task_name, push_name,
    task_name,
};
pub use request::{SendMessageConfiguration, SendMessageRequest};
pub use task::{Artifact, Task, TaskStatus};

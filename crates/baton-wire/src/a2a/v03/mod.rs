//! A2A 0.3, as mappings to and from 1.0, the only model that Baton works with internally.
//!
//! This module contains the parameters and results of the JSON-RPC methods; [`rest`] contains the bodies of the
//! HTTP+JSON binding. Every type maps in both directions, for servers and clients: `From<v1::...>` (or `from_v1`)
//! converts to 0.3, `into_v1` converts to 1.0. Errors use the field names of 0.3.
//!
//! | Method | Parameters | Result |
//! |---|---|---|
//! | `message/send` | [`MessageSendParams`] | [`SendResult`] |
//! | `message/stream` | [`MessageSendParams`] | a stream of [`StreamItem`] |
//! | `tasks/get` | [`TaskQueryParams`] | [`Task`] |
//! | `tasks/cancel` | [`TaskIdParams`] | [`Task`] |
//! | `tasks/resubscribe` | [`TaskIdParams`] | a stream of [`StreamItem`] |
//! | `tasks/pushNotificationConfig/set` | [`TaskPushNotificationConfig`] | [`TaskPushNotificationConfig`] |
//! | `tasks/pushNotificationConfig/get` | [`GetPushParams`] | [`TaskPushNotificationConfig`] |
//! | `tasks/pushNotificationConfig/list` | [`TaskIdParams`] | [`TaskPushNotificationConfigs`] |
//! | `tasks/pushNotificationConfig/delete` | [`DeletePushParams`] | `null` |
//! | `agent/getAuthenticatedExtendedCard` | none | [`AgentCard`] |
//!
//! The body of a push notification is a bare [`Task`].
//!
//! Data of 1.0 without a 0.3 equivalent:
//!
//! - a tenant, the conditions of `GetTask`, paging of push configurations: omitted;
//! - `filename` and `mediaType` of a part that is not a file: omitted;
//! - data that is not an object: sent as `{"value": x}`, with a marker in the part's metadata; an object of that shape
//!   that already has the marker is unwrapped by mistake, and empty metadata of wrapped data is lost;
//! - no history at all (`historyLength` 0): requests one message, because 0 means everything;
//! - an unspecified role: omitted;
//! - in [`rest`] also `referenceTaskIds`, and empty strings of optional members;
//! - error kinds introduced in 1.0: internal errors ([`error_object`]);
//! - the device-code flow and PKCE of security schemes: omitted from cards.
//!
//! Data of 0.3 that 1.0 does not preserve: `final`, which is set again at the end of a stream; metadata of `tasks/get`,
//! `tasks/resubscribe` and the push methods; all but the first of `schemes`; `stateTransitionHistory` of a card;
//! timestamps finer than a millisecond.

mod card;
mod data;
mod enums;
mod events;
mod message;
mod part;
mod payload;
mod push;
mod request;
mod request_path;
pub mod rest;
mod result;
mod security;
mod task;
mod union;

pub use card::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill};
pub use enums::{Role, TaskState};
pub use events::{TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use message::Message;
pub use part::{File, Part, PartKind};
pub use push::{
    DeletePushParams, GetPushParams, PushNotificationAuthenticationInfo, PushNotificationConfig,
    TaskPushNotificationConfig, TaskPushNotificationConfigs,
};
pub use request::{MessageSendConfiguration, MessageSendParams, TaskIdParams, TaskQueryParams};
pub use result::{SendResult, StreamItem, error_object};
pub use security::{Security, SecurityScheme};
pub use task::{Artifact, Task, TaskStatus};
pub use union::UnionCard;

/// Protocol version of this module, as written in cards.
pub const PROTOCOL_VERSION: &str = "0.3.0";

/// The same version in the form of 1.0, for `AgentInterface.protocolVersion` and the `A2A-Version` header.
pub const INTERFACE_VERSION: &str = "0.3";

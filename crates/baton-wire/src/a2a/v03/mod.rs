//! A2A 0.3, as mappings to and from 1.0: the one model that Baton works with.
//!
//! Here are the parameters and results of its JSON-RPC methods; [`rest`] has the bodies of its HTTP+JSON binding.
//! Every type goes both ways, because servers read what clients write and clients read what servers write:
//! `From<v1::...>` (or `of`) speaks 0.3, `into_v1` understands it. Refusals name fields as 0.3 does.
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
//! A push notification carries a bare [`Task`].
//!
//! What 1.0 says and 0.3 cannot, and what becomes of it:
//!
//! - a tenant, the conditions of `GetTask`, paging of push configurations: left out;
//! - `filename` and `mediaType` of a part that is not a file: left out;
//! - data that is not an object: travels as `{"value": x}`, marked in the part's metadata; an object that looks like
//!   that and carries the mark by itself is taken for such a value, and empty metadata beside one is lost;
//! - no history at all (`historyLength` 0): asks for one message, because 0 means everything;
//! - a role that is unspecified: left out;
//! - in [`rest`] also `referenceTaskIds`, and empty strings where there may be none;
//! - error kinds that came with 1.0: internal errors ([`error_object`]);
//! - the device-code flow and PKCE of security schemes: left out of cards.
//!
//! What 0.3 says and 1.0 does not keep: `final`, which is set again where a stream ends; metadata of `tasks/get`,
//! `tasks/resubscribe` and the push methods; all but the first of `schemes`; `stateTransitionHistory` of a card;
//! moments finer than a millisecond.

mod at;
mod card;
mod data;
mod enums;
mod events;
mod message;
mod part;
mod payload;
mod push;
mod request;
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

/// The version that this module speaks, as its cards write it.
pub const PROTOCOL_VERSION: &str = "0.3.0";

/// The same version as 1.0 writes it, in `AgentInterface.protocolVersion` and the `A2A-Version` header.
pub const INTERFACE_VERSION: &str = "0.3";

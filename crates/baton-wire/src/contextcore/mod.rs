//! ContextCore's dialect of A2A: dotted method names, upper-case states, parts with a `type`.
//!
//! It is served on the same endpoint as A2A 1.0 and mapped to and from [`crate::a2a::v1`] by pure functions, for
//! servers and clients. Names are written in camelCase, as by ContextCore's `to_a2a_dict`, and accepted in camelCase
//! and `snake_case`.
//!
//! Data without a 1.0 equivalent is stored under the metadata key `contextcore` and restored unchanged:
//!
//! - part types specific to ContextCore (`trace`, `log_query`, `commit`, ...) as a data part `{"contextcore": {"type":
//!   "trace", "trace_id": "..."}}`; `json` and `form` as plain data with their type in metadata;
//! - a message's `timestamp`, `agentId`, `sessionId`, `conversationId`, and the `capabilityId` of the send;
//! - an artifact's `mediaType`, `index`, `append`, `lastChunk`, `traceId`, `createdAt`;
//! - a task's `createdTime`.
//!
//! Two things are lost on purpose: `AUTH_REQUIRED` becomes `INPUT_REQUIRED`, and messages with the system role are
//! rejected in a send.
//!
//! A send returns immediately: ContextCore's client creates a task with `message.send`, reads `taskId` and `status`,
//! and polls `tasks.get` every second for up to five minutes, with a timeout of thirty seconds per request. A blocking
//! send would break every task that takes longer.

mod artifact;
mod card;
mod discovery;
mod message;
mod metadata;
mod names;
mod params;
mod part;
mod task;

pub use artifact::Artifact;
pub use card::{Authentication, Capabilities, Card, CardProvider, Skill};
pub use discovery::{Discovery, DiscoveryServer, Endpoints, Telemetry};
pub use message::Message;
pub use names::{Method, PartType, Role, State};
pub use params::{ListParams, SendParams, TaskParams};
pub use part::Part;
pub use task::{CancelResult, Task, TaskList};

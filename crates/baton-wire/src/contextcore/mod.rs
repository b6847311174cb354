//! ContextCore's dialect of A2A: dotted method names, states in capitals, parts with a `type`.
//!
//! It is served beside A2A 1.0 on one endpoint and mapped to and from [`crate::a2a::v1`] by pure functions, in both
//! directions, so that the same values serve a server and a client. Names are written in camelCase, as ContextCore's
//! `to_a2a_dict` does, and read in camelCase and `snake_case`.
//!
//! What 1.0 has no place for travels under the one key `contextcore` of metadata, and comes out as it went in:
//!
//! - the part types that only ContextCore knows (`trace`, `log_query`, `commit`, ...) as a data part
//!   `{"contextcore": {"type": "trace", "trace_id": "..."}}`; `json` and `form` as plain data that remembers its type;
//! - a message's `timestamp`, `agentId`, `sessionId`, `conversationId`, and the `capabilityId` of the send;
//! - an artifact's `mediaType`, `index`, `append`, `lastChunk`, `traceId`, `createdAt`;
//! - a task's `createdTime`.
//!
//! Two things are lost on purpose: `AUTH_REQUIRED` becomes `INPUT_REQUIRED`, and text for the system role is refused
//! in a send.
//!
//! A send is answered at once: ContextCore's client creates work with `message.send`, reads `taskId` and `status`, and
//! asks `tasks.get` every second for up to five minutes, while each of its requests may take thirty seconds only. An
//! answer that waited for the work would break every task that takes longer.

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
pub use card::{Authentication, Capabilities, Card, Provider, Skill};
pub use discovery::{Discovery, Endpoints, Server, Telemetry};
pub use message::Message;
pub use names::{Method, PartType, Role, State};
pub use params::{ListParams, SendParams, TaskParams};
pub use part::Part;
pub use task::{Canceled, Task, TaskList};

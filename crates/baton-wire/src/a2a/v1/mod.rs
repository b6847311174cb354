//! Wire types of A2A 1.0.
//!
//! One set of types serves server and client. The types borrow from `baton-types` when serialized and own their text
//! when deserialized, so clients use them with `'static`.

mod artifact;
mod card;
mod enums;
mod error;
mod events;
mod extension;
mod growing_text;
mod message;
mod part;
mod presentation;
mod project;
mod projector;
mod push;
mod request;
mod response;
mod task;
mod trace;

pub use artifact::Artifact;
pub use card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentProvider, AgentSkill,
    ApiKeySecurityScheme, AuthorizationCodeFlow, CardBinding, CardOptions, ClientCredentialsFlow, DeviceCodeFlow,
    GrpcEndpoint, HttpAuthSecurityScheme, INPUT_MODES, ImplicitFlow, MutualTlsSecurityScheme, OAuth2SecurityScheme,
    OAuthFlows, OpenIdConnectSecurityScheme, PasswordFlow, Scopes, SecurityRequirement, SecurityScheme,
    candidate_payloads,
};
pub(in crate::a2a) use card::{SIGNATURES, is_older, without_empty};
pub(crate) use enums::enumeration;
pub use enums::{Role, TaskState};
pub use error::{Error, ErrorKind, ErrorObject, RestError};
pub use events::{StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use extension::{
    ENVIRONMENT, GENERATION, IDEMPOTENCY, STREAM_TEXT, TOOL_CALLS, TOOL_EXECUTION, environment_url,
    generation_metadata, requested_generation, requested_idempotency_key, requested_tool_execution,
    tool_execution_metadata,
};
pub(crate) use message::check_id;
pub use message::{MAX_PARTS, Message};
pub use part::Part;
pub use presentation::{CallVisibility, Presentation, PresentationRequest};
pub use project::{HANDOFF_KEY, REASON_KEY, TOOL_RESULT_KEY, project};
pub use projector::{StreamProjection, StreamProjector};
pub use push::{
    AuthenticationInfo, GetExtendedAgentCardRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig, TaskPushNotificationConfigRequest,
};
pub use request::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, SendMessageConfiguration, SendMessageRequest,
    SubscribeToTaskRequest, read_params, read_params_text,
};
pub use response::{ListTasksResponse, SendMessageResponse};
pub use task::{ArtifactInclusion, HistoryLength, Task, TaskStatus};
pub use trace::{TRACEPARENT, take_traceparent, with_traceparent};

/// Protocol version of this module, as written in cards and the `A2A-Version` header.
pub const PROTOCOL_VERSION: &str = "1.0";

//! Domain types of Baton as plain values: agents, messages, tasks, events, handoffs, and the errors shown to users.
//!
//! This crate must never do I/O, read a clock, draw a random number or implement a wire dialect. The serde derives here
//! are the storage form of the journal; external clients see `baton-wire` types instead.
//!
//! Read first: [`TaskEvent`] (journaled events of a task), [`Message`] (messages between callers and agents),
//! [`AgentSpec`] (a resolved agent definition), [`ErrorCode`] (the registry of user-facing errors).

mod a2a_settings;
mod agent;
mod agent_change;
mod agent_resources;
mod backoff;
mod budget;
mod caller_server;
mod clock;
mod compaction;
mod digest;
mod error_code;
mod event;
mod guardrail;
mod handoff;
mod ids;
mod instrument;
mod journal_event;
mod json;
mod knowledge;
mod known_provider;
mod listing;
mod message;
mod meter;
mod names;
mod permission;
mod permission_change;
mod permission_rules;
mod principal;
mod printable;
mod provider;
mod push;
mod reasoning;
pub mod rfc3339;
mod run_options;
mod session;
mod span;
mod task;
mod time;
mod tool;
mod tool_input;
mod trace;
mod upcast;
mod usage;
mod violation;

pub use a2a_settings::{A2aSettings, AnswerPlacement, TextDelivery};
pub use agent::{
    AgentPublisher, AgentSpec, AnswerFormat, ControlTools, GenerationSettings, HandoffTarget, ModelSpec, Orchestration,
    PublisherInfo, RunLimits, SkillSpec,
};
pub use agent_change::{AgentChange, ItemDraft, MetadataChange};
pub use agent_resources::{
    AgentResources, ExportedTool, InclusionModes, McpEra, McpOauth, McpPermissions, McpServer, McpTimeouts,
    McpTransport,
};
pub use backoff::{Backoff, BackoffPolicy, Jitter};
pub use budget::{Budget, BudgetUsage, Budgets};
pub use caller_server::{CallerServerSpec, CallerServerTool};
pub use clock::{Clock, IdGenerator};
pub use compaction::{Compaction, FirstMessage};
pub use digest::Digest;
pub use error_code::ErrorCode;
pub use event::{FailureReason, ParentLink, ProviderFailure, SessionGrant, TaskEvent};
pub use guardrail::{GuardRunner, GuardStage, GuardVerdict, Guardrail};
pub use handoff::{ChannelReason, ExpectedOutput, Handoff, HandoffChannel, HandoffEvent, HandoffStatus, Priority};
pub use ids::{
    AgentName, ArtifactId, CallId, ContextId, HandoffId, MessageId, PushConfigId, RunId, SessionId, StreamId, TaskId,
};
pub use instrument::{Instrument, InstrumentKind};
pub use journal_event::{EventDecodeError, JournalEvent};
pub use json::{Json, JsonError, MAX_JSON_DEPTH};
pub use knowledge::{ContextItem, IncludedItem, ItemKind, Knowledge, RelevanceLimits, RequestContext, Thousandths};
pub use known_provider::{
    COMMON_PROVIDER_KEYS, CredentialRule, KnownProvider, PROVIDER_HEADER_PREFIX, PROVIDER_KINDS, PROVIDERS,
    ProtocolRules, ProviderBackend, ProviderKey, ProviderKind, ProviderSetting,
};
pub use listing::AgentListing;
pub use message::{Artifact, Message, Part, PartContent, Role};
pub use meter::{MeterFamily, MeterPoint, MeterSnapshot, MetricValue};
pub use names::{RESERVED_AGENT_NAMES, is_agent_name, is_idempotency_key, is_tool_name};
pub use permission::{ApprovalMode, ArgumentMatch, InclusionMode, Permission, PermissionRule, ToolPolicy};
pub use permission_change::{PermissionChange, PermissionTarget, ToolAccess};
pub use permission_rules::{
    RankedPermission, RuleOutcome, RulePrecision, RuleSubject, ServerToolPermissions, glob_matches, strongest_rule,
};
pub use principal::Principal;
pub use printable::{escape_json, escape_text, is_control_sequence};
pub use provider::{AgentVariables, ProviderEntry};
pub use push::{PushAuthentication, PushConfig, PushDialect};
pub use reasoning::{ModelNote, ReasoningBlock};
pub use run_options::{CallerTool, CallerToolChoice, RunOptions};
pub use session::{ItemName, SessionEntry, SessionEvent, SessionOrigin, SessionOverrides};
pub use span::{
    AttributeKey, Attributes, Span, SpanClass, SpanDropCounts, SpanEvent, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, find_attribute,
};
pub use task::{TaskState, TaskView};
pub use time::{Timestamp, TimestampError};
pub use tool::{
    BUILT_IN_TOOLS, CommandTool, Effects, HttpBody, HttpTool, McpTool, ToolCall, ToolExecution, ToolResult, ToolRunner,
    ToolSpec,
};
pub use tool_input::{AnswerAction, QuestionKind, ToolAnswer, ToolAnswers, ToolInputRequest, ToolQuestion};
pub use trace::{SpanId, TraceContext, TraceId, TraceIdError};
pub use usage::Usage;
pub use violation::{FieldViolation, Violations};

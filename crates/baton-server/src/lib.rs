//! The composition of Baton: typed options become one server with engine, journal, agents, models, tools, telemetry and
//! HTTP surface.
//!
//! It is the only crate that wires the engine to implementations of its ports; the binary and the SDK resolve their
//! configuration into [`ServerOptions`]. This crate must never parse a command line, read a configuration file or an
//! environment variable, print, or decide anything about a task.
//!
//! Read first: [`ServerOptions`] (plain values), [`Server`] (an open server), [`ServerService`] (a server with its
//! listener), [`ServerHandle`] (operations of a running server), [`ServerError`].

mod access;
mod agents;
mod background;
mod components;
mod error;
pub mod error_codes;
pub mod export;
mod handle;
mod http;
mod keys;
mod login;
mod mcp;
mod models;
mod openapi;
mod options;
mod peers;
mod persistence;
mod repair;
mod server;
mod service;
mod surfaces;
mod telemetry;
mod tools;
mod warm;

pub use agents::{AgentSummary, list_agents, list_local_agents};
pub use baton_http::{CorsError, CorsOrigins, RateLimit, Surface, TlsFiles};
pub use baton_http_a2a::{A2aOptions, VersionRule};
pub use baton_http_openai::ResponsesOptions;
pub use baton_identity::{Algorithm, IssuerConfig};
pub use baton_journal::is_owned;
pub use baton_model_registry::{EnvironmentVariables, ModelSettings, process_environment};
pub use baton_models::{ModelCatalog, PlaybookReport, TokenRates, check_playbook};
pub use baton_toolhost::{NativeTools, Tool, ToolContext, ToolError, reap_groups};
pub use error::ServerError;
pub use handle::{ReloadSummary, ServerHandle};
pub use login::McpLogin;
pub use models::{
    AgentModel, DetectedModel, ModelReport, ModelSummary, ModelsReport, ProviderQuery, ProviderReport, ProviderRequest,
    Readiness,
};
pub use openapi::openapi_document;
pub use options::{
    AgentOptions, AgentRequirement, CardRefresh, ExportSettings, HeaderText, IdentityOptions, ListenerLimits,
    ListenerOptions, LostJournal, Management, ModelOptions, PeerOptions, Persistence, PlaybookMode, ProgramAgent,
    PushOptions, RetentionOptions, ServerOptions, TelemetryOptions, TempoMode, TempoServer, ToolOptions,
};
pub use peers::discover_peer;
pub use repair::{RepairStep, damaged_span_files, repair_directory};
pub use server::Server;
pub use service::{RunningServer, ServerService};
pub use surfaces::{SurfaceOptions, app, surface};

use baton_system::{SystemClock, TimeOrderedIds};
use baton_types::{Clock as _, IdGenerator as _, Timestamp};

/// A unique identifier.
pub fn fresh_id() -> String {
    TimeOrderedIds.next_id()
}

/// Current time.
pub fn now() -> Timestamp {
    SystemClock.now()
}

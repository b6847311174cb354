//! Options of a server: plain values, which the caller resolves from its own configuration.

mod agents;
mod listener;
mod models;
mod peers;
mod telemetry;
mod tools;

pub use agents::{AgentOptions, AgentRequirement, ProgramAgent};
pub use listener::{IdentityOptions, ListenerLimits, ListenerOptions};
pub use models::{ModelOptions, PlaybookMode};
pub use peers::{CardRefresh, PeerOptions};
pub use telemetry::{ExportSettings, HeaderText, TelemetryOptions, TempoMode, TempoServer};
pub use tools::ToolOptions;

use baton_export::LogQueue;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Options of a server.
#[derive(Default)]
pub struct ServerOptions {
    /// Storage of all data.
    pub persistence: Persistence,
    /// Treatment of a data directory that has lost its journal.
    pub lost_journal: LostJournal,
    /// Local agents.
    pub agents: AgentOptions,
    /// Whether definitions, permissions, peers and tokens can be changed over the APIs.
    pub management: Management,
    /// Remote agents.
    pub peers: PeerOptions,
    /// Models.
    pub models: ModelOptions,
    /// Tools.
    pub tools: ToolOptions,
    /// Push notifications.
    pub push: PushOptions,
    /// Spans, metrics and their export.
    pub telemetry: TelemetryOptions,
    /// Log lines to export; the queue is closed if no target exports logs.
    pub log_queue: Option<LogQueue>,
    /// Retention of ended tasks; they are kept forever without it.
    pub retention: Option<RetentionOptions>,
    /// HTTP surface of a listener.
    pub listener: ListenerOptions,
}

/// Storage of the data of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// All data, in this directory, which the process owns while the server is open.
    Directory(PathBuf),
    /// In memory only.
    InMemory {
        /// Directory with logins at MCP servers and cached embeddings, which need no ownership.
        caches: Option<PathBuf>,
    },
}

impl Default for Persistence {
    fn default() -> Self {
        Self::InMemory { caches: None }
    }
}

impl Persistence {
    /// The owned data directory.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            Self::Directory(directory) => Some(directory),
            Self::InMemory { .. } => None,
        }
    }

    /// Directory of logins and cached embeddings.
    pub fn caches(&self) -> Option<&Path> {
        match self {
            Self::Directory(directory) => Some(directory),
            Self::InMemory { caches } => caches.as_deref(),
        }
    }
}

/// Treatment of a data directory with other data but without a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostJournal {
    /// The server does not open.
    #[default]
    Reject,
    /// Its remains are moved aside and a new journal is created.
    Replace,
}

/// Whether the APIs can change agents, permissions, peers and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Management {
    /// Not over any API; the program that runs the server manages its agents.
    #[default]
    Disabled,
    /// By callers with the required access, and by the tools of agents that may.
    Enabled,
}

/// Push notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushOptions {
    /// Receivers that may be private: names, addresses and blocks.
    pub allow: Vec<String>,
    /// Undeliverable notifications are dropped after this time; default of the engine if not given.
    pub deadline: Option<Duration>,
}

/// Retention of ended tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionOptions {
    /// Delete tasks that ended longer ago than this.
    pub age: Option<Duration>,
    /// Number of ended tasks to keep.
    pub keep: Option<u64>,
}

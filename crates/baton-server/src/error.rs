//! The error of opening a server and of the operations on its data.

use crate::error_codes;
use baton_document::Diagnostic;
use baton_http::TlsError;
use baton_local::{DataDirectoryError, LoadError};
use baton_model_registry::ModelRegistryError;
use baton_ports::{JournalError, PeerRegistryError};
use baton_types::{AgentName, ErrorCode};
use std::path::{Path, PathBuf};

/// Where a person finds the state of the providers.
const PROVIDER_HINT: &str = "`baton models` shows which providers are ready and what the others need.";

/// Error of a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The local agents could not be loaded.
    #[error("{error}")]
    Agents {
        /// The reason.
        error: LoadError,
        /// Diagnostics about the files of the agents.
        diagnostics: Vec<Diagnostic>,
    },
    /// No definition can be served.
    #[error("no agent can be served")]
    NoAgents {
        /// Diagnostics about the files of the agents.
        diagnostics: Vec<Diagnostic>,
    },
    /// No entry can be served.
    #[error("{}", .reasons.join("; "))]
    NoEntries {
        /// One reason per entry.
        reasons: Vec<String>,
    },
    /// There is no local agent with this name.
    #[error("there is no agent '{0}' here")]
    UnknownAgent(AgentName),
    /// An agent of the program hands work to an unknown agent.
    #[error("the agent '{agent}' hands work to '{target}', which is not served here")]
    UnknownHandoffTarget {
        /// The agent of the program.
        agent: AgentName,
        /// The missing agent.
        target: AgentName,
    },
    /// A configured peer has the name of a local agent.
    #[error("peers: '{0}' is also the name of a local agent")]
    PeerName(AgentName),
    /// A remote agent cannot be used.
    #[error(transparent)]
    Peer(PeerRegistryError),
    /// The data directory cannot be used.
    #[error("{}", data_directory_text(.0))]
    DataDirectory(DataDirectoryError),
    /// Another process owns the data directory.
    #[error("another Baton owns the data directory {}", .0.display())]
    DataDirectoryLocked(PathBuf),
    /// The data directory has lost its journal.
    #[error(
        "{} has no journal (journal.db is missing or empty), but contains other data: {evidence}; a new journal does \
         not contain the tasks, sessions, tokens and budgets of the old one", .directory.display()
    )]
    JournalLost {
        /// The data directory.
        directory: PathBuf,
        /// Names of the other data.
        evidence: String,
    },
    /// The journal cannot be used.
    #[error("{}: {error}", .directory.display())]
    Journal {
        /// The data directory.
        directory: PathBuf,
        /// The reason.
        error: JournalError,
    },
    /// A file of the data directory cannot be written.
    #[error("{0}")]
    Storage(String),
    /// The span store cannot be used.
    #[error(transparent)]
    Spans(baton_span_ports::SpanStoreError),
    /// Keys in the data directory cannot be used.
    #[error("{0}")]
    Keys(String),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(TlsError),
    /// A configured model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelRegistryError),
    /// An option has an invalid value.
    #[error("{option}: {reason}")]
    InvalidOption {
        /// Name of the option, as in the configuration file.
        option: String,
        /// The reason.
        reason: String,
        /// The remedy, if it is more specific than that of the error code.
        hint: Option<&'static str>,
    },
    /// The address of the Tempo server cannot be used.
    #[error("{reason}")]
    Tempo {
        /// The reason.
        reason: String,
        /// The remedy.
        hint: &'static str,
    },
    /// A reference to a secret cannot be resolved.
    #[error("{0}")]
    Secret(String),
    /// An agent has no MCP server with this name.
    #[error("'{agent}' has no MCP server '{server}'; it has: {known}")]
    UnknownMcpServer {
        /// The agent.
        agent: AgentName,
        /// The missing server.
        server: String,
        /// Names of its servers.
        known: String,
    },
    /// The login at an MCP server failed.
    #[error("{server}: {reason}")]
    Login {
        /// Name of the server.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The tokens of a login cannot be stored.
    #[error("{0}")]
    LoginStorage(String),
    /// An unexpected error of the machine.
    #[error("{0}")]
    Internal(String),
}

impl ServerError {
    /// Error of the journal of this directory.
    pub(crate) fn from_journal(error: JournalError, directory: &Path) -> Self {
        let directory = directory.to_owned();
        match error {
            JournalError::Locked(_) => Self::DataDirectoryLocked(directory),
            JournalError::Lost(_) => {
                Self::JournalLost { evidence: baton_local::journal_evidence(&directory).join(", "), directory }
            }
            error => Self::Journal { directory, error },
        }
    }

    /// An invalid option without a specific remedy.
    pub(crate) fn invalid_option(option: impl Into<String>, reason: &impl ToString) -> Self {
        Self::InvalidOption { option: option.into(), reason: reason.to_string(), hint: None }
    }

    /// Stable error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Agents { error, .. } => error.code(),
            Self::NoAgents { .. } | Self::UnknownHandoffTarget { .. } => ErrorCode::AGENT_INVALID,
            Self::NoEntries { .. } | Self::UnknownAgent(_) => ErrorCode::AGENT_NOT_FOUND,
            Self::PeerName(_) | Self::Model(_) | Self::InvalidOption { .. } | Self::Tempo { .. } => {
                ErrorCode::CONFIG_INVALID
            }
            Self::Peer(error) => error.code,
            Self::DataDirectory(DataDirectoryError::Exposed { .. }) => error_codes::DATA_EXPOSED,
            Self::DataDirectory(DataDirectoryError::Io { .. }) | Self::Storage(_) | Self::LoginStorage(_) => {
                error_codes::JOURNAL_UNAVAILABLE
            }
            Self::DataDirectoryLocked(_) => error_codes::JOURNAL_LOCKED,
            Self::JournalLost { .. } => error_codes::JOURNAL_MISSING,
            Self::Journal { error, .. } => error.code(),
            Self::Spans(error) => error.code(),
            Self::Keys(_) => error_codes::KEYS_UNUSABLE,
            Self::Tls(error) => error.code(),
            Self::Secret(_) => ErrorCode::SECRET_MISSING,
            Self::UnknownMcpServer { .. } => error_codes::USAGE,
            Self::Login { .. } | Self::Internal(_) => ErrorCode::INTERNAL,
        }
    }

    /// The remedy, if it is more specific than that of the error code.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Agents { error: LoadError::Missing { .. } | LoadError::Empty { .. }, .. } => {
                "Name a directory that holds agents, or change to one."
            }
            Self::NoEntries { .. } => {
                "Start a server with `baton up`, change to a directory with agents, or name some agents."
            }
            Self::PeerName(_) => "Rename the peer.",
            Self::DataDirectory(DataDirectoryError::Exposed { path, wanted, .. }) => {
                return Some(format!(
                    "Run `chmod {wanted:o} {}` as its owner, or choose another directory with --data.",
                    path.display()
                ));
            }
            Self::Model(_) => PROVIDER_HINT,
            Self::InvalidOption { hint, .. } => (*hint)?,
            Self::Tempo { hint, .. } => hint,
            Self::UnknownMcpServer { .. } => "Run `baton tools list` to see the servers and their status.",
            Self::LoginStorage(_) => "Check that the data directory is writable.",
            Self::Login { .. } => {
                "Check the server's entry in the agent's definition; `baton tools list` shows the server's status."
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Diagnostics about files, if any.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Agents { diagnostics, .. } | Self::NoAgents { diagnostics } => diagnostics,
            _ => Vec::new(),
        }
    }
}

fn data_directory_text(error: &DataDirectoryError) -> String {
    match error {
        DataDirectoryError::Exposed { .. } => error.to_string(),
        DataDirectoryError::Io { .. } => format!("cannot use the data directory: {error}"),
    }
}

/// Error of the embedding model.
pub(crate) fn embedding_failure(error: &impl ToString) -> ServerError {
    ServerError::InvalidOption { option: "embeddings".to_owned(), reason: error.to_string(), hint: Some(PROVIDER_HINT) }
}

//! Errors of loading agents.

use baton_document::Diagnostic;
use baton_types::{AgentName, ErrorCode};
use std::{io, path::PathBuf};

/// Reason why agents could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path does not exist.
    #[error("{path} does not exist", path = .path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// There is no agent at the path.
    #[error(
        "{path} contains no agent: neither it nor a directory in it has an agent.yaml; create one with `baton new NAME`",
        path = .path.display()
    )]
    Empty {
        /// The path as given.
        path: PathBuf,
    },
    /// There are more agents than the limit.
    #[error("{path} contains more than {limit} agents", path = .path.display())]
    TooMany {
        /// The path as given.
        path: PathBuf,
        /// Maximum number of agents.
        limit: usize,
    },
    /// An I/O error.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Io {
        /// The path that was read.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Two directories define the same name.
    #[error(
        "two agents are named '{name}': {first} and {second}; change `name` in one agent.yaml",
        first = .first.display(), second = .second.display()
    )]
    Duplicate {
        /// The name.
        name: AgentName,
        /// One directory.
        first: PathBuf,
        /// The other directory.
        second: PathBuf,
    },
    /// The file of assigned names is invalid.
    #[error(
        "{file} is not a valid list of agent names: {reason}; fix it, or delete it to have names assigned again",
        file = .file.display()
    )]
    Names {
        /// The file.
        file: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// Files have errors; warnings are included.
    #[error("{}", lines(.0))]
    Invalid(Vec<Diagnostic>),
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl LoadError {
    /// User-facing error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Missing { .. } | Self::Empty { .. } => ErrorCode::AGENT_NOT_FOUND,
            Self::Names { .. } => ErrorCode::CONFIG_INVALID,
            Self::TooMany { .. } | Self::Io { .. } | Self::Duplicate { .. } | Self::Invalid(_) => {
                ErrorCode::AGENT_INVALID
            }
        }
    }
}

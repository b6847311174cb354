//! Why agents could not be loaded.

use baton_agentdir::Diagnostic;
use baton_types::{AgentName, ErrorCode};
use std::{io, path::PathBuf};

/// Why agents could not be loaded.
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
        "{path} holds no agent: neither it nor a directory in it has an agent.yaml; make one with `baton new NAME`",
        path = .path.display()
    )]
    Empty {
        /// The path as given.
        path: PathBuf,
    },
    /// There are more agents than one Baton serves.
    #[error("{path} holds more than {limit} agents", path = .path.display())]
    TooMany {
        /// The path as given.
        path: PathBuf,
        /// The most there may be.
        limit: usize,
    },
    /// The file system said no.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Io {
        /// What was read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Two directories want the same name.
    #[error(
        "two agents are named '{name}': {first} and {second}; change `name` in one agent.yaml",
        first = .first.display(), second = .second.display()
    )]
    Duplicate {
        /// The name.
        name: AgentName,
        /// One directory.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// The file that says who has which name makes no sense.
    #[error(
        "{file} does not say which agent has which name: {reason}; correct it, or remove it to have names given anew",
        file = .file.display()
    )]
    Names {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Files have errors; warnings are listed as well.
    #[error("{}", lines(.0))]
    Invalid(Vec<Diagnostic>),
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl LoadError {
    /// The code that people see.
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

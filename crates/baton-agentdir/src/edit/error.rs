//! Why a file was not changed.

use crate::Diagnostic;
use baton_types::{ErrorCode, PermissionTarget};

/// Why a file was not changed; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The agent's files have errors, so nobody can tell what a change would do.
    #[error("the agent's files have errors; put them right first\n{}", lines(.0))]
    Invalid(Vec<Diagnostic>),
    /// The agent has no such tool or server.
    #[error("the agent's files do not name {0}")]
    Missing(PermissionTarget),
    /// The agent has nothing of this name.
    #[error("the agent has no {noun} '{name}'")]
    Absent {
        /// What it would be.
        noun: &'static str,
        /// The name.
        name: String,
    },
    /// The agent has something of this name already.
    #[error("the agent has the {noun} '{name}' already; update it, or choose another name")]
    Exists {
        /// What it is.
        noun: &'static str,
        /// The name.
        name: String,
    },
    /// The files would not be understood with the change in them.
    #[error("the agent's files would have mistakes with that; nothing is changed\n{}", lines(.0))]
    Refused(Vec<Diagnostic>),
    /// No definition could say that.
    #[error("the change does not fit: {0}")]
    Unfit(&'static str),
    /// The file is written in a way that is not changed by program.
    #[error("{file} is written in a way that is not changed by program; write it by hand, near line {line}: {write}")]
    ByHand {
        /// The file, relative to the agent.
        file: String,
        /// Near this line, from 1.
        line: u32,
        /// What to write.
        write: String,
    },
    /// The file's format cannot say it.
    #[error("{file} has no word for that; {instead}")]
    NoWord {
        /// The file, relative to the agent.
        file: String,
        /// What can be done instead.
        instead: &'static str,
    },
    /// Something else in the file would still decide otherwise.
    #[error("{file} would still decide otherwise about {scope}: {because}; change that by hand")]
    Overruled {
        /// The file, relative to the agent.
        file: String,
        /// What the word was about.
        scope: PermissionTarget,
        /// What decides.
        because: String,
    },
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl EditError {
    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid(_) => ErrorCode::AGENT_INVALID,
            Self::Missing(_) => ErrorCode::TOOL_NOT_FOUND,
            Self::Absent { .. } | Self::Exists { .. } | Self::Unfit(_) | Self::Refused(_) => {
                ErrorCode::AGENT_NOT_CHANGED
            }
            Self::ByHand { .. } | Self::NoWord { .. } | Self::Overruled { .. } => ErrorCode::AGENT_NOT_CHANGED,
        }
    }
}

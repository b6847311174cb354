//! Errors of edits.

use crate::error_codes;
use baton_document::Diagnostic;
use baton_types::{ErrorCode, PermissionTarget};

/// Reason why a file was not changed. The file is left untouched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The agent's files have errors, so the effect of a change cannot be determined.
    #[error("the agent's files have errors; fix them first\n{}", lines(.0))]
    Invalid(Vec<Diagnostic>),
    /// The agent has no such tool or server.
    #[error("the agent's files do not define {0}")]
    Missing(PermissionTarget),
    /// The agent has no entry with this name.
    #[error("the agent has no {noun} '{name}'")]
    Absent {
        /// Kind of the entry.
        noun: &'static str,
        /// Name of the entry.
        name: String,
    },
    /// The agent already has an entry with this name.
    #[error("the agent already has the {noun} '{name}'; update it, or choose another name")]
    Exists {
        /// Kind of the entry.
        noun: &'static str,
        /// Name of the entry.
        name: String,
    },
    /// The files would be invalid with the change.
    #[error("the change would make the agent's files invalid; nothing was changed\n{}", lines(.0))]
    Refused(Vec<Diagnostic>),
    /// The requested value is invalid in every format.
    #[error("the change is invalid: {0}")]
    InvalidValue(&'static str),
    /// The file is written in a way that cannot be edited automatically.
    #[error("{file} cannot be edited automatically; edit it by hand, near line {line}: {write}")]
    ManualEdit {
        /// The file, relative to the agent.
        file: String,
        /// Approximate line, from 1.
        line: u32,
        /// Description of the edit to make by hand.
        write: String,
    },
    /// The file's format cannot express the change.
    #[error("{file} cannot express this; {instead}")]
    Unsupported {
        /// The file, relative to the agent.
        file: String,
        /// Alternative for the user.
        instead: &'static str,
    },
    /// Another setting in the file would still override the change.
    #[error("another setting in {file} would override the change for {scope}: {because}; change it by hand")]
    Overridden {
        /// The file, relative to the agent.
        file: String,
        /// Target of the change.
        scope: PermissionTarget,
        /// The overriding setting.
        because: String,
    },
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl EditError {
    /// User-facing error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid(_) => ErrorCode::AGENT_INVALID,
            Self::Missing(_) => ErrorCode::TOOL_NOT_FOUND,
            Self::Absent { .. } | Self::Exists { .. } | Self::InvalidValue(_) | Self::Refused(_) => {
                error_codes::AGENT_NOT_CHANGED
            }
            Self::ManualEdit { .. } | Self::Unsupported { .. } | Self::Overridden { .. } => {
                error_codes::AGENT_NOT_CHANGED
            }
        }
    }
}

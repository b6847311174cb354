//! Enumerations with lower-case wire names.

use crate::a2a::v1;
use serde::{Deserialize, Serialize};

/// Role of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The caller.
    User,
    /// The agent.
    Agent,
}

/// State of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// Accepted, not started.
    Submitted,
    /// In progress.
    Working,
    /// Waits for input from the caller.
    InputRequired,
    /// Ended with success.
    Completed,
    /// Canceled by the caller.
    Canceled,
    /// Ended with an error.
    Failed,
    /// Rejected by the agent.
    Rejected,
    /// Waits for credentials.
    AuthRequired,
    /// Not known.
    #[default]
    Unknown,
}

impl Role {
    /// The role in 1.0.
    pub fn into_v1(self) -> v1::Role {
        match self {
            Self::User => v1::Role::User,
            Self::Agent => v1::Role::Agent,
        }
    }

    /// Converts from 1.0; `None` for the unspecified role.
    pub fn from_v1(role: v1::Role) -> Option<Self> {
        match role {
            v1::Role::User => Some(Self::User),
            v1::Role::Agent => Some(Self::Agent),
            v1::Role::Unspecified => None,
        }
    }
}

macro_rules! states {
    ($($old:ident $new:ident,)*) => {
        impl From<v1::TaskState> for TaskState {
            fn from(state: v1::TaskState) -> Self {
                match state { $(v1::TaskState::$new => Self::$old,)* }
            }
        }

        impl From<TaskState> for v1::TaskState {
            fn from(state: TaskState) -> Self {
                match state { $(TaskState::$old => Self::$new,)* }
            }
        }
    };
}

states! {
    Submitted Submitted,
    Working Working,
    InputRequired InputRequired,
    Completed Completed,
    Canceled Canceled,
    Failed Failed,
    Rejected Rejected,
    AuthRequired AuthRequired,
    Unknown Unspecified,
}

/// Whether the state is terminal: no event can follow.
pub(super) fn is_terminal(state: v1::TaskState) -> bool {
    use v1::TaskState as State;
    matches!(state, State::Completed | State::Failed | State::Canceled | State::Rejected)
}

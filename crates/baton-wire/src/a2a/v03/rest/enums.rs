//! Task states; only the spelling of one name differs from 1.0.

use crate::a2a::v1::{self, enumeration};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use std::fmt;

enumeration! {
    /// State of a task.
    TaskState {
        /// Not specified.
        #[default]
        Unspecified = 0 "TASK_STATE_UNSPECIFIED",
        /// Accepted, not started.
        Submitted = 1 "TASK_STATE_SUBMITTED",
        /// In progress.
        Working = 2 "TASK_STATE_WORKING",
        /// Ended with success.
        Completed = 3 "TASK_STATE_COMPLETED",
        /// Ended with an error.
        Failed = 4 "TASK_STATE_FAILED",
        /// Canceled by the caller.
        Cancelled = 5 "TASK_STATE_CANCELLED",
        /// Waits for input from the caller.
        InputRequired = 6 "TASK_STATE_INPUT_REQUIRED",
        /// Rejected by the agent.
        Rejected = 7 "TASK_STATE_REJECTED",
        /// Waits for credentials.
        AuthRequired = 8 "TASK_STATE_AUTH_REQUIRED",
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
    Unspecified Unspecified,
    Submitted Submitted,
    Working Working,
    Completed Completed,
    Failed Failed,
    Cancelled Canceled,
    InputRequired InputRequired,
    Rejected Rejected,
    AuthRequired AuthRequired,
}

//! Enumerations: serialized by name, deserialized by name or number.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use std::fmt;

macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The wire name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct NameOrNumber;
                impl Visitor<'_> for NameOrNumber {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str(concat!("one of", $(" ", $text,)*))
                    }

                    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                        Ok($name::default())
                    }

                    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                        match text {
                            $($text => Ok($name::$variant),)*
                            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                        }
                    }

                    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                        match number {
                            $($number => Ok($name::$variant),)*
                            _ => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
                        }
                    }
                }
                deserializer.deserialize_any(NameOrNumber)
            }
        }
    };
}
pub(crate) use enumeration;

enumeration! {
    /// Role of the sender.
    Role {
        /// Not specified.
        #[default]
        Unspecified = 0 "ROLE_UNSPECIFIED",
        /// The caller.
        User = 1 "ROLE_USER",
        /// The agent.
        Agent = 2 "ROLE_AGENT",
    }
}

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
        Canceled = 5 "TASK_STATE_CANCELED",
        /// Waits for input from the caller.
        InputRequired = 6 "TASK_STATE_INPUT_REQUIRED",
        /// Rejected by the agent.
        Rejected = 7 "TASK_STATE_REJECTED",
        /// Waits for credentials.
        AuthRequired = 8 "TASK_STATE_AUTH_REQUIRED",
    }
}

impl From<baton_types::TaskState> for TaskState {
    fn from(state: baton_types::TaskState) -> Self {
        use baton_types::TaskState as State;
        match state {
            State::Submitted => Self::Submitted,
            State::Working => Self::Working,
            State::InputRequired => Self::InputRequired,
            State::AuthRequired => Self::AuthRequired,
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Canceled => Self::Canceled,
            State::Rejected => Self::Rejected,
        }
    }
}

impl TaskState {
    /// Converts to the `baton-types` form; `None` for unspecified.
    pub fn to_task_state(self) -> Option<baton_types::TaskState> {
        baton_types::TaskState::ALL.into_iter().find(|state| Self::from(*state) == self)
    }
}

impl From<baton_types::Role> for Role {
    fn from(role: baton_types::Role) -> Self {
        match role {
            baton_types::Role::User => Self::User,
            baton_types::Role::Agent => Self::Agent,
        }
    }
}

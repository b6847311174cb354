//! Enumerations of the dialect.

use crate::a2a::v1;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{borrow::Cow, fmt};

macro_rules! string_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The wire name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Parses a wire name; `None` if unknown.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'_, str>::deserialize(deserializer)?;
                let expected = concat!("one of", $(" ", $text,)*);
                Self::from_name(&text).ok_or_else(|| de::Error::invalid_value(de::Unexpected::Str(&text), &expected))
            }
        }
    };
}

string_enum! {
    /// Method of the dialect.
    Method {
        /// Sends a message to the agent; returns the task immediately.
        SendMessage "message.send",
        /// Returns a task.
        GetTask "tasks.get",
        /// Lists tasks.
        ListTasks "tasks.list",
        /// Cancels a task.
        CancelTask "tasks.cancel",
        /// Returns the agent's card.
        GetExtendedAgentCard "agent.getExtendedAgentCard",
    }
}

string_enum! {
    /// State of a task.
    State {
        /// Accepted, not started.
        Pending "PENDING",
        /// In progress.
        Working "WORKING",
        /// Waits for input from the caller.
        InputRequired "INPUT_REQUIRED",
        /// Ended with success.
        Completed "COMPLETED",
        /// Ended with an error.
        Failed "FAILED",
        /// Canceled by the caller.
        Cancelled "CANCELLED",
        /// Rejected by the agent.
        Rejected "REJECTED",
    }
}

string_enum! {
    /// Role of the sender.
    Role {
        /// The caller.
        User "user",
        /// The agent.
        Agent "agent",
        /// The operator of the conversation; 1.0 has no such role.
        System "system",
    }
}

string_enum! {
    /// Kind of part.
    PartType {
        /// Text.
        Text "text",
        /// A file, as a URL or as bytes.
        File "file",
        /// Structured data.
        Data "data",
        /// Structured data.
        Json "json",
        /// The content of a form.
        Form "form",
        /// An embedded page.
        Iframe "iframe",
        /// A video.
        Video "video",
        /// An audio recording.
        Audio "audio",
        /// An action.
        Action "action",
        /// A trace id.
        Trace "trace",
        /// A span id.
        Span "span",
        /// A log query.
        LogQuery "log_query",
        /// A metric query.
        MetricQuery "metric_query",
        /// A trace query.
        TraceQuery "trace_query",
        /// A reference by name.
        Reference "reference",
        /// A commit.
        Commit "commit",
        /// A pull request.
        Pr "pr",
        /// A decision record.
        Adr "adr",
        /// A document.
        Doc "doc",
        /// A capability of an agent.
        Capability "capability",
        /// An insight.
        Insight "insight",
        /// A task.
        Task "task",
    }
}

impl PartType {
    /// Whether the type is specific to ContextCore, without a 1.0 equivalent.
    pub const fn is_native(self) -> bool {
        !matches!(self, Self::Text | Self::File | Self::Data | Self::Json | Self::Form)
    }

    /// Accepted names of the required member, for types specific to ContextCore.
    pub(super) const fn required_member(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Trace => Some(&["trace_id", "traceId"]),
            Self::Span => Some(&["span_id", "spanId"]),
            Self::LogQuery | Self::MetricQuery | Self::TraceQuery => Some(&["query"]),
            Self::Reference | Self::Commit | Self::Pr | Self::Adr | Self::Doc => Some(&["ref"]),
            Self::Capability | Self::Insight | Self::Task => Some(&["ref"]),
            Self::Text | Self::File | Self::Data | Self::Json | Self::Form => None,
            Self::Iframe | Self::Video | Self::Audio | Self::Action => None,
        }
    }
}

impl From<v1::TaskState> for State {
    fn from(state: v1::TaskState) -> Self {
        match state {
            v1::TaskState::Unspecified | v1::TaskState::Submitted => Self::Pending,
            v1::TaskState::Working => Self::Working,
            v1::TaskState::InputRequired | v1::TaskState::AuthRequired => Self::InputRequired,
            v1::TaskState::Completed => Self::Completed,
            v1::TaskState::Failed => Self::Failed,
            v1::TaskState::Canceled => Self::Cancelled,
            v1::TaskState::Rejected => Self::Rejected,
        }
    }
}

impl From<State> for v1::TaskState {
    fn from(state: State) -> Self {
        match state {
            State::Pending => Self::Submitted,
            State::Working => Self::Working,
            State::InputRequired => Self::InputRequired,
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Cancelled => Self::Canceled,
            State::Rejected => Self::Rejected,
        }
    }
}

impl Default for Role {
    /// ContextCore's client omits the role of plain text and means the user.
    fn default() -> Self {
        Self::User
    }
}

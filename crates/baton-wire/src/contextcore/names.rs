//! The words of the dialect.

use crate::a2a::v1;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{borrow::Cow, fmt};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Reads the word; `None` when it is none of them.
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

words! {
    /// What may be called.
    Method {
        /// Says something to the agent; answers with the task at once.
        SendMessage "message.send",
        /// Looks at a task.
        GetTask "tasks.get",
        /// Looks at many tasks.
        ListTasks "tasks.list",
        /// Ends a task.
        CancelTask "tasks.cancel",
        /// Asks the agent who it is.
        GetExtendedAgentCard "agent.getExtendedAgentCard",
    }
}

words! {
    /// Where a task stands.
    State {
        /// Accepted, not begun.
        Pending "PENDING",
        /// In progress.
        Working "WORKING",
        /// Waits for its caller.
        InputRequired "INPUT_REQUIRED",
        /// Done.
        Completed "COMPLETED",
        /// Ended by an error.
        Failed "FAILED",
        /// Ended by its caller.
        Cancelled "CANCELLED",
        /// Refused by the agent.
        Rejected "REJECTED",
    }
}

words! {
    /// Who speaks.
    Role {
        /// The caller.
        User "user",
        /// The agent.
        Agent "agent",
        /// Whoever runs the conversation; 1.0 knows no such role.
        System "system",
    }
}

words! {
    /// What a part holds.
    PartType {
        /// Words.
        Text "text",
        /// A file, by its address or as bytes.
        File "file",
        /// Structured data.
        Data "data",
        /// Structured data.
        Json "json",
        /// The content of a form.
        Form "form",
        /// A page to embed.
        Iframe "iframe",
        /// A film.
        Video "video",
        /// A recording.
        Audio "audio",
        /// Something to do.
        Action "action",
        /// A trace, by its id.
        Trace "trace",
        /// A span, by its id.
        Span "span",
        /// A query for logs.
        LogQuery "log_query",
        /// A query for metrics.
        MetricQuery "metric_query",
        /// A query for traces.
        TraceQuery "trace_query",
        /// Anything by its name.
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
    /// Whether 1.0 has no such part.
    pub const fn is_own(self) -> bool {
        !matches!(self, Self::Text | Self::File | Self::Data | Self::Json | Self::Form)
    }

    /// The spellings of the member without which a part of an own type says nothing.
    pub(super) const fn required(self) -> Option<&'static [&'static str]> {
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
    /// ContextCore's client forgets the role of plain text, and means itself.
    fn default() -> Self {
        Self::User
    }
}

//! What a call brings along, and the limits of the host.

use baton_telemetry::Tracer;
use baton_types::{CallId, TaskId};
use rmcp::model::{
    ClientCapabilities, Implementation, InputResponses, JsonObject, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam,
};
use std::{sync::Arc, time::Duration};

/// The member of `_meta` in which [`CallOptions::depth`] travels.
pub const DEPTH_META: &str = "dev.baton/depth";
/// The member of `_meta` in which [`CallOptions::task`] travels, to servers that are part of Baton, or the task of
/// [`CallOptions::left_by`].
pub const TASK_META: &str = "dev.baton/taskId";
/// The member of `_meta` in which the call of [`CallOptions::left_by`] travels.
pub const CALL_META: &str = "dev.baton/callId";

/// Hears what a server says while a call is in flight; must not block.
pub trait CallEvents: Send + Sync + 'static {
    /// How far the call got; the token is the host's own and means nothing to others.
    fn progress(&self, progress: ProgressNotificationParam) {
        let _ = progress;
    }

    /// A log message.
    fn log(&self, message: LoggingMessageNotificationParam) {
        let _ = message;
    }
}

/// Everything about a call beside its name.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// The arguments; for a prompt their values are strings.
    pub arguments: Option<JsonObject>,
    /// Answers to what the same call asked before, by key.
    pub input_responses: Option<InputResponses>,
    /// The state that came with those questions.
    pub request_state: Option<String>,
    /// What the caller can answer; a server is never given more.
    pub capabilities: ClientCapabilities,
    /// Who calls: a call that waits for answers goes on for the same caller only. Opaque.
    pub caller: String,
    /// Whose calls count together: one account cannot take all the room for calls that wait for answers. Opaque.
    pub account: String,
    /// Hears progress and log messages.
    pub events: Option<Arc<dyn CallEvents>>,
    /// How much a server of the newer protocol tells in log messages; nothing when not given.
    pub log_level: Option<LoggingLevel>,
    /// W3C `traceparent`.
    pub trace: Option<String>,
    /// How often the work has been handed over, so that agents that reach themselves through servers come to an end.
    pub depth: u32,
    /// The task that the call is part of; only servers that are part of Baton are told.
    pub task: Option<TaskId>,
    /// The task of an agent elsewhere that left this call to us, and the call there; only its Environment is told.
    pub left_by: Option<(TaskId, CallId)>,
}

/// Limits of the host; the defaults are right outside of tests.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// What Baton calls itself.
    pub implementation: Implementation,
    /// How long `server/discover` may stay unanswered before `initialize` is said as well.
    pub probe: Duration,
    /// How long a call that asked something is kept for the answers.
    pub hold: Duration,
    /// How many calls may wait for answers at the same time; a quarter of them may be of one account.
    pub max_held: usize,
    /// A connection that lasted this long was a good one: the next failure counts as the first.
    pub good_period: Duration,
    /// Whether variables in the values of a server are replaced; never when strangers write them.
    pub expands: bool,
    /// Who makes spans of requests other than calls of tools.
    pub tracer: Tracer,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("baton", env!("CARGO_PKG_VERSION")),
            probe: Duration::from_secs(5),
            hold: Duration::from_secs(60 * 60),
            max_held: 256,
            good_period: Duration::from_secs(60),
            expands: true,
            tracer: Tracer::off(),
        }
    }
}

//! Call options and host limits.

use baton_telemetry::Tracer;
use baton_types::{CallId, TaskId};
use rmcp::model::{
    ClientCapabilities, Implementation, InputResponses, JsonObject, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam,
};
use std::{sync::Arc, time::Duration};

/// Member of `_meta` for [`CallOptions::depth`].
pub const DEPTH_META: &str = "dev.baton/depth";
/// Member of `_meta` for [`CallOptions::task`] at internal servers, or for the task of [`CallOptions::remote_call`].
pub const TASK_META: &str = "dev.baton/taskId";
/// Member of `_meta` for the call of [`CallOptions::remote_call`].
pub const CALL_META: &str = "dev.baton/callId";

/// Receives progress and log messages of a call in flight; must not block.
pub trait CallObserver: Send + Sync + 'static {
    /// A progress report; its token is internal to the host.
    fn progress(&self, progress: ProgressNotificationParam) {
        let _ = progress;
    }

    /// A log message.
    fn log(&self, message: LoggingMessageNotificationParam) {
        let _ = message;
    }
}

/// Options of a call.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// The arguments; values are strings for a prompt.
    pub arguments: Option<JsonObject>,
    /// Answers to the questions of an earlier round, by key.
    pub input_responses: Option<InputResponses>,
    /// The state returned with those questions.
    pub request_state: Option<String>,
    /// Capabilities of the caller; a server is never given more.
    pub capabilities: ClientCapabilities,
    /// Opaque caller identity: a call that waits for answers can only be continued by the same caller.
    pub caller: String,
    /// Opaque account: one account cannot use all slots for calls that wait for answers.
    pub account: String,
    /// Receiver of progress and log messages.
    pub events: Option<Arc<dyn CallObserver>>,
    /// Log level for a server of the newer protocol; `None` disables log messages.
    pub log_level: Option<LoggingLevel>,
    /// W3C `traceparent`.
    pub trace: Option<String>,
    /// Handoff depth, to stop agents that call themselves through servers.
    pub depth: u32,
    /// The task of the call; sent to internal servers only.
    pub task: Option<TaskId>,
    /// Task and call ids of the remote agent that delegated this call; sent to its Environment only.
    pub remote_call: Option<(TaskId, CallId)>,
}

/// Host limits; the defaults suit everything except tests.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// Client name and version.
    pub implementation: Implementation,
    /// Maximum wait for the response to `server/discover` before `initialize` is also sent.
    pub probe_timeout: Duration,
    /// Time that a call with questions is held for the answers.
    pub hold_timeout: Duration,
    /// Maximum calls that wait for answers; one account may use a quarter.
    pub max_held: usize,
    /// Connection lifetime after which the failure count is reset.
    pub stable_period: Duration,
    /// Whether variables in server values are expanded; never for values from callers.
    pub expand_variables: bool,
    /// Tracer for requests other than tool calls.
    pub tracer: Tracer,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("baton", env!("CARGO_PKG_VERSION")),
            probe_timeout: Duration::from_secs(5),
            hold_timeout: Duration::from_secs(60 * 60),
            max_held: 256,
            stable_period: Duration::from_secs(60),
            expand_variables: true,
            tracer: Tracer::off(),
        }
    }
}

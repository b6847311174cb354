//! User-facing errors. Each code has a page under `docs/errors/`.
//!
//! This file declares the codes that a task can end with, and those that crates without a common dependency raise. Any
//! other code is declared with [`error_codes!`](crate::error_codes!) in the lowest crate that raises it.

/// A stable error code with a title and a hint; its page has the details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ErrorCode {
    /// Code: `BTN-` and a number.
    pub code: &'static str,
    /// One-line description of the error.
    pub title: &'static str,
    /// Suggested next step.
    pub hint: &'static str,
}

impl ErrorCode {
    /// Creates a code; for [`error_codes!`](crate::error_codes!).
    pub const fn new(code: &'static str, title: &'static str, hint: &'static str) -> Self {
        Self { code, title, hint }
    }
}

/// Declares the error codes of a crate as constants `NAME`, and `ALL` of them, in a module `error_codes`.
#[macro_export]
macro_rules! error_codes {
    ($($name:ident = $code:literal, $title:literal, $hint:literal;)+) => {
        $(#[doc = $title] pub const $name: $crate::ErrorCode = $crate::ErrorCode::new($code, $title, $hint);)+

        /// All codes that this crate declares.
        pub const ALL: &[$crate::ErrorCode] = &[$($name),+];
    };
}

macro_rules! shared_codes {
    ($($name:ident = $code:literal, $title:literal, $hint:literal;)*) => {
        impl ErrorCode {
            $(#[doc = $title] pub const $name: Self = Self::new($code, $title, $hint);)*

            /// All codes that this crate declares.
            pub const SHARED_CODES: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

shared_codes! {
    INVALID_REQUEST = "BTN-1001", "The request is malformed", "Compare the request with the field named in the message and send it again.";
    TOO_DEEP = "BTN-1003", "The JSON is nested too deeply", "Flatten the value; 100 levels are accepted.";
    UNAUTHENTICATED = "BTN-1010", "The request has no valid credentials", "Send Authorization: Bearer with a token from `baton token create`, or from an issuer configured in baton.yaml.";
    AGENT_NOT_FOUND = "BTN-2001", "There is no such agent", "Run `baton agents` to list the agents.";
    AGENT_INVALID = "BTN-2002", "The agent definition has an error", "Fix the file at the line and column shown.";
    TASK_NOT_FOUND = "BTN-2003", "There is no such task", "List tasks to find its id; tasks of other owners are reported as missing.";
    TASK_FINISHED = "BTN-2004", "The task has ended", "Send a new message in the same context, referring to the task.";
    TASK_NOT_CANCELABLE = "BTN-2005", "The task has ended and cannot be canceled", "Nothing to do: its result stays available.";
    TOOL_NOT_FOUND = "BTN-2020", "The agent has no such tool", "Run `baton tools list` for the names; tools of a server that is not ready are missing there.";
    APPROVAL_NOT_FOUND = "BTN-2021", "There is no such approval", "Run `baton approvals list` for pending approvals; approvals of other owners are reported as missing.";
    TRACEQL_INVALID = "BTN-2024", "The TraceQL query cannot be run", "Fix the query at the line and column shown; docs/traceql.md describes the language.";
    TURN_LIMIT = "BTN-3001", "The run reached its limit of model calls", "Raise settings.max_turns in agent.yaml or ask for less at once.";
    RUN_DEADLINE = "BTN-3002", "The run took longer than its deadline", "Raise settings.deadline in agent.yaml or split the work.";
    MODEL_FAILED = "BTN-3003", "The model call failed", "The message contains the response of the model provider.";
    TOOL_UNSAFE_TO_REPEAT = "BTN-3004", "A tool was interrupted by a crash and is not safe to retry", "Check what the tool did; if a retry is harmless, declare effects: idempotent and send the request again.";
    CRASH_LOOP = "BTN-3005", "The run crashed the process repeatedly at the same event", "Check the log of the last start; fix the tool or model that crashes the process.";
    HANDOFF_REFUSED = "BTN-3006", "The handoff is not allowed", "Hand work only to agents listed under handoffs in agent.yaml, at most five levels deep and never in a cycle.";
    HANDOFF_FAILED = "BTN-3007", "The receiving agent did not complete the handoff", "Check the child task for the reason.";
    AGENT_CHANGED = "BTN-3008", "The run's pinned agent definition is gone", "Send the request again; it runs with the current definition.";
    PEER_FAILED = "BTN-3009", "The remote agent did not complete the work", "The message contains its response; set its credentials under peers in baton.yaml, or with --bearer when you add it.";
    PEER_IN_DOUBT = "BTN-3010", "It is unknown whether the remote agent got the message", "Check the remote agent; answer the task to send the message again, or cancel it.";
    PEER_UNREACHABLE = "BTN-3011", "The remote agent cannot be reached", "Check that it runs and that its address is right: `baton agents show NAME`.";
    TOOL_DENIED = "BTN-3012", "The tool call was denied", "Ask again and allow it, or set the tool's permission in the agent's definition.";
    INPUT_NOT_POSSIBLE = "BTN-3013", "An autonomous run needed an answer", "Include everything the work needs in the message, or use an interactive session.";
    TOOL_ERRORS = "BTN-3015", "A tool failed too often in one run", "Check its last error in the message; raise settings.tool_errors in agent.yaml if so many failures are normal.";
    ANSWER_FORM = "BTN-3016", "The answer does not match the requested format", "The message describes the mismatch; allow more answer.repairs in agent.yaml, use a simpler schema, or use a stronger model.";
    BUDGET_USED_UP = "BTN-3017", "A budget is used up", "The message names it; raise it under settings.budgets in agent.yaml, or continue in a new session or another month.";
    GUARDRAIL_BLOCKED = "BTN-3018", "A guardrail blocked the content", "The message contains its reason; change your request, or change the guardrail that it names in agent.yaml.";
    GUARDRAIL_FAILED = "BTN-3019", "A guardrail could not be reached", "Start the program or service that the message names, or set its on_failure to allow in agent.yaml.";
    WINDOW_EXCEEDED = "BTN-3020", "The conversation does not fit the model's context window", "Send less at once, start a new conversation, let Baton compact it (truncation: auto), or use a model with a larger context window.";
    PROVIDER_KEY_REFUSED = "BTN-3022", "The model provider rejected the key of this server", "The operator of Baton must set a valid key for the provider that the message names; your own credentials are fine.";
    PROVIDER_QUOTA_EXHAUSTED = "BTN-3023", "The account at the model provider has no quota left", "The operator of Baton must raise the quota or pay the provider that the message names, or add fallbacks.";
    MODEL_NOT_CONFIGURED = "BTN-3024", "The agent's model is not configured", "Follow the message: set the key, name another provider or model, or correct the setting.";
    BUSY = "BTN-4001", "Baton is too busy to accept more work", "Try again after the time in Retry-After.";
    SPANS_UNAVAILABLE = "BTN-4008", "The span store could not be written or read", "Free disk space or check the disk; if the message names a Tempo server, check that it is reachable and check telemetry.tempo. Baton then continues automatically.";
    CONFIG_INVALID = "BTN-5001", "The configuration has an error", "Correct what the message names: a line of baton.yaml, a variable, or a file beside it.";
    TLS_INVALID = "BTN-5006", "The certificate or its key cannot be used", "Give PEM files that belong together with --tls-cert and --tls-key, or as tls.cert and tls.key in baton.yaml.";
    SECRET_MISSING = "BTN-5008", "A secret that the configuration refers to is missing", "Set the environment variable or write the file that the message names, and start again.";
    INTERNAL = "BTN-9001", "Something went wrong inside Baton", "Please report it with the log lines that contain this code.";
}

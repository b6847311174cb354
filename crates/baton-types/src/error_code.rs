//! Registry of user-facing errors. Each code has a page under `docs/errors/`.

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

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $hint:literal;)*) => {
        impl ErrorCode {
            $(#[doc = $title] pub const $name: Self = Self { code: $code, title: $title, hint: $hint };)*

            /// All codes, for the docs and their test.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

codes! {
    INVALID_REQUEST = "BTN-1001", "The request is malformed", "Compare the request with the field named in the message and send it again.";
    BODY_TOO_LARGE = "BTN-1002", "The request body is over the limit", "Send a smaller body, or put large content behind a URL part.";
    TOO_DEEP = "BTN-1003", "The JSON is nested too deeply", "Flatten the value; 100 levels are accepted.";
    TOO_MANY_PARTS = "BTN-1004", "The message has too many parts", "Split the message; 256 parts are accepted.";
    FORBIDDEN_HOST = "BTN-1005", "The Host or Origin header is not allowed", "Call Baton by its own address, or start it with --public-url or --allow-host; for pages of another origin, with --cors-origin.";
    PUSH_URL_REFUSED = "BTN-1006", "Notifications may not be sent to that address", "Use a public https address, or allow this one under push.allow in baton.yaml.";
    VERSION_UNKNOWN = "BTN-1007", "The protocol version is not supported", "Send A2A-Version: 1.0 with method names of 1.0, or omit it with method names of 0.3.";
    EXTENSION_REQUIRED = "BTN-1008", "The agent requires an extension", "Name the extension's URI in the A2A-Extensions header.";
    NOT_OFFERED = "BTN-1009", "The agent does not offer this operation", "Check the capabilities in its card; you can enable them under a2a in baton.yaml.";
    UNAUTHENTICATED = "BTN-1010", "The request has no valid credentials", "Send Authorization: Bearer with a token from `baton token create`, or from an issuer configured in baton.yaml.";
    SCOPE_MISSING = "BTN-1011", "The credentials do not allow this", "Use a token with the scope named in the message; create one with `baton token create --scope`.";
    RATE_LIMITED = "BTN-1012", "Too many requests", "Try again after the time in Retry-After, or raise limits.requests_per_second.";
    REPEATED_HEADER = "BTN-1013", "The request repeats a header that is allowed only once", "Send Host, Origin, Authorization, Content-Length and Content-Type once each; check for a proxy that adds one of them.";
    SHARE_FULL = "BTN-1015", "You have too many of these open at once", "End or close some of them, then try again after the time in Retry-After.";
    CONVERSATION_FULL = "BTN-1016", "The conversation is full", "Start a new conversation with the items you still need.";
    MEDIA_TYPE_UNSUPPORTED = "BTN-1017", "The body's type or encoding is not supported", "Send JSON with Content-Type: application/json, uncompressed or with Content-Encoding: gzip.";
    AGENT_NOT_FOUND = "BTN-2001", "There is no such agent", "Run `baton agents` to list the agents.";
    AGENT_INVALID = "BTN-2002", "The agent definition has an error", "Fix the file at the line and column shown.";
    TASK_NOT_FOUND = "BTN-2003", "There is no such task", "List tasks to find its id; tasks of other owners are reported as missing.";
    TASK_FINISHED = "BTN-2004", "The task has ended", "Send a new message in the same context, referring to the task.";
    TASK_NOT_CANCELABLE = "BTN-2005", "The task has ended and cannot be canceled", "Nothing to do: its result stays available.";
    CONTEXT_MISMATCH = "BTN-2006", "The task belongs to another context", "Omit the context id; the task already has one.";
    TOOL_RESULT_UNKNOWN = "BTN-2007", "A tool result names a call that the task did not make", "Use the call_id values of the task's last tool_calls.";
    TOOL_RESULT_DUPLICATE = "BTN-2008", "A tool result answers a call that already has a result", "Send only results of calls that are still open.";
    TOOL_RESULT_INVALID = "BTN-2009", "A tool result is malformed", "Each result needs call_id and output.";
    HANDOFF_NOT_FOUND = "BTN-2010", "There is no such handoff", "The handoff ids of a task are in its events; handoffs of other owners are reported as missing.";
    TASK_FULL = "BTN-2011", "The task has reached its message limit", "Continue in a new task of the same context.";
    GENERATION_MISMATCH = "BTN-2012", "The task has changed since you read it", "Read the task again, then send your request with its current generation.";
    IDEMPOTENCY_CONFLICT = "BTN-2013", "The idempotency key was used for another message", "Use a new key for a new message; send a message again unchanged to get its original answer.";
    PUSH_NOT_FOUND = "BTN-2014", "The task has no such push configuration", "List the task's push configurations for their ids.";
    PUSH_FULL = "BTN-2015", "The task has reached its limit of push configurations", "Delete one that is no longer needed.";
    PEER_CARD_INVALID = "BTN-2016", "There is no usable agent card at that address", "Check the address in a browser: it, or /.well-known/agent-card.json below it, must return an A2A agent card.";
    PEER_UNTRUSTED = "BTN-2017", "The remote agent's card or address is not trusted", "Check with its operator; then allow the host, the key or the private address for this peer in baton.yaml.";
    TOKEN_NOT_FOUND = "BTN-2018", "There is no such token", "Run `baton token list` to list the ids.";
    ANSWER_INVALID = "BTN-2019", "The answer does not fit the question", "Answer each input request of the status message by its call_id and key, with content that fits its schema.";
    TOOL_NOT_FOUND = "BTN-2020", "The agent has no such tool", "Run `baton tools list` for the names; tools of a server that is not ready are missing there.";
    APPROVAL_NOT_FOUND = "BTN-2021", "There is no such approval", "Run `baton approvals list` for pending approvals; approvals of other owners are reported as missing.";
    APPROVAL_ANSWERED = "BTN-2022", "The approval is no longer pending", "Nothing to do: it was answered, or the task continued without it; check the task for the result.";
    AGENT_NOT_CHANGED = "BTN-2023", "The agent's file could not be changed", "Follow the message: write the line by hand, or let the user that runs Baton write the file.";
    TRACEQL_INVALID = "BTN-2024", "The TraceQL query cannot be run", "Fix the query at the line and column shown; docs/traceql.md describes the language.";
    TRACE_NOT_FOUND = "BTN-2025", "There is no such trace", "Find trace ids with `baton trace query`; telemetry that is older than its retention is deleted.";
    TRACE_TOO_LARGE = "BTN-2026", "The trace is too large for one answer", "A client puts all its spans into one trace: use a separate trace for each unit of work.";
    SESSION_NOT_FOUND = "BTN-2027", "There is no such session", "Run `baton sessions list` for the names; sessions of other owners are reported as missing.";
    SESSION_UNFINISHED = "BTN-2028", "The session has unfinished work", "Wait for it, answer or cancel its task, or delete with --force, which cancels the task.";
    SESSION_INVALID = "BTN-2029", "The session change or import is not valid", "Follow the message; docs/sessions.md describes the settings, their limits and the file formats.";
    MODE_REFUSED = "BTN-2030", "The agent does not support that mode", "Follow the message; docs/agent-directory.md describes autonomous agents and their limits.";
    NAME_TAKEN = "BTN-2031", "The name is taken", "Choose another name, or change the existing item.";
    AGENT_PART_NOT_FOUND = "BTN-2032", "The agent has no item with that name", "List its rules, references, servers, exported tools or providers for their names.";
    AGENT_OUTDATED = "BTN-2033", "The agent has changed since you read it", "Read the agent again, then send your change with its current ETag.";
    RESPONSE_NOT_FOUND = "BTN-2034", "There is no such response, conversation or item", "Use the id that was returned when it was created; items that were deleted, not stored, or belong to another owner are reported as missing.";
    QUERY_TOO_LARGE = "BTN-2040", "The query exceeds its memory limit", "Narrow it: a longer step, a shorter range, a narrower filter, or fewer labels in by().";
    APPROVAL_UNMATCHED = "BTN-2045", "The answer matches no question of this conversation", "Send the whole conversation unchanged with the answer at the end, or answer with `baton approvals answer`.";
    APPROVAL_UNCLEAR = "BTN-2046", "The answer to an approval is neither yes nor no", "Answer yes, always or no, or use `baton approvals answer`.";
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
    TOOL_ARGUMENTS = "BTN-3014", "The tool arguments are not valid", "The model receives the error and may call again; if it fails repeatedly, correct the parameters in the tool's definition.";
    TOOL_ERRORS = "BTN-3015", "A tool failed too often in one run", "Check its last error in the message; raise settings.tool_errors in agent.yaml if so many failures are normal.";
    ANSWER_FORM = "BTN-3016", "The answer does not match the requested format", "The message describes the mismatch; allow more answer.repairs in agent.yaml, use a simpler schema, or use a stronger model.";
    BUDGET_USED_UP = "BTN-3017", "A budget is used up", "The message names it; raise it under settings.budgets in agent.yaml, or continue in a new session or another month.";
    GUARDRAIL_BLOCKED = "BTN-3018", "A guardrail blocked the content", "The message contains its reason; change your request, or change the guardrail that it names in agent.yaml.";
    GUARDRAIL_FAILED = "BTN-3019", "A guardrail could not be reached", "Start the program or service that the message names, or set its on_failure to allow in agent.yaml.";
    WINDOW_EXCEEDED = "BTN-3020", "The conversation does not fit the model's context window", "Send less at once, start a new conversation, let Baton compact it (truncation: auto), or use a model with a larger context window.";
    CALL_NOT_OPEN = "BTN-3021", "The tool call is not open for the caller", "Check the task: the agent runs the call, the call has its result, or the task asks for its outcome; answer that question instead.";
    PROVIDER_KEY_REFUSED = "BTN-3022", "The model provider rejected the key of this server", "The operator of Baton must set a valid key for the provider that the message names; your own credentials are fine.";
    PROVIDER_QUOTA_EXHAUSTED = "BTN-3023", "The account at the model provider has no quota left", "The operator of Baton must raise the quota or pay the provider that the message names, or add fallbacks.";
    MODEL_NOT_CONFIGURED = "BTN-3024", "The agent's model is not configured", "Follow the message: set the key, name another provider or model, or correct the setting.";
    BUSY = "BTN-4001", "Baton is too busy to accept more work", "Try again after the time in Retry-After.";
    JOURNAL_UNAVAILABLE = "BTN-4002", "The journal could not be written", "Free disk space or check the disk; Baton continues automatically when there is space.";
    JOURNAL_LOCKED = "BTN-4003", "Another Baton owns this data directory", "Use the running one with --server, or choose another directory with --data.";
    JOURNAL_CORRUPT = "BTN-4004", "The journal is damaged or not a Baton journal", "Restore .baton from a backup, or move it away and start with a new one. `baton doctor --repair` reports the damage.";
    JOURNAL_NEWER = "BTN-4005", "The journal was written by a newer Baton", "Run that version or a later one.";
    JOURNAL_CONFLICT = "BTN-4006", "The task was changed concurrently", "Read the task and try again.";
    SHUTTING_DOWN = "BTN-4007", "Baton is shutting down", "Try again when it is back; accepted work continues automatically.";
    SPANS_UNAVAILABLE = "BTN-4008", "The span store could not be written or read", "Free disk space or check the disk; if the message names a Tempo server, check that it is reachable and check telemetry.tempo. Baton then continues automatically.";
    SPANS_CORRUPT = "BTN-4009", "Files of the span store are damaged", "Baton sets damaged files aside when it starts. If a query finds one, stop Baton and run `baton doctor --repair`, which reads every block and sets damaged ones aside; nothing is deleted.";
    PEER_NOT_ALLOWED = "BTN-4010", "A remote agent requested an agent that it may not use", "If you trust it with that, run the command again with --allow-peer and the name or address of the agent.";
    CONFIG_INVALID = "BTN-5001", "The configuration has an error", "Correct what the message names: a line of baton.yaml, a variable, or a file beside it.";
    SERVER_UNREACHABLE = "BTN-5002", "No Baton server answers at that address", "Start one with `baton up`, or correct --server.";
    PORT_IN_USE = "BTN-5003", "The port is taken", "Choose another with --port, or --port 0 for any free one.";
    ALREADY_EXISTS = "BTN-5004", "The file or directory exists already", "Choose another name, or remove it first.";
    USAGE = "BTN-5005", "The command line or an environment variable is wrong", "Run the command with --help for its arguments and examples.";
    TLS_INVALID = "BTN-5006", "The certificate or its key cannot be used", "Give PEM files that belong together with --tls-cert and --tls-key, or as tls.cert and tls.key in baton.yaml.";
    EXPOSED = "BTN-5007", "Others could use this Baton without authentication", "Add --auth and give them tokens, listen on 127.0.0.1, or add --insecure on a network you trust.";
    SECRET_MISSING = "BTN-5008", "A secret that the configuration refers to is missing", "Set the environment variable or write the file that the message names, and start again.";
    KEYS_UNUSABLE = "BTN-5009", "The keys that sign agent cards cannot be used", "Only the user that runs Baton may use the files under keys in its data directory; the message says which one is wrong.";
    JOURNAL_MISSING = "BTN-5010", "The data directory has lost its journal", "Restore journal.db from a backup; to start without it, run `baton up --new-journal` once.";
    DATA_EXPOSED = "BTN-5011", "Others can read or change the data directory", "Run the chmod command that the message shows as the owner of the directory, or choose another one with --data.";
    RECORD_DAMAGED = "BTN-5012", "The stored record of a task cannot be read", "Other tasks are not affected. Restore the journal from a backup, or stop Baton and run `baton doctor --repair`, which moves the record aside.";
    INTERNAL = "BTN-9001", "Something went wrong inside Baton", "Please report it with the log lines that contain this code.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_every_error_has_advice() {
        let codes: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.code).collect();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        assert!(ErrorCode::ALL.iter().all(|code| !code.hint.is_empty() && !code.title.is_empty()));
    }
}

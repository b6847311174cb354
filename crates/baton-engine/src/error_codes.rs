//! Error codes of commands and views of the engine.

pub(crate) use baton_rules::error_codes::{ANSWER_INVALID, MODE_REFUSED, TOOL_RESULT_INVALID, TOOL_RESULT_UNKNOWN};

baton_types::error_codes! {
    PUSH_URL_REFUSED = "BTN-1006", "Notifications may not be sent to that address", "Use a public https address, or allow this one under push.allow in baton.yaml.";
    CONTEXT_MISMATCH = "BTN-2006", "The task belongs to another context", "Omit the context id; the task already has one.";
    GENERATION_MISMATCH = "BTN-2012", "The task has changed since you read it", "Read the task again, then send your request with its current generation.";
    IDEMPOTENCY_CONFLICT = "BTN-2013", "The idempotency key was used for another message", "Use a new key for a new message; send a message again unchanged to get its original answer.";
    PUSH_NOT_FOUND = "BTN-2014", "The task has no such push configuration", "List the task's push configurations for their ids.";
    PUSH_FULL = "BTN-2015", "The task has reached its limit of push configurations", "Delete one that is no longer needed.";
    APPROVAL_ANSWERED = "BTN-2022", "The approval is no longer pending", "Nothing to do: it was answered, or the task continued without it; check the task for the result.";
    SESSION_NOT_FOUND = "BTN-2027", "There is no such session", "Run `baton sessions list` for the names; sessions of other owners are reported as missing.";
    SESSION_UNFINISHED = "BTN-2028", "The session has unfinished work", "Wait for it, answer or cancel its task, or delete with --force, which cancels the task.";
    SESSION_INVALID = "BTN-2029", "The session change or import is not valid", "Follow the message; docs/sessions.md describes the settings, their limits and the file formats.";
    SHUTTING_DOWN = "BTN-4007", "Baton is shutting down", "Try again when it is back; accepted work continues automatically.";
}

//! Error codes of rejected messages and tool calls.

baton_types::error_codes! {
    TOOL_RESULT_UNKNOWN = "BTN-2007", "A tool result names a call that the task did not make", "Use the call_id values of the task's last tool_calls.";
    TOOL_RESULT_DUPLICATE = "BTN-2008", "A tool result answers a call that already has a result", "Send only results of calls that are still open.";
    TOOL_RESULT_INVALID = "BTN-2009", "A tool result is malformed", "Each result needs call_id and output.";
    TASK_FULL = "BTN-2011", "The task has reached its message limit", "Continue in a new task of the same context.";
    ANSWER_INVALID = "BTN-2019", "The answer does not fit the question", "Answer each input request of the status message by its call_id and key, with content that fits its schema.";
    MODE_REFUSED = "BTN-2030", "The agent does not support that mode", "Follow the message; docs/agent-directory.md describes autonomous agents and their limits.";
    TOOL_ARGUMENTS = "BTN-3014", "The tool arguments are not valid", "The model receives the error and may call again; if it fails repeatedly, correct the parameters in the tool's definition.";
}

//! Error codes of changes to agent definitions.

baton_types::error_codes! {
    AGENT_NOT_CHANGED = "BTN-2023", "The agent's file could not be changed", "Follow the message: write the line by hand, or let the user that runs Baton write the file.";
}

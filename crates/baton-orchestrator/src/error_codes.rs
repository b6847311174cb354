//! Error codes of calls to remote agents.

pub(crate) use baton_rules::error_codes::ANSWER_INVALID;

baton_types::error_codes! {
    PEER_NOT_ALLOWED = "BTN-4010", "A remote agent requested an agent that it may not use", "If you trust it with that, run the command again with --allow-peer and the name or address of the agent.";
}

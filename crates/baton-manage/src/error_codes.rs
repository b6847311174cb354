//! Error codes of agent management.

pub use baton_agentdir::error_codes::AGENT_NOT_CHANGED;
pub(crate) use baton_api::error_codes::SCOPE_MISSING;
pub(crate) use baton_ports::error_codes::{AGENT_OUTDATED, NAME_TAKEN};

baton_types::error_codes! {
    AGENT_PART_NOT_FOUND = "BTN-2032", "The agent has no item with that name", "List its rules, references, servers, exported tools or providers for their names.";
}

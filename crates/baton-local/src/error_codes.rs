//! Error codes of other crates that the agent repository raises.

pub(crate) use baton_agentdir::error_codes::AGENT_NOT_CHANGED;
pub(crate) use baton_ports::error_codes::{AGENT_OUTDATED, NAME_TAKEN};

//! Error codes of the management API.

pub(crate) use baton_api::error_codes::{NOT_OFFERED, SCOPE_MISSING};
pub(crate) use baton_engine::error_codes::SESSION_INVALID;
pub(crate) use baton_manage::error_codes::AGENT_NOT_CHANGED;
pub(crate) use baton_manage::error_codes::AGENT_PART_NOT_FOUND;
pub(crate) use baton_ports::error_codes::{AGENT_OUTDATED, JOURNAL_UNAVAILABLE, NAME_TAKEN};
pub(crate) use baton_rules::error_codes::ANSWER_INVALID;

baton_types::error_codes! {
    HANDOFF_NOT_FOUND = "BTN-2010", "There is no such handoff", "The handoff ids of a task are in its events; handoffs of other owners are reported as missing.";
    TOKEN_NOT_FOUND = "BTN-2018", "There is no such token", "Run `baton token list` to list the ids.";
}

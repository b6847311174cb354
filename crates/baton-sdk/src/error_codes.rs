//! Error codes of servers, journals and managed agents, for [`Error::code`](crate::Error::code) and errors of
//! [`manage`](crate::manage). [`ErrorCode`](crate::ErrorCode) has those that every crate shares.

pub use baton_manage::error_codes::{AGENT_NOT_CHANGED, AGENT_PART_NOT_FOUND};
pub use baton_orchestrator::error_codes::PEER_NOT_ALLOWED;
pub use baton_ports::error_codes::{
    AGENT_OUTDATED, JOURNAL_CORRUPT, JOURNAL_LOCKED, JOURNAL_MISSING, JOURNAL_NEWER, JOURNAL_UNAVAILABLE, NAME_TAKEN,
};
pub use baton_server::error_codes::{DATA_EXPOSED, EXPOSED, KEYS_UNUSABLE, PORT_IN_USE, USAGE};

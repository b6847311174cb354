//! Error codes of the binary, and those of other crates that it reports.

pub(crate) use baton_agentdir::error_codes::AGENT_NOT_CHANGED;
pub(crate) use baton_api::error_codes::NOT_OFFERED;
pub(crate) use baton_client::error_codes::TRACE_NOT_FOUND;
pub(crate) use baton_orchestrator::error_codes::PEER_NOT_ALLOWED;
pub(crate) use baton_peers::error_codes::ALREADY_EXISTS;
pub(crate) use baton_ports::error_codes::JOURNAL_UNAVAILABLE;
pub(crate) use baton_rules::error_codes::ANSWER_INVALID;
pub(crate) use baton_server::error_codes::{DATA_EXPOSED, EXPOSED, PORT_IN_USE, USAGE};
use baton_types::ErrorCode;

baton_types::error_codes! {
    SERVER_UNREACHABLE = "BTN-5002", "No Baton server answers at that address", "Start one with `baton up`, or correct --server.";
}

/// The error code with this text, of any crate of the program.
pub(crate) fn find(code: &str) -> Option<&'static ErrorCode> {
    let surfaces = [ALL, baton_client::error_codes::ALL, baton_orchestrator::error_codes::ALL];
    baton_server::error_codes::all().chain(surfaces.into_iter().flatten()).find(|error_code| error_code.code == code)
}

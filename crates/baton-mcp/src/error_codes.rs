//! Error codes of the MCP surface.

pub(crate) use baton_api::error_codes::{NOT_OFFERED, SCOPE_MISSING};
pub(crate) use baton_http::error_codes::SHARE_FULL;
pub(crate) use baton_manage::error_codes::AGENT_PART_NOT_FOUND;
pub(crate) use baton_ports::error_codes::NAME_TAKEN;

baton_types::error_codes! {
    CALL_NOT_OPEN = "BTN-3021", "The tool call is not open for the caller", "Check the task: the agent runs the call, the call has its result, or the task asks for its outcome; answer that question instead.";
}

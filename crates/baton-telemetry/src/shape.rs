//! From what Baton says to what each emit mode lets be seen.

use crate::{EmitMode, Schema, names};
use baton_types::Attributes;

/// Older names and the newer ones beside them; only these are renamed, and `insight.*`, `project.*`, `task.*`, `gate.*`
/// and the other `handoff.*` never are.
pub const RENAMED: &[(&str, &str)] = &[
    (names::AGENT_ID, names::GEN_AI_AGENT_ID),
    (names::AGENT_SESSION_ID, names::GEN_AI_CONVERSATION_ID),
    (names::AGENT_TYPE, names::GEN_AI_AGENT_TYPE),
    (names::AGENT_NAME, names::GEN_AI_AGENT_NAME),
    (names::AGENT_MODEL, names::GEN_AI_REQUEST_MODEL),
    (names::AGENT_VERSION, names::GEN_AI_AGENT_VERSION),
    (names::HANDOFF_ID, names::GEN_AI_TOOL_CALL_ID),
    (names::HANDOFF_CAPABILITY_ID, names::GEN_AI_TOOL_NAME),
    (names::HANDOFF_INPUTS, names::GEN_AI_TOOL_CALL_ARGUMENTS),
];

/// Rewrites attributes for a mode and a schema.
pub fn shape(attributes: &mut Attributes, mode: EmitMode, schema: Schema) {
    let _ = (attributes, mode, schema);
}

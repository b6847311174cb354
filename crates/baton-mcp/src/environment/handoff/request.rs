//! The sampling request that names the target agent.

use baton_ports::HandoffRequest;
use baton_types::HandoffId;
use rmcp::model::{CreateMessageRequestParams, SamplingMessage};
use serde_json::json;

/// Required by the protocol. Agents use their own limits; this one is for clients that forward the request to a model.
const MAX_TOKENS: u32 = 4096;

/// Handoff details are in the metadata, which every protocol version has.
pub(super) fn params(ask: &HandoffRequest, id: &HandoffId, agent_uri: &str, depth: u32) -> CreateMessageRequestParams {
    let mut metadata = json!({ "agent_uri": agent_uri, "depth": depth, "handoff_id": id.as_str() });
    if let Some(context) = &ask.context {
        metadata["context_id"] = context.as_str().into();
    }
    let mut params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(ask.message.clone())], MAX_TOKENS);
    params.metadata = Some(metadata);
    params
}

//! The sampling request that names the agent which is meant to answer.

use baton_ports::HandoffAsk;
use baton_types::HandoffId;
use rmcp::model::{CreateMessageRequestParams, SamplingMessage};
use serde_json::json;

/// The protocol wants a number. Agents set their own bounds; this is for clients that give it to a model.
const MAX_TOKENS: u32 = 4096;

/// What whoever hands the work over needs to know is in the metadata, which every version of the protocol has.
pub(super) fn params(ask: &HandoffAsk, id: &HandoffId, agent_uri: &str, depth: u32) -> CreateMessageRequestParams {
    let mut metadata = json!({ "agent_uri": agent_uri, "depth": depth, "handoff_id": id.as_str() });
    if let Some(context) = &ask.context {
        metadata["context_id"] = context.as_str().into();
    }
    let mut params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(ask.message.clone())], MAX_TOKENS);
    params.metadata = Some(metadata);
    params
}

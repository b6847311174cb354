//! Choice of the handoff channel from the client's capabilities.

use baton_types::{ChannelReason, HandoffChannel};
use rmcp::model::ClientCapabilities;

/// Capability of clients that answer sampling by forwarding the work to the named agent.
const HANDOFF_CAPABILITY: &str = "dev.baton/handoff";

/// Client properties that determine the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClientFacts {
    /// Whether servers ask with unfinished results, as in the newest protocol, instead of requests.
    pub(super) is_modern: bool,
    /// Whether the client declares sampling.
    pub(super) samples: bool,
    /// Whether the client declares the handoff capability.
    pub(super) hands_over: bool,
    /// Whether the agent delegates its tools to its callers.
    pub(super) caller_runs_tools: bool,
    /// Whether a model instead of an agent answered earlier sampling requests of the session.
    pub(super) answers_from_model: bool,
}

/// Whether a client declares the handoff capability.
pub(super) fn declares_handoff(capabilities: &ClientCapabilities) -> bool {
    [&capabilities.extensions, &capabilities.experimental]
        .into_iter()
        .flatten()
        .any(|declared| declared.contains_key(HANDOFF_CAPABILITY))
}

/// Sampling is used for clients that declare the handoff capability and, in caller mode, for every client with
/// sampling: callers that run an agent's tools understand its `handoff` request. Any other client would answer with its
/// own model.
pub(super) fn choose_channel(client: ClientFacts) -> (HandoffChannel, ChannelReason) {
    let reason = match client {
        ClientFacts { samples: false, .. } => return (HandoffChannel::Direct, ChannelReason::NoSampling),
        ClientFacts { answers_from_model: true, .. } => return (HandoffChannel::Direct, ChannelReason::OtherModel),
        ClientFacts { hands_over: true, .. } => ChannelReason::HandoffDeclared,
        ClientFacts { caller_runs_tools: true, .. } => ChannelReason::CallerRunsTools,
        _ => return (HandoffChannel::Direct, ChannelReason::OrdinarySampling),
    };
    let channel = if client.is_modern { HandoffChannel::InputRequired } else { HandoffChannel::Sampling };
    (channel, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use HandoffChannel::{Direct, InputRequired, Sampling};
    use serde_json::json;

    /// All combinations of sampling, the handoff extension, caller mode and an earlier model answer, with the channel
    /// in both eras and its reason.
    #[test]
    fn channel_is_chosen_for_every_client() {
        use ChannelReason::{CallerRunsTools, HandoffDeclared, NoSampling, OrdinarySampling, OtherModel};
        const Y: bool = true;
        const N: bool = false;
        let direct = [Direct, Direct];
        let sampling = [Sampling, InputRequired];
        let table = [
            ([N, N, N, N], direct, NoSampling),
            ([N, N, N, Y], direct, NoSampling),
            ([N, N, Y, N], direct, NoSampling),
            ([N, N, Y, Y], direct, NoSampling),
            ([N, Y, N, N], direct, NoSampling),
            ([N, Y, N, Y], direct, NoSampling),
            ([N, Y, Y, N], direct, NoSampling),
            ([N, Y, Y, Y], direct, NoSampling),
            ([Y, N, N, N], direct, OrdinarySampling),
            ([Y, N, N, Y], direct, OtherModel),
            ([Y, N, Y, N], sampling, CallerRunsTools),
            ([Y, N, Y, Y], direct, OtherModel),
            ([Y, Y, N, N], sampling, HandoffDeclared),
            ([Y, Y, N, Y], direct, OtherModel),
            ([Y, Y, Y, N], sampling, HandoffDeclared),
            ([Y, Y, Y, Y], direct, OtherModel),
        ];
        for ([samples, hands_over, caller_runs_tools, answers_from_model], channels, reason) in table {
            for (is_modern, channel) in [false, true].into_iter().zip(channels) {
                let client = ClientFacts { is_modern, samples, hands_over, caller_runs_tools, answers_from_model };
                assert_eq!(choose_channel(client), (channel, reason), "{client:?}");
            }
        }
    }

    #[test]
    fn extension_is_read_from_extensions_and_experimental() {
        for (capabilities, declares) in [
            (json!({}), false),
            (json!({"sampling": {}}), false),
            (json!({"sampling": {}, "extensions": {"dev.baton/other": {}}}), false),
            (json!({"experimental": {"dev.baton/handoff": {}}}), true),
            (json!({"extensions": {"io.modelcontextprotocol/ui": {}, "dev.baton/handoff": {"a": 1}}}), true),
        ] {
            let read: ClientCapabilities = serde_json::from_value(capabilities.clone()).unwrap();
            assert_eq!(declares_handoff(&read), declares, "{capabilities}");
        }
    }
}

//! The channel of a handoff, by what its client declares.

use baton_types::{ChannelReason, HandoffChannel};
use rmcp::model::ClientCapabilities;

/// Declared by clients that answer sampling by handing the work to the agent that the request names.
const HANDOFF: &str = "dev.baton/handoff";

/// Facts about the client of one request that decide about its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClientFacts {
    /// Whether servers ask by unfinished results, as in the newest protocol, instead of by requests.
    pub(super) is_modern: bool,
    /// Whether it declares sampling.
    pub(super) samples: bool,
    /// Whether it declares that it hands work over.
    pub(super) hands_over: bool,
    /// Whether the agent leaves its tools to its callers.
    pub(super) caller_runs_tools: bool,
    /// Whether a model answered the session's earlier sampling requests instead of an agent.
    pub(super) answers_from_model: bool,
}

/// Whether a client declares that it hands work over.
pub(super) fn declares_handoff(capabilities: &ClientCapabilities) -> bool {
    [&capabilities.extensions, &capabilities.experimental]
        .into_iter()
        .flatten()
        .any(|declared| declared.contains_key(HANDOFF))
}

/// Sampling is for clients that say that they hand work over, and in caller mode for every client that samples: callers
/// that run an agent's tools know what its `handoff` asks. Any other client would let its own model answer.
pub(super) fn choose(client: ClientFacts) -> (HandoffChannel, ChannelReason) {
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

    /// Every client there can be: samples, hands over, caller mode, a model answered; the channel in both eras, and why.
    #[test]
    fn every_client_has_its_channel() {
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
                assert_eq!(choose(client), (channel, reason), "{client:?}");
            }
        }
    }

    #[test]
    fn the_extension_may_be_declared_in_two_places() {
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

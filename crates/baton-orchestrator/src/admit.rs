//! Permission check for handoffs.

use crate::{error_codes, inner::OrchestratorCore, peer_conversation::PeerConversation};
use baton_outbound::Target;
use baton_peers::{Credential, PeerConfig};
use baton_ports::{AgentSource as _, PeerRegistry as _, PeerRegistryError};
use baton_types::{AgentName, Digest};

/// Reason why a handoff is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HandoffDenial {
    /// Cannot be allowed, with the reason.
    Never(String),
    /// The caller did not allow it.
    NotAllowed {
        /// Whether a credential would be sent to the agent.
        has_credential: bool,
    },
}

impl OrchestratorCore {
    /// Registers the agent at an address.
    pub(crate) fn register(&self, url: &str) -> Result<AgentName, PeerRegistryError> {
        let digest = Digest::compute(address(url).as_bytes());
        let name = AgentName::from(format!("agent-{}", &digest.as_str()[..16]));
        let config = self.find_config(url).cloned().unwrap_or_else(|| PeerConfig::at(address(url)));
        self.registry.add_referenced(PeerConfig { name: Some(name.clone()), ..config })?;
        Ok(name)
    }

    /// The caller's configuration of the agent at an address.
    fn find_config(&self, url: &str) -> Option<&PeerConfig> {
        self.settings.peers.iter().find(|peer| address(&peer.url) == address(url))
    }

    /// Whether work may be handed to the agent that a tool names.
    ///
    /// The first agent can reach its own origin anyway, and a local agent other local agents, so these need no
    /// permission. A credential, however, is never sent unless the caller allowed that agent.
    pub(crate) fn check_handoff(&self, from: &PeerConversation<'_>, uri: &str) -> Result<(), HandoffDenial> {
        if from.chain().any(|asking| address(asking.url) == address(uri)) {
            let detail = format!("handoff cycle: {uri} already handed this work over");
            return Err(HandoffDenial::Never(detail));
        }
        let target = Target::parse(uri)
            .map_err(|error| HandoffDenial::Never(format!("{uri} is not a valid agent address: {error}")))?;
        if self.settings.allowed.iter().any(|allowed| covers(allowed, &target)) {
            return Ok(());
        }
        let has_credential = self.find_config(uri).is_some_and(has_credential);
        let first = from.chain().last().unwrap_or(from);
        let is_reached = self.is_same_origin(first, &target) || self.is_local_pair(first, &target);
        if is_reached && !has_credential { Ok(()) } else { Err(HandoffDenial::NotAllowed { has_credential }) }
    }

    /// Whether the target has the origin of the first agent.
    fn is_same_origin(&self, first: &PeerConversation<'_>, target: &Target) -> bool {
        // An address without a scheme has the origin of its card.
        let card = self.registry.peer(first.name).map(|peer| peer.card_url).filter(|_| !first.url.contains("://"));
        let home = Target::parse(card.as_deref().unwrap_or(first.url));
        home.is_ok_and(|home| home.origin() == target.origin())
    }

    fn is_local_pair(&self, first: &PeerConversation<'_>, target: &Target) -> bool {
        self.settings.allow_local_agents
            && is_local(target)
            && Target::parse(first.url).is_ok_and(|first| is_local(&first))
    }

    /// Display name of an agent.
    pub(crate) fn title(&self, name: &AgentName) -> String {
        self.registry.agent(name).map_or_else(|| name.to_string(), |agent| agent.title.clone())
    }
}

/// Error for a tool that named an agent which the caller did not allow.
pub(crate) fn not_allowed_message(uri: &str) -> String {
    let code = error_codes::PEER_NOT_ALLOWED.code;
    format!("{code}: handoffs to {uri} are not allowed; the caller has to allow them")
}

fn address(url: &str) -> &str {
    url.trim().trim_end_matches('/')
}

fn has_credential(peer: &PeerConfig) -> bool {
    !matches!(peer.credential, Credential::None) || peer.client_identity.is_some()
}

/// Whether an allowed address covers the target: an origin covers everything on it, any other address only itself.
fn covers(allowed: &str, target: &Target) -> bool {
    let Ok(allowed) = Target::parse(address(allowed)) else { return false };
    let path = |target: &Target| {
        let path = target.uri().path_and_query().map_or("", |path| path.as_str());
        path.trim_end_matches('/').to_owned()
    };
    allowed.origin() == target.origin() && (path(&allowed).is_empty() || path(&allowed) == path(target))
}

fn is_local(target: &Target) -> bool {
    let host = target.host();
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_entry_covers_its_paths_and_url_entry_itself() {
        for (allowed, asked, expect) in [
            ("https://a.example", "https://a.example/agents/x", true),
            ("https://a.example/", "https://A.example:443/agents/x/", true),
            ("https://a.example/agents/x", "https://a.example/agents/x/", true),
            ("https://a.example/agents/x", "https://a.example/agents/y", false),
            ("https://a.example/agents/x", "https://a.example/agents/x/../y", false),
            ("https://a.example/agents/x", "https://a.example/agents/x?to=y", false),
            ("https://a.example", "https://a.example:8443", false),
            ("https://a.example", "http://a.example", false),
            ("https://a.example", "https://a.example.evil.example", false),
            ("a.example", "https://a.example", false),
        ] {
            assert_eq!(covers(allowed, &Target::parse(asked).unwrap()), expect, "{allowed} {asked}");
        }
    }
}

//! Whom work may be handed to.

use crate::{asking::Asking, inner::Inner};
use baton_outbound::Target;
use baton_peers::PeerConfig;
use baton_ports::{AgentSource as _, PeerBook as _, PeerBookError};
use baton_types::{AgentName, Digest};

impl Inner {
    /// Knows the agent at an address.
    pub(crate) fn know(&self, url: &str) -> Result<AgentName, PeerBookError> {
        let address = |url: &str| url.trim().trim_end_matches('/').to_owned();
        let known = self.settings.peers.iter().find(|peer| address(&peer.url) == address(url));
        let digest = Digest::of(address(url).as_bytes());
        let name = AgentName::from(format!("agent-{}", &digest.as_str()[..16]));
        let config = known.cloned().unwrap_or_else(|| PeerConfig::at(address(url)));
        self.book.lend_also(PeerConfig { name: Some(name.clone()), ..config })?;
        Ok(name)
    }

    /// Knows the agent that a tool names, if work may be handed to it; or says why not, for the tool.
    pub(crate) fn admit(&self, from: &Asking<'_>, uri: &str) -> Result<AgentName, String> {
        let plain = uri.trim_end_matches('/');
        if from.chain().any(|asking| asking.url.trim_end_matches('/') == plain) {
            return Err(format!("the work would go in a circle: {uri} is one of those who handed it over"));
        }
        let target = Target::parse(uri).map_err(|error| format!("{uri} is no address of an agent: {error}"))?;
        let origin = |url: &str| Target::parse(url).ok().map(|target| target.origin());
        let named = self
            .settings
            .allowed
            .iter()
            .map(String::as_str)
            .chain(self.settings.peers.iter().map(|peer| peer.url.as_str()));
        let is_named = named.filter_map(origin).any(|origin| origin == target.origin());
        let first = from.chain().last().unwrap_or(from);
        let card = self.book.peer(first.name).map(|peer| peer.card_url);
        let is_home = card.iter().map(String::as_str).chain([first.url]).filter_map(origin);
        let is_home = is_home.into_iter().any(|origin| origin == target.origin());
        let is_neighbour =
            self.settings.neighbours && is_local(&target) && Target::parse(first.url).is_ok_and(|it| is_local(&it));
        if !(is_named || is_home || is_neighbour) {
            return Err(format!(
                "{uri} is not among the agents that work may be handed to; whoever asks has to allow it"
            ));
        }
        self.know(uri).map_err(|error| error.to_string())
    }

    /// What an agent is called.
    pub(crate) fn title(&self, name: &AgentName) -> String {
        self.book.agent(name).map_or_else(|| name.to_string(), |agent| agent.title.clone())
    }
}

fn is_local(target: &Target) -> bool {
    let host = target.host();
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

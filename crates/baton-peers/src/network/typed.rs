//! Access to peers whose URL was typed by the user: their hosts are always allowed.

use super::Network;
use crate::{Bound, CardRead, Credential, Door, PeerConfig, Reach, ReadCard};
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_wire::a2a::v1::AgentCard;
use std::time::Duration;

/// Network access that also allows the hosts in the peer's own configuration. URLs in its card and redirects are still
/// checked.
#[derive(Debug)]
pub struct TypedHosts(Network);

impl TypedHosts {
    /// Allows no other private addresses.
    pub fn new() -> Self {
        Self(Network::new(Vec::new()))
    }
}

impl Default for TypedHosts {
    fn default() -> Self {
        Self::new()
    }
}

impl Reach for TypedHosts {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a ReadCard>,
    ) -> BoxFuture<'a, Result<CardRead, PeerRegistryError>> {
        Box::pin(async move { self.0.read_card(&allowing(config), last).await })
    }

    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<Bound, PeerRegistryError> {
        self.0.bind(&allowing(config), card)
    }

    fn door(&self, config: &PeerConfig, longest: Duration) -> Result<Door, PeerRegistryError> {
        self.0.door(&allowing(config), longest)
    }
}

fn allowing(config: &PeerConfig) -> PeerConfig {
    let mut config = config.clone();
    let token_url = match &config.credential {
        Credential::OAuth2(grant) => Some(grant.token_url.as_str()),
        _ => None,
    };
    let typed = [Some(config.url.as_str()), token_url].into_iter().flatten().filter_map(host);
    let typed: Vec<String> = typed.filter(|host| !config.allow.contains(host)).collect();
    config.allow.extend(typed);
    config
}

/// The host of a URL; an IPv6 address without brackets.
fn host(url: &str) -> Option<String> {
    // The scheme may be missing.
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        None => authority.split(':').next()?,
    };
    (!host.is_empty() && !host.contains('@')).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_allowed() {
        for (url, expect) in [
            ("http://127.0.0.1:8700/agents/weather", Some("127.0.0.1")),
            ("https://weather.example.com", Some("weather.example.com")),
            ("https://weather.example.com?x=1", Some("weather.example.com")),
            ("http://[::1]:8700", Some("::1")),
            ("http://user@127.0.0.1", None),
            ("https://", None),
            ("127.0.0.1:8701", Some("127.0.0.1")),
            ("", None),
        ] {
            assert_eq!(host(url).as_deref(), expect, "{url}");
        }
        let config = PeerConfig { allow: vec!["10.0.0.0/8".to_owned()], ..PeerConfig::at("http://127.0.0.1:1/x") };
        assert_eq!(allowing(&config).allow, ["10.0.0.0/8", "127.0.0.1"]);
        assert_eq!(allowing(&allowing(&config)), allowing(&config));
    }
}

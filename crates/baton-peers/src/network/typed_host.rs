//! Access to peers whose URL was typed by the user: their hosts are always allowed.

use super::NetworkConnector;
use crate::{CardReadOutcome, Credential, FetchedCard, PeerConfig, PeerConnector, PeerInterface};
use baton_outbound::EnvironmentAccess;
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_wire::a2a::v1::AgentCard;
use std::time::Duration;

/// Network access that also allows the hosts in the peer's own configuration. URLs in its card and redirects are still
/// checked.
#[derive(Debug)]
pub struct TypedHostConnector(NetworkConnector);

impl TypedHostConnector {
    /// Allows no other private addresses.
    pub fn new() -> Self {
        Self(NetworkConnector::new(Vec::new()))
    }
}

impl Default for TypedHostConnector {
    fn default() -> Self {
        Self::new()
    }
}

impl PeerConnector for TypedHostConnector {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        Box::pin(async move { self.0.read_card(&with_typed_hosts(config), last).await })
    }

    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        self.0.bind(&with_typed_hosts(config), card)
    }

    fn environment_access(
        &self,
        config: &PeerConfig,
        timeout: Duration,
    ) -> Result<EnvironmentAccess, PeerRegistryError> {
        self.0.environment_access(&with_typed_hosts(config), timeout)
    }
}

fn with_typed_hosts(config: &PeerConfig) -> PeerConfig {
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
    fn typed_host_is_extracted_from_url() {
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
        assert_eq!(with_typed_hosts(&config).allow, ["10.0.0.0/8", "127.0.0.1"]);
        assert_eq!(with_typed_hosts(&with_typed_hosts(&config)), with_typed_hosts(&config));
    }
}

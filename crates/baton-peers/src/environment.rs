//! The Environment of a peer: an MCP server with tools for its callers.

use crate::{
    FetchedCard, PeerConfig,
    discover::{is_own_host, with_scheme},
};
use baton_outbound::Target;
use baton_types::{
    AgentResources, InclusionModes, McpEra, McpPermissions, McpServer, McpTimeouts, McpTransport, Permission,
};
use baton_wire::a2a::v1;
use std::collections::BTreeMap;

/// Start of a card's path below the URL of its agent.
const WELL_KNOWN: &str = "/.well-known/";

/// URL of a peer's Environment: the one in its card, else `mcp` below its URL.
///
/// Calls and credentials are sent there, so a card cannot point to arbitrary hosts: the URL must be on the origin of
/// the card, on that of the peer, or on a configured host.
pub fn environment_url(config: &PeerConfig, card: Option<&FetchedCard>) -> Option<String> {
    match card.and_then(|read| Some((read, v1::environment_url(&read.card)?))) {
        Some((read, url)) => match check_environment_url(&url, config, read) {
            Ok(()) => Some(url),
            Err(reason) => {
                let url: String = url.chars().take(200).collect();
                tracing::warn!(card = read.url, url, reason, "the Environment URL of an agent card is ignored");
                default_environment_url(config, Some(read))
            }
        },
        None => default_environment_url(config, card),
    }
}

fn check_environment_url(url: &str, config: &PeerConfig, read: &FetchedCard) -> Result<(), &'static str> {
    let target = parse_plain_url(url).ok_or("it is not a plain http or https address")?;
    let address = with_scheme(config.url.trim());
    let homes = [read.url.as_str(), address.as_str()].into_iter().filter_map(|home| Target::parse(home).ok());
    let mut homes = homes.filter(|home| !home.is_secure() || target.is_secure()).peekable();
    if homes.peek().is_none() {
        return Err("it is not encrypted, and the card came over https");
    }
    let is_home = |home: Target| {
        let same_port = home.port() == target.port() && home.is_secure() == target.is_secure();
        same_port && is_own_host(&target, &home.host(), &[]) || is_own_host(&target, "", &config.hosts)
    };
    if homes.any(is_home) { Ok(()) } else { Err("it is on another origin than the card and the agent") }
}

/// Parses a URL without placeholders: agent definitions may contain variables, cards may not.
fn parse_plain_url(url: &str) -> Option<Target> {
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic()) && !url.contains(['$', '{', '}', '#']);
    is_plain.then(|| Target::parse(url).ok()).flatten()
}

/// `mcp` below the URL of the peer; for the URL of a card, below the URL of its agent.
fn default_environment_url(config: &PeerConfig, card: Option<&FetchedCard>) -> Option<String> {
    let address = with_scheme(config.url.trim());
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let address = match address.split_once(WELL_KNOWN) {
        Some((address, _)) => address,
        None if address.ends_with(".json") => {
            let interfaces = &card?.card.supported_interfaces;
            &interfaces.iter().find(|one| one.url.starts_with("http") && one.protocol_binding != "GRPC")?.url
        }
        None => address,
    };
    let url = format!("{}/mcp", address.trim_end_matches('/'));
    parse_plain_url(&url).map(|_| url)
}

/// Resources of a peer: only its Environment.
///
/// The peer itself enforces the permissions of its tools, so no approval is requested here; its tool annotations are
/// not trusted. The definition contains no credential: each request adds it.
pub(crate) fn peer_resources(config: &PeerConfig, card: Option<&FetchedCard>) -> AgentResources {
    let server = environment_url(config, card).map(|url| McpServer {
        name: McpServer::ENVIRONMENT.to_owned(),
        file: "its agent card".to_owned(),
        transport: McpTransport::Http { url, headers: BTreeMap::new() },
        enabled: true,
        era: McpEra::Auto,
        timeouts: McpTimeouts::default(),
        permissions: McpPermissions { default: Permission::Allow, rules: Vec::new() },
        include: Vec::new(),
        exclude: Vec::new(),
        modes: InclusionModes::default(),
        prefix: Some(String::new()),
        required: false,
        trusted: false,
        oauth: None,
    });
    AgentResources { servers: server.into_iter().collect(), ..AgentResources::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_types::Json;
    use baton_wire::a2a::v1::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface, ENVIRONMENT};

    fn card(from: &str, named: Option<&str>) -> FetchedCard {
        let extension = |url: &str| AgentExtension {
            uri: ENVIRONMENT.to_owned(),
            params: Some(Json::from(serde_json::json!({ "url": url }))),
            ..AgentExtension::default()
        };
        let interface = AgentInterface { url: "https://a.example/rpc/".to_owned(), ..AgentInterface::default() };
        let capabilities = AgentCapabilities {
            extensions: named.map(extension).into_iter().collect(),
            ..AgentCapabilities::default()
        };
        let card = AgentCard { supported_interfaces: vec![interface], capabilities, ..AgentCard::default() };
        FetchedCard { card, url: from.to_owned(), etag: None, signed_by: None }
    }

    #[test]
    fn environment_url_comes_from_card_or_config() {
        let from = "https://a.example/.well-known/agent-card.json";
        for (address, named, expect) in [
            ("https://a.example", Some("https://a.example/agents/x/mcp"), "https://a.example/agents/x/mcp"),
            ("https://typed.example/x", Some("https://typed.example/env"), "https://typed.example/env"),
            ("https://a.example", Some("https://named.example:99/env"), "https://named.example:99/env"),
            ("https://a.example", Some("https://a.example:8443/mcp"), "https://a.example/mcp"),
            ("https://a.example", Some("http://a.example/mcp"), "https://a.example/mcp"),
            ("https://a.example", Some("https://evil.example/mcp"), "https://a.example/mcp"),
            ("https://a.example", Some("https://a.example/${HOME}"), "https://a.example/mcp"),
            ("https://a.example", Some("/mcp"), "https://a.example/mcp"),
            ("https://a.example/agents/x/", None, "https://a.example/agents/x/mcp"),
            ("https://a.example/x/.well-known/agent-card.json?v=1", None, "https://a.example/x/mcp"),
            ("https://a.example/cards/x.json", None, "https://a.example/rpc/mcp"),
            ("localhost:10000", None, "http://localhost:10000/mcp"),
        ] {
            let config = PeerConfig { hosts: vec!["named.example".to_owned()], ..PeerConfig::at(address) };
            let found = environment_url(&config, Some(&card(from, named)));
            assert_eq!(found.as_deref(), Some(expect), "{address} {named:?}");
        }
        let local = card("http://127.0.0.1:7/agents/x/.well-known/agent-card.json", Some("http://localhost:7/mcp"));
        let found = environment_url(&PeerConfig::at("http://127.0.0.1:7/agents/x"), Some(&local));
        assert_eq!(found.as_deref(), Some("http://localhost:7/mcp"));
        assert_eq!(environment_url(&PeerConfig::at("https://a.example/x.json"), None), None);
        assert_eq!(environment_url(&PeerConfig::at("https://a.example/${TOKEN}"), None), None);
    }
}

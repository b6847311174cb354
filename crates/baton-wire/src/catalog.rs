//! `/.well-known/ai-catalog.json`: the agents of this server, for discovery.
//!
//! The names follow the AI Catalog draft (specification version 1.0) and its companion for search, Agentic Resource
//! Discovery. Confirmed there: `specVersion`, `host` with `displayName`, `identifier`, `documentationUrl` and
//! `logoUrl`, and in entries `identifier` (`urn:air:{publisher}:{namespace}:{name}` or any absolute URI), `type`,
//! `url`, `displayName`, `description`, `tags`, `version`, `representativeQueries` and `capabilities` (search only).
//! Earlier drafts called `type` `mediaType`; both are written with the same value, because clients ignore unknown
//! members. Not confirmed: whether clients of the 0.9 draft require `specVersion` `0.9`, and that `agent` is the
//! namespace that registries expect for A2A agents.

use crate::de;
use baton_types::AgentListing;
use serde::{Deserialize, Serialize};

/// Version of the implemented draft.
pub const SPEC_VERSION: &str = "1.0";

/// MIME type of the catalog.
pub const CATALOG_MEDIA_TYPE: &str = "application/ai-catalog+json";

/// MIME type of an A2A card.
pub const CARD_MEDIA_TYPE: &str = "application/a2a-agent-card+json";

/// Maximum number of example queries per entry; registries index no more.
const MAX_EXAMPLE_QUERIES: usize = 5;

/// The catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AiCatalog {
    /// Version of the draft.
    #[serde(deserialize_with = "de::or_default")]
    pub spec_version: String,
    /// The operator of this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<CatalogHost>,
    /// The offered agents.
    #[serde(deserialize_with = "de::or_default")]
    pub entries: Vec<CatalogEntry>,
}

/// The operator of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogHost {
    /// Display name.
    #[serde(deserialize_with = "de::or_default")]
    pub display_name: String,
    /// A domain name or a decentralized identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// URL of the documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// URL of a logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
}

/// One offered agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogEntry {
    /// Globally unique identifier.
    #[serde(deserialize_with = "de::or_default")]
    pub identifier: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// MIME type of the document at the URL.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Same value as `type`, under the name of earlier drafts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// URL of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Purpose of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Search keywords.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub tags: Vec<String>,
    /// Ids of the skills.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub capabilities: Vec<String>,
    /// Example queries.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub representative_queries: Vec<String>,
    /// Version of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl AiCatalog {
    /// The catalog of the listed agents below `base`, a URL without a trailing slash; `name` is the operator's name.
    pub fn from_agents<'a>(name: &str, base: &str, agents: impl IntoIterator<Item = &'a AgentListing>) -> Self {
        let domain = domain(base);
        Self {
            spec_version: SPEC_VERSION.to_owned(),
            host: Some(CatalogHost {
                display_name: name.to_owned(),
                identifier: domain.map(str::to_owned),
                ..CatalogHost::default()
            }),
            entries: agents
                .into_iter()
                .filter(|agent| agent.is_listed)
                .map(|agent| CatalogEntry::from_agent(agent, base, domain))
                .collect(),
        }
    }
}

impl CatalogEntry {
    fn from_agent(agent: &AgentListing, base: &str, domain: Option<&str>) -> Self {
        let card = format!("{base}/agents/{}/.well-known/agent-card.json", agent.name);
        let mut tags: Vec<String> = Vec::new();
        for tag in agent.skills.iter().flat_map(|skill| &skill.tags) {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        let queries = agent.skills.iter().flat_map(|skill| &skill.examples);
        Self {
            identifier: match domain {
                Some(domain) => format!("urn:air:{domain}:agent:{}", agent.name),
                None => card.clone(),
            },
            display_name: Some(agent.title.clone()),
            kind: Some(CARD_MEDIA_TYPE.to_owned()),
            media_type: Some(CARD_MEDIA_TYPE.to_owned()),
            url: Some(card),
            description: Some(agent.description.clone()),
            tags,
            capabilities: agent.skills.iter().map(|skill| skill.id.clone()).collect(),
            representative_queries: queries.take(MAX_EXAMPLE_QUERIES).cloned().collect(),
            version: Some(agent.version.clone()),
        }
    }
}

/// The domain name in a URL, if it alone identifies this server: no port, path, IP address or local name.
fn domain(base: &str) -> Option<&str> {
    let (_, host) = base.split_once("://")?;
    let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let last = host.rsplit('.').next()?;
    let named = host.contains('.') && last.bytes().any(|byte| byte.is_ascii_alphabetic());
    (plain && named).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::domain;

    #[test]
    fn publisher_must_be_a_bare_domain_name() {
        for (base, expect) in [
            ("https://agents.example.com", Some("agents.example.com")),
            ("https://agents.example.com:8443", None),
            ("https://example.com/baton", None),
            ("http://127.0.0.1", None),
            ("http://[::1]", None),
            ("http://localhost", None),
            ("https://user@example.com", None),
            ("example.com", None),
            ("", None),
        ] {
            assert_eq!(domain(base), expect, "{base}");
        }
    }
}

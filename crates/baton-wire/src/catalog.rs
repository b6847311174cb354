//! `/.well-known/ai-catalog.json`: the agents of this place, for those who look for agents.
//!
//! The names follow the AI Catalog draft (specification version 1.0) and its companion for search, Agentic Resource
//! Discovery. Confirmed there: `specVersion`, `host` with `displayName`, `identifier`, `documentationUrl` and
//! `logoUrl`, and in entries `identifier` (`urn:air:{publisher}:{namespace}:{name}` or any absolute URI), `type`,
//! `url`, `displayName`, `description`, `tags`, `version`, `representativeQueries` and `capabilities` (search only).
//! Earlier drafts called `type` `mediaType`; both are written, with the same value, because readers ignore what they
//! do not know. Not confirmed: whether readers of the 0.9 draft insist on `specVersion` `0.9`, and that `agent` is the
//! namespace that registries expect for A2A agents.

use crate::de;
use baton_types::AgentListing;
use serde::{Deserialize, Serialize};

/// The version of the draft that is followed.
pub const SPEC_VERSION: &str = "1.0";

/// The MIME type of the catalog itself.
pub const CATALOG_MEDIA_TYPE: &str = "application/ai-catalog+json";

/// The MIME type of an A2A card.
pub const CARD_MEDIA_TYPE: &str = "application/a2a-agent-card+json";

/// Most example questions of an entry; registries index no more.
const MAX_QUERIES: usize = 5;

/// The catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AiCatalog {
    /// The version of the draft.
    #[serde(deserialize_with = "de::or_default")]
    pub spec_version: String,
    /// Who runs this place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<CatalogHost>,
    /// What is offered.
    #[serde(deserialize_with = "de::or_default")]
    pub entries: Vec<CatalogEntry>,
}

/// Who runs a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogHost {
    /// The name people see.
    #[serde(deserialize_with = "de::or_default")]
    pub display_name: String,
    /// A domain name or a decentralized identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Where people read about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// A picture to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
}

/// One thing that is offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CatalogEntry {
    /// Unique everywhere.
    #[serde(deserialize_with = "de::or_default")]
    pub identifier: String,
    /// The name people see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// What is found at the URL.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The same under its earlier name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Where the card is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub tags: Vec<String>,
    /// What it is good at, by short names.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub capabilities: Vec<String>,
    /// What people would ask it.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub representative_queries: Vec<String>,
    /// The definition's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl AiCatalog {
    /// The catalog of agents that are served below `base`, a URL without a slash at its end; `name` is the operator's.
    /// Agents elsewhere are named only when they are to be listed.
    pub fn of<'a>(name: &str, base: &str, agents: impl IntoIterator<Item = &'a AgentListing>) -> Self {
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
                .map(|agent| CatalogEntry::of(agent, base, domain))
                .collect(),
        }
    }
}

impl CatalogEntry {
    fn of(agent: &AgentListing, base: &str, domain: Option<&str>) -> Self {
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
            representative_queries: queries.take(MAX_QUERIES).cloned().collect(),
            version: Some(agent.version.clone()),
        }
    }
}

/// The domain name in a URL, when it alone tells this place from others: no port, no path, no address, no local name.
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
    fn only_a_bare_domain_name_is_a_publisher() {
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

//! Handoff targets: agents by local name or by URL.

use crate::{
    resolve::{agent_name, check_unique, text_or},
    tool::is_authority,
};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, NodeValue, SourceLocation};
use baton_types::{AgentName, HandoffTarget, is_agent_name};
use std::collections::BTreeSet;

const MAX_URL: usize = 2048;
const MAX_NAME: usize = 64;
const URL_HINT: &str = "write http://host:port or https://host/path, without a password, a query or spaces";

/// One entry of `handoffs`.
pub(crate) struct RawHandoff {
    location: SourceLocation,
    agent: Option<LocatedValue<String>>,
    url: Option<LocatedValue<String>>,
    description: Option<LocatedValue<String>>,
}

impl RawHandoff {
    /// Reads a name, a URL, or a map with either or both.
    pub(crate) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let location = node.location;
        if let NodeValue::Text(value) = node.value {
            let is_url = value.contains("://");
            let written = Some(LocatedValue { location, value });
            let (agent, url) = if is_url { (None, written) } else { (written, None) };
            return Some(Self { location, agent, url, description: None });
        }
        let mut fields = Fields::open(reader, "a handoff", node)?;
        let is_named = fields.has("agent") || fields.has("url");
        let raw = Self {
            location,
            agent: fields.text(reader, "agent"),
            url: fields.text(reader, "url"),
            description: fields.text(reader, "description"),
        };
        if !is_named {
            reader.error(location, "a handoff has neither agent nor url", "name the agent that may take the work");
        }
        fields.finish(reader);
        Some(raw)
    }
}

/// All targets; those with errors are skipped.
pub(crate) fn resolve_all(
    reader: &mut DocumentReader,
    raw: Vec<RawHandoff>,
    own: Option<&AgentName>,
) -> Vec<HandoffTarget> {
    let mut seen = BTreeSet::new();
    let mut targets: Vec<HandoffTarget> = Vec::with_capacity(raw.len());
    for handoff in raw {
        let is_named = handoff.agent.is_some();
        let url = match handoff.url {
            Some(url) => match address(reader, url) {
                Some(url) => Some(url),
                None => continue,
            },
            None => None,
        };
        let (location, agent) = match (handoff.agent, &url) {
            (Some(name), _) => (name.location, agent_name(reader, "a handoff's agent", &name)),
            (None, Some(url)) => (handoff.location, Some(name_from_url(url))),
            (None, None) => continue,
        };
        let Some(agent) = agent else { continue };
        if own == Some(&agent) && (is_named || url.is_none()) {
            reader.error(location, "an agent cannot hand work to itself", "name another agent, or remove the entry");
        }
        check_unique(reader, &mut seen, "handoff", agent.as_str(), location);
        targets.push(HandoffTarget { agent, description: text_or(handoff.description, String::new), url });
    }
    targets
}

/// The message does not repeat the URL, which may contain a secret.
fn address(reader: &mut DocumentReader, url: LocatedValue<String>) -> Option<String> {
    let LocatedValue { location, value: url } = url;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let printable =
        |c: char| c.is_ascii_graphic() && !matches!(c, '?' | '#' | '"' | '<' | '>' | '\\' | '^' | '`' | '|');
    let is_good = is_authority(host) && url.len() <= MAX_URL && url.chars().all(printable);
    if !is_good {
        reader.error(location, "the url is not the address of an agent", URL_HINT);
        return None;
    }
    Some(url)
}

/// A name derived from host, port and path: `http://localhost:10000` is `localhost-10000`.
fn name_from_url(url: &str) -> AgentName {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let mut name = String::with_capacity(rest.len());
    for c in rest.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    // The end of a URL distinguishes agents better than its beginning.
    let from = name.trim_end_matches('-').len().saturating_sub(MAX_NAME);
    let name = name.get(from..).unwrap_or_default().trim_matches('-');
    AgentName::from(if is_agent_name(name) { name.to_owned() } else { format!("at-{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_derived_from_urls() {
        let long = format!("http://{}.example.com:1/agents/maps", "a".repeat(80));
        for (url, name) in [
            ("http://localhost:10000", "localhost-10000"),
            ("http://localhost:10000/", "localhost-10000"),
            ("https://Agents.Example.com", "agents-example-com"),
            ("http://host/agents/maps", "host-agents-maps"),
            ("http://[::1]:80", "1-80"),
            ("http://127.0.0.1:9999//", "127-0-0-1-9999"),
            ("http://agents", "at-agents"),
            (&long, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-example-com-1-agents-maps"),
        ] {
            let named = name_from_url(url);
            assert_eq!(named.as_str(), name, "{url}");
            assert!(is_agent_name(named.as_str()), "{url}");
        }
    }
}

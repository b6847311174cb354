//! Candidate URLs of a card.

use super::{DiscoverError, vet::is_loopback};
use baton_outbound::Target;

const WELL_KNOWN: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// The URLs where an agent's card is searched, in order.
pub(super) fn card_urls(url: &str) -> Result<Vec<String>, DiscoverError> {
    let url = url.trim();
    let url = url.split('#').next().unwrap_or_default();
    let url = with_scheme(url);
    let wrong = |reason: String| DiscoverError::Url(format!("'{}' is not an address: {reason}", clip(&url)));
    let target = Target::parse(&url).map_err(|error| wrong(error.to_string()))?;
    let authority = target.uri().authority().map_or("", |authority| authority.as_str());
    let origin = format!("{}://{authority}", if target.is_secure() { "https" } else { "http" });
    let path = target.uri().path().trim_end_matches('/');
    let mut urls = Vec::new();
    if path.ends_with(".json") {
        urls.push(url.clone());
    } else {
        urls.extend(WELL_KNOWN.map(|suffix| format!("{origin}{path}{suffix}")));
    }
    for candidate in WELL_KNOWN.map(|suffix| format!("{origin}{suffix}")) {
        if !urls.contains(&candidate) {
            urls.push(candidate);
        }
    }
    Ok(urls)
}

/// Adds a missing scheme: http for loopback hosts, which rarely have certificates, https for all others.
pub(crate) fn with_scheme(url: &str) -> String {
    if url.contains("://") {
        return url.to_owned();
    }
    let guess = format!("http://{url}");
    match Target::parse(&guess) {
        Ok(target) if is_loopback(&target.host()) => guess,
        _ => format!("https://{url}"),
    }
}

fn clip(url: &str) -> String {
    url.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_urls_are_listed_in_order() {
        for (url, expect) in [
            (
                "https://a.example",
                "https://a.example/.well-known/agent-card.json https://a.example/.well-known/agent.json",
            ),
            (
                "https://a.example:8443/agents/weather/?x=1#top",
                "https://a.example:8443/agents/weather/.well-known/agent-card.json \
                 https://a.example:8443/agents/weather/.well-known/agent.json \
                 https://a.example:8443/.well-known/agent-card.json https://a.example:8443/.well-known/agent.json",
            ),
            (
                "http://a.example/.well-known/agent.json",
                "http://a.example/.well-known/agent.json http://a.example/.well-known/agent-card.json",
            ),
            (
                "https://a.example/cards/my.json?v=2",
                "https://a.example/cards/my.json?v=2 https://a.example/.well-known/agent-card.json \
                 https://a.example/.well-known/agent.json",
            ),
            (
                "localhost:9999",
                "http://localhost:9999/.well-known/agent-card.json http://localhost:9999/.well-known/agent.json",
            ),
            ("a.example", "https://a.example/.well-known/agent-card.json https://a.example/.well-known/agent.json"),
        ] {
            assert_eq!(card_urls(url).unwrap().join(" "), expect, "{url}");
        }
        for wrong in ["", "ftp://a.example", "https://user:secret@a.example", "http://", "a b"] {
            assert!(card_urls(wrong).is_err(), "{wrong}");
        }
    }
}

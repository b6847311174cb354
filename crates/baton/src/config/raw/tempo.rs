//! The key `telemetry.tempo`: a remote Tempo server that is queried for spans.

use super::{auth::check_web_url, secret};
use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_peers::Credential;
use baton_server::{HeaderText, TempoMode};
use http::{HeaderName, HeaderValue, header};
use std::time::Duration;

const MIN_HOT_PERIOD: Duration = Duration::from_secs(2 * 60);
const MAX_HOT_PERIOD: Duration = Duration::from_secs(365 * 24 * 60 * 60);
pub(in crate::config) const MAX_HEADERS: usize = 32;

/// Names of modes in the file.
pub(in crate::config) const TEMPO_MODES: [(&str, TempoMode); 2] =
    [("tee", TempoMode::Tee), ("tempo", TempoMode::Tempo)];

/// The key `telemetry.tempo`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawTempo {
    pub(in crate::config) url: Option<String>,
    pub(in crate::config) mode: Option<TempoMode>,
    pub(in crate::config) hot: Option<Duration>,
    pub(in crate::config) tenant: Option<String>,
    pub(in crate::config) credential: Credential,
    pub(in crate::config) headers: Vec<(String, HeaderText)>,
}

impl RawTempo {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "tempo", node)?;
        let raw = Self {
            url: url(reader, &mut fields),
            mode: fields.take("mode").and_then(|node| reader.choice("mode", &node, &TEMPO_MODES)),
            hot: fields.take("hot").and_then(|node| reader.duration("hot", &node, MIN_HOT_PERIOD, MAX_HOT_PERIOD)),
            tenant: tenant(reader, &mut fields),
            credential: credential(reader, &mut fields),
            headers: fields.take("headers").map(|node| headers(reader, node)).unwrap_or_default(),
        };
        fields.finish(reader);
        Some(raw)
    }
}

fn url(reader: &mut DocumentReader, fields: &mut Fields) -> Option<String> {
    let url = fields.text(reader, "url")?;
    if let Err(problem) = check_web_url(&url.value) {
        let message = format!("the URL of Tempo is invalid: the URL {}", problem.trim_start_matches("the URL "));
        reader.error(url.location, message, "write it as http://tempo.example.com:3200");
    }
    Some(url.value)
}

fn tenant(reader: &mut DocumentReader, fields: &mut Fields) -> Option<String> {
    let tenant = fields.text(reader, "tenant")?;
    if HeaderValue::from_str(&tenant.value).is_err() {
        reader.error(tenant.location, "the tenant is not a valid header value", "use letters, digits and dashes");
    }
    Some(tenant.value)
}

fn credential(reader: &mut DocumentReader, fields: &mut Fields) -> Credential {
    let location = fields.location;
    let bearer = fields.text(reader, "bearer");
    let bearer = bearer.and_then(|text| secret::read(reader, "bearer", &text)).map(Credential::Bearer);
    let basic = fields.take("basic").and_then(|node| basic(reader, node));
    if bearer.is_some() && basic.is_some() {
        reader.error(location, "tempo has both bearer and basic", "keep the one that Tempo requires");
    }
    bearer.or(basic).unwrap_or_default()
}

fn basic(reader: &mut DocumentReader, node: DocumentNode) -> Option<Credential> {
    let mut fields = Fields::open(reader, "basic", node)?;
    let user = fields.required_text(reader, "user", "write the user name for Tempo");
    let secret = secret::required(reader, &mut fields, "secret");
    fields.finish(reader);
    Some(Credential::Basic { user: user?.value, secret: secret? })
}

/// Header names and values; a value that starts with `env://` or `file://` is a reference to a secret.
pub(super) fn headers(reader: &mut DocumentReader, node: DocumentNode) -> Vec<(String, HeaderText)> {
    let location = node.location;
    let Some(fields) = Fields::open(reader, "headers", node) else { return Vec::new() };
    let entries = fields.into_entries();
    if entries.len() > MAX_HEADERS {
        reader.error(location, format!("headers has {} entries", entries.len()), format!("keep it to {MAX_HEADERS}"));
    }
    let mut headers = Vec::new();
    for entry in entries.into_iter().take(MAX_HEADERS) {
        let Ok(name) = entry.key.parse::<HeaderName>() else {
            let message = format!("'{}' is not a valid header name", entry.key.escape_debug());
            reader.error(entry.location, message, "write it as X-Scope-OrgID");
            continue;
        };
        let Some(text) = reader.text(&entry.key, &entry.node) else { continue };
        let is_place = text.value.starts_with("env://") || text.value.starts_with("file://");
        if is_place || name == header::AUTHORIZATION {
            let secret = secret::read(reader, &entry.key, &text);
            headers.extend(secret.map(|secret| (entry.key, HeaderText::Secret(secret))));
        } else if HeaderValue::from_str(&text.value).is_err() {
            reader.error(text.location, "this is not a valid header value", "use visible ASCII characters");
        } else {
            headers.push((entry.key, HeaderText::Plain(text.value)));
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use crate::config::raw::RawConfig;

    #[test]
    fn errors_are_reported_without_secrets() {
        for (yaml, expect) in [
            ("url: tempo:3200", "must begin with http:// or https://"),
            ("hot: 1s", "hot"),
            ("mode: both", "mode"),
            ("bearer: topsecret", "bearer must be a reference to a secret"),
            ("bearer: 'env://A', basic: { user: me, secret: 'env://B' }", "both bearer and basic"),
            ("headers: { 'a b': c }", "is not a valid header name"),
            ("headers: { Authorization: 'Bearer topsecret' }", "must be a reference to a secret"),
            ("headers: { X-Key: \"a\\nb\" }", "is not a valid header value"),
            ("ulr: x", "tempo has no key 'ulr'"),
        ] {
            let file = format!("telemetry: {{ tempo: {{ {yaml} }} }}\n");
            let wrong = RawConfig::parse("baton.yaml", file.as_bytes()).expect_err(yaml);
            let said = format!("{wrong:?}");
            assert!(said.contains(expect) && !said.contains("topsecret"), "{yaml}: {said}");
        }
    }
}

//! The keys `auth`, `tls` and `cors`.

use super::lists::{checked_texts, nodes};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, NodeValue};
use baton_rules::AccessScope;
use baton_server::{Algorithm, CorsError, CorsOrigins, IssuerConfig};

pub(in crate::config) const MAX_ISSUERS: usize = 32;
pub(in crate::config) const MAX_SCOPES: usize = 64;
pub(in crate::config) const MAX_ORIGINS: usize = 256;
/// Accepted signature algorithms for tokens of issuers.
pub(in crate::config) const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::Rs256,
    Algorithm::Rs384,
    Algorithm::Rs512,
    Algorithm::Ps256,
    Algorithm::Ps384,
    Algorithm::Ps512,
    Algorithm::Es256,
    Algorithm::Es384,
    Algorithm::EdDsa,
];
const ISSUER_HINT: &str = "write the issuer URL exactly as in its tokens, such as https://login.example.com";
const AUDIENCE_HINT: &str = "write the audience claim of tokens for this server; without it, tokens \
    for any other service would be accepted";

/// The key `auth`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawAuth {
    pub(in crate::config) required: Option<bool>,
    pub(in crate::config) cards: Option<CardAccess>,
    pub(in crate::config) metrics: Option<MetricsAccess>,
    pub(in crate::config) issuers: Vec<IssuerConfig>,
}

/// Access to agent cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CardAccess {
    /// Without authentication.
    #[default]
    Public,
    /// Authenticated callers only.
    Private,
}

/// Access to metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MetricsAccess {
    /// Without authentication.
    Public,
    /// Callers that may read the telemetry of all agents.
    #[default]
    Private,
}

impl RawAuth {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "auth", node)?;
        let choices = [("public", CardAccess::Public), ("private", CardAccess::Private)];
        let required = fields.take("required").and_then(|node| reader.boolean("required", &node));
        let cards = fields.take("cards").and_then(|node| reader.choice("cards", &node, &choices));
        let choices = [("public", MetricsAccess::Public), ("private", MetricsAccess::Private)];
        let metrics = fields.take("metrics").and_then(|node| reader.choice("metrics", &node, &choices));
        let issuers = nodes(reader, &mut fields, "issuers", MAX_ISSUERS);
        fields.finish(reader);
        let issuers: Vec<_> = issuers.into_iter().filter_map(|node| issuer(reader, node)).collect();
        for (index, LocatedValue { location, value }) in issuers.iter().enumerate() {
            let same = |other: &LocatedValue<IssuerConfig>| {
                other.value.issuer == value.issuer && other.value.audience == value.audience
            };
            if issuers[..index].iter().any(same) {
                reader.error(*location, format!("the issuer '{}' is listed twice", value.issuer), "keep one of them");
            }
        }
        Some(Self { required, cards, metrics, issuers: issuers.into_iter().map(|issuer| issuer.value).collect() })
    }
}

fn issuer(reader: &mut DocumentReader, node: DocumentNode) -> Option<LocatedValue<IssuerConfig>> {
    let location = node.location;
    let mut fields = Fields::open(reader, "an issuer", node)?;
    let url = fields.required_text(reader, "issuer", ISSUER_HINT);
    let audience = audience(reader, &mut fields);
    let jwks_url = fields.text(reader, "jwks_url");
    let text = |fields: &mut Fields, reader: &mut DocumentReader, key| fields.text(reader, key).map(|text| text.value);
    let tenant = text(&mut fields, reader, "tenant");
    let scope_claim = text(&mut fields, reader, "scope_claim");
    let algorithms = checked_texts(reader, &mut fields, "algorithms", ALGORITHMS.len(), |name| {
        let known = || ALGORITHMS.map(Algorithm::as_str).join(", ");
        Algorithm::parse(name).map(drop).ok_or_else(|| format!("choose from: {}", known()))
    });
    let algorithms = algorithms.iter().filter_map(|name| Algorithm::parse(name)).collect();
    let scopes = checked_texts(reader, &mut fields, "scopes", MAX_SCOPES, check_scope);
    fields.finish(reader);
    for address in [&url, &jwks_url].into_iter().flatten() {
        if let Err(hint) = check_web_url(&address.value) {
            reader.error(address.location, format!("'{}' is not a web address", address.value.escape_debug()), hint);
        }
    }
    let issuer = url?.value;
    let jwks_url = jwks_url.map(|url| url.value);
    Some(LocatedValue {
        location,
        value: IssuerConfig { issuer, audience, jwks_url, tenant, algorithms, scopes, scope_claim },
    })
}

/// One audience, or a list of them.
fn audience(reader: &mut DocumentReader, fields: &mut Fields) -> Vec<String> {
    match fields.take("audience") {
        Some(node @ DocumentNode { value: NodeValue::List(_), .. }) => {
            let location = node.location;
            let list: Vec<String> = reader.texts("audience", node).into_iter().map(|text| text.value).collect();
            if list.is_empty() {
                reader.error(location, "an issuer has no audience", AUDIENCE_HINT);
            }
            list
        }
        Some(node) => reader.text("audience", &node).map(|text| vec![text.value]).unwrap_or_default(),
        None => {
            reader.error(fields.location, "an issuer has no audience", AUDIENCE_HINT);
            Vec::new()
        }
    }
}

/// The key `tls`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct RawTls {
    pub(in crate::config) cert: Option<String>,
    pub(in crate::config) key: Option<String>,
    pub(in crate::config) client_ca: Option<String>,
}

impl RawTls {
    pub(super) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "tls", node)?;
        let mut text = |key| fields.text(reader, key).map(|text| text.value);
        let (cert, key, client_ca) = (text("cert"), text("key"), text("client_ca"));
        fields.finish(reader);
        Some(Self { cert, key, client_ca })
    }
}

/// The key `cors`: origins of web pages that may call the server.
pub(super) fn cors(reader: &mut DocumentReader, node: DocumentNode) -> Vec<String> {
    let Some(mut fields) = Fields::open(reader, "cors", node) else { return Vec::new() };
    let origins = checked_texts(reader, &mut fields, "origins", MAX_ORIGINS, |origin| {
        // Whether `*` is allowed depends on whether authentication is required, which is not known here.
        CorsOrigins::parse(&[origin], true).map(drop).map_err(|error| match error {
            CorsError::NotAnOrigin { reason, .. } => reason.to_owned(),
            other => other.to_string(),
        })
    });
    fields.finish(reader);
    origins
}

/// Checks a scope.
fn check_scope(text: &str) -> Result<(), String> {
    AccessScope::parse(text)
        .map(drop)
        .map_err(|_| "choose from: read, read:AGENT, call, call:AGENT, telemetry:read, admin".to_owned())
}

/// Checks an http or https URL.
pub(super) fn check_web_url(text: &str) -> Result<(), String> {
    baton_outbound::Target::parse(text).map(drop).map_err(|error| error.to_string())
}

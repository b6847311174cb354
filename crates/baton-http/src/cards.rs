//! Agent cards, cacheable.

use crate::{app::Shared, named::Named, reply};
use axum::{body::Body, extract::State, response::Response};
use baton_types::{AgentSpec, Digest, Timestamp};
use baton_wire::a2a::{
    v1::{AgentCard, CardPlace, GrpcPlace},
    v03::UnionCard,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use std::sync::Arc;

/// `GET /agents/{agent}/.well-known/agent-card.json`.
pub(crate) async fn named(State(shared): State<Arc<Shared>>, Named(name): Named, headers: HeaderMap) -> Response {
    match shared.agent(&name) {
        Some(agent) => card(&shared, &agent, &headers),
        None => reply::rest_error(&shared.no_such_agent(Some(&name))),
    }
}

/// `GET /.well-known/agent-card.json`, when exactly one agent is served.
pub(crate) async fn sole(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    match shared.sole_agent() {
        Some(agent) => card(&shared, &agent, &headers),
        None => reply::rest_error(&shared.no_such_agent(None)),
    }
}

/// Where this Baton is reached, without a slash at its end.
pub(crate) fn base_url(shared: &Shared, headers: &HeaderMap) -> String {
    if let Some(url) = &shared.options.public_url {
        return url.trim_end_matches('/').to_owned();
    }
    // The guard let only hosts through that are this Baton's own.
    let scheme = if shared.options.tls { "https" } else { "http" };
    match headers.get(header::HOST).and_then(|host| host.to_str().ok()) {
        Some(host) => format!("{scheme}://{host}"),
        None => match shared.options.bound {
            Some(bound) => format!("{scheme}://{bound}"),
            None => format!("{scheme}://localhost"),
        },
    }
}

/// Where and how an agent is reached.
pub(crate) fn place<'a>(shared: &'a Shared, agent: &AgentSpec, headers: &HeaderMap) -> CardPlace<'a> {
    let base = base_url(shared, headers);
    let several = shared.sole_agent().is_none_or(|sole| sole.name != agent.name);
    let offered = &shared.options.a2a;
    CardPlace {
        grpc: authority(&base).map(|authority| GrpcPlace {
            authority,
            // A gRPC address has no path, so among several agents the tenant tells which; 0.3 has no word for it.
            tenant: several.then(|| agent.name.to_string()),
            with_v03: !several,
        }),
        url: format!("{base}/agents/{}", agent.name),
        streaming: offered.streaming,
        push: offered.push,
        extended_card: offered.extended_card,
        extensions: &offered.extensions,
    }
}

/// `host:port` of a URL.
fn authority(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    Some(format!("{}:{port}", uri.host()?))
}

fn card(shared: &Shared, agent: &AgentSpec, headers: &HeaderMap) -> Response {
    let card = AgentCard::of(agent, &place(shared, agent, headers));
    let Ok(bytes) = serde_json::to_vec(&UnionCard::of(&card)) else { return reply::json(&card) };
    let etag = format!("\"{}\"", &Digest::of(&bytes).as_str()[..32]);
    let mut response = reply::json_bytes(bytes);
    let changed_at = shared.options.started_at;
    if is_fresh(headers, &etag, changed_at) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
    let mut set =
        |name: HeaderName, value: Option<HeaderValue>| value.map(|value| response.headers_mut().insert(name, value));
    set(header::ETAG, HeaderValue::from_str(&etag).ok());
    set(header::CACHE_CONTROL, Some(HeaderValue::from_static("public, max-age=60")));
    set(header::LAST_MODIFIED, http_date(changed_at));
    set(header::VARY, Some(HeaderValue::from_static("Host")));
    response
}

fn is_fresh(headers: &HeaderMap, etag: &str, changed_at: Timestamp) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(known) = text(header::IF_NONE_MATCH) {
        return known.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == etag);
    }
    let since = text(header::IF_MODIFIED_SINCE).and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    since.is_some_and(|since| since.timestamp().as_second() >= changed_at.as_millis().div_euclid(1000))
}

fn http_date(at: Timestamp) -> Option<HeaderValue> {
    let moment = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    HeaderValue::from_str(&printer.timestamp_to_rfc9110_string(&moment).ok()?).ok()
}

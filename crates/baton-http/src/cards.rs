//! Agent cards with cache validators.

mod card_format;
mod document;

pub(crate) use card_format::CardForm;
pub(crate) use document::CardDocument;

use crate::{app::HttpState, auth::Caller, path_name::PathName, reply};
use axum::{body::Body, extract::State, response::Response};
use baton_types::{AgentSpec, ErrorCode, Timestamp};
use baton_wire::a2a::v1::{AgentCard, CardOptions, Error, ErrorKind, GrpcEndpoint};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use std::sync::Arc;

/// Maximum agent addresses listed in an error.
const MAX_NAMED: usize = 20;

/// `GET /agents/{agent}` and `GET /agents/{agent}/.well-known/agent-card.json`.
pub(crate) async fn show_named(
    State(shared): State<Arc<HttpState>>,
    PathName(name): PathName,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match shared.agent(&name) {
        Some(agent) => card(&shared, &agent, CardForm::from_request(&headers, &uri), &headers),
        None => reply::rest_error(&shared.no_such_agent(Some(&name))),
    }
}

/// `GET /.well-known/agent-card.json`, if exactly one agent is served. Also mounted below `/agents`, for clients that
/// resolve the card path against an address without a trailing slash.
pub(crate) async fn show_sole(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match shared.sole_agent() {
        Some(agent) => card(&shared, &agent, CardForm::from_request(&headers, &uri), &headers),
        None => reply::rest_error(&ambiguous_agent_error(&shared, &caller, &headers)),
    }
}

/// Error for a request that needs a single agent. Its message lists the addresses of the agents visible to the caller.
pub(crate) fn ambiguous_agent_error(shared: &HttpState, caller: &Caller, headers: &HeaderMap) -> Error {
    let (agents, base) = (shared.agents_for(caller), base_url(shared, headers));
    if agents.is_empty() {
        return shared.no_such_agent_for(caller, None);
    }
    let named: Vec<String> =
        agents.iter().take(MAX_NAMED).map(|agent| format!("{base}/agents/{}/", agent.name)).collect();
    let message = format!("{} agents are served; use the address of one: {}", agents.len(), named.join(", "));
    Error::new(ErrorKind::AgentNotFound, ErrorCode::AGENT_NOT_FOUND, message)
}

/// Base URL of this server, without a trailing slash.
pub(crate) fn base_url(shared: &HttpState, headers: &HeaderMap) -> String {
    if let Some(url) = &shared.options.public_url {
        return url.trim_end_matches('/').to_owned();
    }
    // The guard has already rejected unknown hosts.
    let scheme = if shared.options.tls { "https" } else { "http" };
    match headers.get(header::HOST).and_then(|host| host.to_str().ok()) {
        Some(host) => format!("{scheme}://{host}"),
        None => match shared.options.bound {
            Some(bound) => format!("{scheme}://{bound}"),
            None => format!("{scheme}://localhost"),
        },
    }
}

/// Addresses and transports of an agent for its card.
pub(crate) fn card_options<'a>(shared: &'a HttpState, agent: &AgentSpec, headers: &HeaderMap) -> CardOptions<'a> {
    let base = base_url(shared, headers);
    let several = shared.sole_agent().is_none_or(|sole| sole.name != agent.name);
    let offered = &shared.options.a2a;
    let url = format!("{base}/agents/{}", agent.name);
    CardOptions {
        grpc: authority(&base).map(|authority| GrpcEndpoint {
            authority,
            // A gRPC address has no path, so the tenant selects one of several agents. A2A 0.3 has no tenant.
            tenant: several.then(|| agent.name.to_string()),
            with_v03: !several,
        }),
        // Tools of a remote agent are called at its own server.
        bindings: &offered.bindings,
        environment: (shared.options.mcp.is_some() && !agent.is_peer()).then(|| format!("{url}/mcp")),
        url,
        streaming: offered.streaming,
        push: offered.push,
        extended_card: offered.extended_card,
        extensions: &offered.extensions,
        issuers: shared.options.access.identity.as_ref().map(|identity| identity.issuers()),
    }
}

/// `host:port` of a URL.
fn authority(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    Some(format!("{}:{port}", uri.host()?))
}

fn card(shared: &HttpState, agent: &AgentSpec, form: CardForm, headers: &HeaderMap) -> Response {
    let mut document = CardDocument::new(AgentCard::from_spec(agent, &card_options(shared, agent, headers)), form);
    let tag = shared.signatures.tag(&document);
    let valid = Validators { tag, changed_at: shared.options.started_at, max_age: 60 };
    let mut response = cacheable(headers, &valid, || {
        shared.signatures.sign(&mut document, &base_url(shared, headers));
        reply::json(&document)
    });
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Host, A2A-Version"));
    response
}

/// Cache validators of a document.
pub(crate) struct Validators {
    /// `ETag` value.
    pub(crate) tag: String,
    pub(crate) changed_at: Timestamp,
    /// `max-age` in seconds.
    pub(crate) max_age: u32,
}

/// The document, or 304 Not Modified.
pub(crate) fn cacheable(headers: &HeaderMap, valid: &Validators, document: impl FnOnce() -> Response) -> Response {
    let mut response = if is_fresh(headers, valid) {
        let mut unchanged = Response::new(Body::empty());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        unchanged
    } else {
        document()
    };
    let mut set =
        |name: HeaderName, value: Option<HeaderValue>| value.map(|value| response.headers_mut().insert(name, value));
    set(header::ETAG, HeaderValue::from_str(&valid.tag).ok());
    set(header::CACHE_CONTROL, HeaderValue::from_str(&format!("public, max-age={}", valid.max_age)).ok());
    set(header::LAST_MODIFIED, http_date(valid.changed_at));
    response
}

fn is_fresh(headers: &HeaderMap, valid: &Validators) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(known) = text(header::IF_NONE_MATCH) {
        // Weak comparison.
        let (mut known, tag) = (known.split(',').map(str::trim), valid.tag.trim_start_matches("W/"));
        return known.any(|one| one == "*" || one.trim_start_matches("W/") == tag);
    }
    let since = text(header::IF_MODIFIED_SINCE).and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    since.is_some_and(|since| since.timestamp().as_second() >= valid.changed_at.as_millis().div_euclid(1000))
}

fn http_date(at: Timestamp) -> Option<HeaderValue> {
    let moment = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    HeaderValue::from_str(&printer.timestamp_to_rfc9110_string(&moment).ok()?).ok()
}

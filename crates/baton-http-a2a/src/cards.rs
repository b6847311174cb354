//! Agent cards with cache validators.

mod card_format;
mod document;

pub(crate) use card_format::CardForm;
pub(crate) use document::CardDocument;

use crate::{reply, state::A2aState};
use axum::{extract::State, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use baton_http::{Caller, PathName, Validators, base_url, cacheable};
use baton_types::{AgentSpec, ErrorCode};
use baton_wire::a2a::v1::{AgentCard, CardOptions, GrpcEndpoint};
use http::{HeaderMap, HeaderValue, Uri, header};
use std::sync::Arc;

/// Maximum agent addresses listed in an error.
const MAX_NAMED: usize = 20;

/// `GET /agents/{agent}` and `GET /agents/{agent}/.well-known/agent-card.json`.
pub(crate) async fn show_named(
    State(shared): State<Arc<A2aState>>,
    PathName(name): PathName,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match shared.http.agent(&name) {
        Some(agent) => card(&shared, &agent, CardForm::from_request(&headers, &uri), &headers),
        None => reply::error(&shared.http.no_such_agent(Some(&name))),
    }
}

/// `GET /.well-known/agent-card.json`, if exactly one agent is served. Also mounted below `/agents`, for clients that
/// resolve the card path against an address without a trailing slash.
pub(crate) async fn show_sole(
    State(shared): State<Arc<A2aState>>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match shared.http.sole_agent() {
        Some(agent) => card(&shared, &agent, CardForm::from_request(&headers, &uri), &headers),
        None => reply::error(&ambiguous_agent_error(&shared, &caller, &headers)),
    }
}

/// Error for a request that needs a single agent. Its message lists the addresses of the agents visible to the caller.
pub(crate) fn ambiguous_agent_error(shared: &A2aState, caller: &Caller, headers: &HeaderMap) -> ApiError {
    let (agents, base) = (shared.http.agents_for(caller), base_url(&shared.http, headers));
    if agents.is_empty() {
        return shared.http.no_such_agent_for(caller, None);
    }
    let named: Vec<String> =
        agents.iter().take(MAX_NAMED).map(|agent| format!("{base}/agents/{}/", agent.name)).collect();
    let message = format!("{} agents are served; use the address of one: {}", agents.len(), named.join(", "));
    ApiError::new(ApiErrorKind::AgentNotFound, ErrorCode::AGENT_NOT_FOUND, message)
}

/// Addresses and transports of an agent for its card.
pub(crate) fn card_options<'a>(shared: &'a A2aState, agent: &AgentSpec, headers: &HeaderMap) -> CardOptions<'a> {
    let base = base_url(&shared.http, headers);
    let several = shared.http.sole_agent().is_none_or(|sole| sole.name != agent.name);
    let offered = &shared.options;
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
        environment: (offered.environments && !agent.is_peer()).then(|| format!("{url}/mcp")),
        url,
        streaming: offered.streaming,
        push: offered.push,
        extended_card: offered.extended_card,
        extensions: &offered.extensions,
        issuers: shared.http.options.access.identity.as_ref().map(|identity| identity.issuers()),
    }
}

/// `host:port` of a URL.
fn authority(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    Some(format!("{}:{port}", uri.host()?))
}

fn card(shared: &A2aState, agent: &AgentSpec, form: CardForm, headers: &HeaderMap) -> Response {
    let mut document = CardDocument::new(AgentCard::from_spec(agent, &card_options(shared, agent, headers)), form);
    let tag = shared.signatures.tag(&document);
    let valid = Validators { tag, changed_at: shared.http.options.started_at, max_age: 60 };
    let mut response = cacheable(headers, &valid, || {
        shared.signatures.sign(&mut document, &base_url(&shared.http, headers));
        reply::json(&document)
    });
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Host, A2A-Version"));
    response
}

//! Public keys for the verification of card signatures.

use crate::{reply, state::A2aState};
use axum::{extract::State, response::Response};
use baton_http::{PathName, Validators, cacheable, no_such_page};
use baton_types::Digest;
use http::{HeaderMap, HeaderValue, Uri, header};
use std::sync::Arc;

/// `GET /.well-known/jwks.json`.
pub(crate) async fn show(State(shared): State<Arc<A2aState>>, uri: Uri, headers: HeaderMap) -> Response {
    let Some(signer) = &shared.signer else {
        return reply::error(&no_such_page(&uri));
    };
    let keys = signer.keys();
    let tag = format!("\"{}\"", &Digest::compute(keys.as_str().as_bytes()).as_str()[..32]);
    let valid = Validators { tag, changed_at: shared.http.options.started_at, max_age: 300 };
    let mut response = cacheable(&headers, &valid, || reply::json_bytes(keys.as_str().as_bytes().to_vec()));
    if response.headers().contains_key(header::CONTENT_TYPE) {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/jwk-set+json"));
    }
    response
}

/// `GET /agents/{agent}/.well-known/jwks.json`: the same keys, for clients that can reach only one agent.
pub(crate) async fn named(
    State(shared): State<Arc<A2aState>>,
    PathName(name): PathName,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    match shared.http.agent(&name) {
        Some(_) => show(State(shared), uri, headers).await,
        None => reply::error(&shared.http.no_such_agent(Some(&name))),
    }
}

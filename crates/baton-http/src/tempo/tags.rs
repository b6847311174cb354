//! `GET /tempo/api/search/tags` and `GET /tempo/api/v2/search/tags`: the names of attributes.

use super::{accept, ask, params::Params, refusal::Refusal};
use crate::{app::Shared, auth::Caller};
use axum::{extract::State, response::Response};
use baton_otlp::tempo::{TagScope, tag_names, tag_scopes};
use baton_ports::{Tags, TagsAsk};
use baton_traceql::{Mode, parse};
use http::HeaderMap;
use std::sync::Arc;

/// Default number of names or values.
const USUAL: usize = 1_000;

/// Maximum number of names or values.
const MOST: usize = 10_000;

/// Version 1: one list.
pub(super) async fn first(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    headers: HeaderMap,
    params: Params,
) -> Response {
    let encoding = accept::wanted(&headers);
    let write = move |tags: &Tags, scope| accept::reply(&tag_names(tags, scope), encoding);
    found(&shared, &caller, &headers, &params, write).await.unwrap_or_else(Refusal::response)
}

/// Version 2: a list per scope.
pub(super) async fn second(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    headers: HeaderMap,
    params: Params,
) -> Response {
    let encoding = accept::wanted(&headers);
    let write = move |tags: &Tags, scope| accept::reply(&tag_scopes(tags, scope), encoding);
    found(&shared, &caller, &headers, &params, write).await.unwrap_or_else(Refusal::response)
}

async fn found(
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    params: &Params,
    write: impl FnOnce(&Tags, TagScope) -> Response + Send + 'static,
) -> Result<Response, Refusal> {
    let store = ask::store(shared, caller, headers)?.store;
    let scope = params.text("scope").unwrap_or_default();
    let scope = TagScope::parse(scope).ok_or_else(|| {
        Refusal::wrong("invalid scope: it is span, resource, event, link, instrumentation, intrinsic or none")
    })?;
    let ask = tags_ask(params)?;
    if scope == TagScope::Intrinsic {
        return Ok(write(&Tags::default(), scope));
    }
    shared.queries.run(caller, store.tags(ask), move |tags| write(&tags, scope)).await
}

/// Filter for names and values. An invalid query is ignored, because the user may still be typing it.
pub(super) fn tags_ask(params: &Params) -> Result<TagsAsk, Refusal> {
    let query = params.text("q").and_then(|text| parse(text, Mode::Lenient).ok());
    Ok(TagsAsk {
        query: query.map(|parsed| Arc::new(parsed.query)),
        range: params.range()?,
        limit: params.number("limit")?.filter(|limit| *limit > 0).unwrap_or(USUAL).min(MOST),
        aliases: !params.is_on("strict"),
    })
}

//! `GET /tempo/api/search/tags` and `GET /tempo/api/v2/search/tags`: the names of attributes.

use super::messages::{TagScope, tag_names, tag_scopes};
use super::{accept, params::TempoParams, query_target, refusal::TempoRejection};
use crate::{app::HttpState, auth::Caller};
use axum::{extract::State, response::Response};
use baton_span_ports::{TagNames, TagsRequest};
use baton_traceql::{Mode, parse};
use http::HeaderMap;
use std::sync::Arc;

/// Default number of names or values.
const DEFAULT_LIMIT: usize = 1_000;

/// Maximum number of names or values.
const MAX_LIMIT: usize = 10_000;

/// Version 1: one list.
pub(super) async fn show_v1(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    let encoding = accept::response_encoding(&headers);
    let write = move |tags: &TagNames, scope| accept::reply(&tag_names(tags, scope), encoding);
    query_tags(&shared, &caller, &headers, &params, write).await.unwrap_or_else(TempoRejection::response)
}

/// Version 2: a list per scope.
pub(super) async fn show_v2(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    let encoding = accept::response_encoding(&headers);
    let write = move |tags: &TagNames, scope| accept::reply(&tag_scopes(tags, scope), encoding);
    query_tags(&shared, &caller, &headers, &params, write).await.unwrap_or_else(TempoRejection::response)
}

async fn query_tags(
    shared: &HttpState,
    caller: &Caller,
    headers: &HeaderMap,
    params: &TempoParams,
    write: impl FnOnce(&TagNames, TagScope) -> Response + Send + 'static,
) -> Result<Response, TempoRejection> {
    let store = query_target::store(shared, caller, headers)?.store;
    let scope = params.text("scope").unwrap_or_default();
    let scope = TagScope::parse(scope).ok_or_else(|| {
        TempoRejection::bad_request(
            "invalid scope: it must be span, resource, event, link, instrumentation, intrinsic or none",
        )
    })?;
    let request = tags_ask(params)?;
    if scope == TagScope::Intrinsic {
        return Ok(write(&TagNames::default(), scope));
    }
    shared.queries.run(caller, store.tags(request), move |tags| write(&tags, scope)).await
}

/// Filter for names and values. An invalid query is ignored, because the user may still be typing it.
pub(super) fn tags_ask(params: &TempoParams) -> Result<TagsRequest, TempoRejection> {
    let query = params.text("q").and_then(|text| parse(text, Mode::Lenient).ok());
    Ok(TagsRequest {
        query: query.map(|parsed| Arc::new(parsed.query)),
        range: params.range()?,
        limit: params.number("limit")?.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT),
        aliases: !params.is_on("strict"),
    })
}

//! `GET /tempo/api/search/tag/{tag}/values` and `GET /tempo/api/v2/search/tag/{tag}/values`.

use super::messages::{ValueKind, tag_values};
use super::{accept, params::TempoParams, query_target, refusal::TempoRejection, tags::tags_ask};
use crate::{app::HttpState, auth::Caller, path_name::PathName};
use axum::{extract::State, response::Response};
use baton_otlp::tempo::{SearchTagValuesResponse, SearchTagValuesV2Response};
use baton_traceql::{
    BinaryOp, CompareOp, Field, FieldExpr, Intrinsic, Literal, Mode, PipelineExpr, PipelineStage, Root, SpansetExpr,
    parse,
};
use http::HeaderMap;
use std::sync::Arc;

/// Version 1: values as text.
pub(super) async fn show_v1(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    PathName(tag): PathName,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    let encoding = accept::response_encoding(&headers);
    let write = move |(_, plain): TagValuesResponses| accept::reply(&plain, encoding);
    query_tag_values(&shared, &caller, &headers, (&tag, &params), write).await.unwrap_or_else(TempoRejection::response)
}

/// Version 2: values with their types.
pub(super) async fn show_v2(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    PathName(tag): PathName,
    headers: HeaderMap,
    params: TempoParams,
) -> Response {
    let encoding = accept::response_encoding(&headers);
    let write = move |(typed, _): TagValuesResponses| accept::reply(&typed, encoding);
    query_tag_values(&shared, &caller, &headers, (&tag, &params), write).await.unwrap_or_else(TempoRejection::response)
}

/// Values in the format of both versions.
type TagValuesResponses = (SearchTagValuesV2Response, SearchTagValuesResponse);

async fn query_tag_values(
    shared: &HttpState,
    caller: &Caller,
    headers: &HeaderMap,
    (tag, params): (&str, &TempoParams),
    write: impl FnOnce(TagValuesResponses) -> Response + Send + 'static,
) -> Result<Response, TempoRejection> {
    let store = query_target::store(shared, caller, headers)?.store;
    let field = field(tag).ok_or_else(|| {
        TempoRejection::bad_request(
            "invalid tag: name an attribute with its scope, such as resource.service.name, or an intrinsic",
        )
    })?;
    let kind = match field {
        Field::Intrinsic(Intrinsic::Kind | Intrinsic::Status) => ValueKind::Keyword,
        Field::Intrinsic(Intrinsic::Duration | Intrinsic::TraceDuration | Intrinsic::EventTimeSinceStart) => {
            ValueKind::Duration
        }
        _ => ValueKind::Native,
    };
    let request = store.tag_values(field, tags_ask(params)?);
    shared.queries.run(caller, request, move |values| write(tag_values(&values, kind))).await
}

/// The field with this name; `None` if the text is not exactly one field.
fn field(name: &str) -> Option<Field> {
    let parsed = parse(&format!("{{ {name} = 1 }}"), Mode::Lenient).ok()?;
    let Root::Search(PipelineExpr::Pipeline(stages)) = parsed.query.root else { return None };
    let [PipelineStage::Spansets(SpansetExpr::Filter(Some(FieldExpr::Binary { op, left, right })))] = stages.as_slice()
    else {
        return None;
    };
    match (op, &**left, &**right) {
        (BinaryOp::Compare(CompareOp::Equal), FieldExpr::Field(field), FieldExpr::Literal(Literal::Int(1))) => {
            Some(field.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, expect) in [
            ("resource.service.name", Some("resource.service.name")),
            (".insight.type", Some(".insight.type")),
            ("status", Some("status")),
            ("span:name", Some("span:name")),
            ("a = 1 } || { b", None),
            ("a = 1 && b", None),
            ("", None),
        ] {
            let printed = field(name).map(|field| field.to_string());
            assert_eq!(
                printed.as_deref().map(|text| text.replace("span:", "")),
                expect.map(|text| text.replace("span:", "")),
                "{name}"
            );
        }
    }
}

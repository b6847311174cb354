//! `GET /api/v2/search/tags` and `GET /api/v2/search/tag/{tag}/values`.

use super::TempoSpans;
use crate::{client::Accept, failure::TempoError, now, pieces::split_search, read, rewrite::ExpandedQuery};
use baton_span_ports::{TagNames, TagsRequest};
use baton_traceql::Field;
use baton_types::SpanValue;

/// Attribute names in the newest week of the requested range.
pub(super) async fn tags(tempo: &TempoSpans, ask: &TagsRequest) -> Result<TagNames, TempoError> {
    let body =
        tempo.line.get("/api/v2/search/tags", &query_params(tempo, ask), Accept::Json, tempo.line.deadline()).await?;
    read::tags(&body, ask.limit)
}

/// Values of a field in the newest week of the requested range.
pub(super) async fn tag_values(
    tempo: &TempoSpans,
    field: &Field,
    ask: &TagsRequest,
) -> Result<Vec<SpanValue>, TempoError> {
    let path = format!("/api/v2/search/tag/{}/values", encode_segment(&field.to_string()));
    let body = tempo.line.get(&path, &query_params(tempo, ask), Accept::Json, tempo.line.deadline()).await?;
    read::tag_values(&body, ask.limit)
}

fn query_params(tempo: &TempoSpans, ask: &TagsRequest) -> Vec<(&'static str, String)> {
    let mut pairs = vec![("limit", ask.limit.to_string())];
    let stretches = split_search(ask.range, now(&*tempo.clock), tempo.history);
    if let Some((start, end)) = stretches.windows.first() {
        pairs.push(("start", start.to_string()));
        pairs.push(("end", end.to_string()));
    }
    if let Some(query) = &ask.query {
        pairs.push(("q", ExpandedQuery::new(query, ask.aliases).query.to_string()));
    }
    pairs
}

/// Percent-encodes a path segment; a space becomes `%20`, not `+`.
fn encode_segment(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

//! Attribute names and values of both stores.

use super::TeeSpans;
use baton_span_ports::{SpanStoreError, TagNames, TagsRequest};
use baton_traceql::Field;
use baton_types::SpanValue;
use std::collections::BTreeSet;

/// Union of the names of both stores.
pub(super) async fn tags(tee: &TeeSpans, ask: TagsRequest) -> Result<TagNames, SpanStoreError> {
    let limit = ask.limit;
    let (here, there) = tokio::join!(tee.local.tags(ask.clone()), tee.query_tempo(tee.tempo.tags(ask)));
    let (here, there) = match (here, there) {
        (Ok(here), Ok(there)) => (here, there),
        (Ok(tags), Err(_)) | (Err(_), Ok(tags)) => return Ok(tags),
        (Err(error), Err(_)) => return Err(error),
    };
    let both = |here: Vec<String>, there: Vec<String>| -> Vec<String> {
        let names: BTreeSet<String> = here.into_iter().chain(there).collect();
        names.into_iter().take(limit).collect()
    };
    Ok(TagNames {
        span: both(here.span, there.span),
        resource: both(here.resource, there.resource),
        event: both(here.event, there.event),
        link: both(here.link, there.link),
        instrumentation: both(here.instrumentation, there.instrumentation),
    })
}

/// Union of the values of both stores: local values first, because only they are sorted by frequency.
pub(super) async fn tag_values(
    tee: &TeeSpans,
    field: Field,
    ask: TagsRequest,
) -> Result<Vec<SpanValue>, SpanStoreError> {
    let limit = ask.limit;
    let here = tee.local.tag_values(field.clone(), ask.clone());
    let (here, there) = tokio::join!(here, tee.query_tempo(tee.tempo.tag_values(field, ask)));
    let (mut values, there) = match (here, there) {
        (Ok(here), Ok(there)) => (here, there),
        (Ok(values), Err(_)) | (Err(_), Ok(values)) => return Ok(values),
        (Err(error), Err(_)) => return Err(error),
    };
    let known: BTreeSet<String> = values.iter().map(|value| format!("{value:?}")).collect();
    values.extend(there.into_iter().filter(|value| !known.contains(&format!("{value:?}"))));
    values.truncate(limit);
    Ok(values)
}

//! A page of streams, by a scan of all streams.

use baton_ports::{StreamCursor, StreamHead, StreamPage, StreamQuery};
use baton_types::Principal;

pub(super) fn page<'a>(
    heads: impl Iterator<Item = &'a StreamHead>,
    principal: &Principal,
    query: &StreamQuery,
) -> StreamPage {
    let mut matching: Vec<&StreamHead> =
        heads.filter(|head| owns(principal, head) && matches_query(query, head)).collect();
    matching.sort_unstable_by(|a, b| sort_key(b).cmp(&sort_key(a)));
    let total = matching.len() as u64;
    let start = match &query.after {
        Some(cursor) => matching.partition_point(|head| sort_key(head) >= (cursor.status_at, cursor.id.as_str())),
        None => 0,
    };
    let rest = &matching[start..];
    let heads: Vec<StreamHead> = rest.iter().take(query.limit).map(|head| (*head).clone()).collect();
    let next = match heads.last() {
        Some(last) if rest.len() > heads.len() => {
            Some(StreamCursor { status_at: last.status_at, id: last.stream.id().to_owned() })
        }
        _ => None,
    };
    StreamPage { heads, total, next }
}

pub(super) fn owns(principal: &Principal, head: &StreamHead) -> bool {
    head.owner.tenant == principal.tenant && head.owner.subject == principal.subject
}

fn sort_key(head: &StreamHead) -> (baton_types::Timestamp, &str) {
    (head.status_at, head.stream.id())
}

fn matches_query(query: &StreamQuery, head: &StreamHead) -> bool {
    head.stream.kind() == query.noun
        && query.agent.as_ref().is_none_or(|agent| *agent == head.agent)
        && query.context.as_ref().is_none_or(|context| *context == head.context)
        && query.state.is_none_or(|state| state == head.state)
        && query.status_after.is_none_or(|moment| head.status_at >= moment)
}

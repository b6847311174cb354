//! A page of streams, by a scan of all streams.

use baton_ports::{Head, ListPage, ListQuery, PageCursor};
use baton_types::Principal;

pub(super) fn page<'a>(heads: impl Iterator<Item = &'a Head>, principal: &Principal, query: &ListQuery) -> ListPage {
    let mut matching: Vec<&Head> = heads.filter(|head| owns(principal, head) && fits(query, head)).collect();
    matching.sort_unstable_by(|a, b| place(b).cmp(&place(a)));
    let total = matching.len() as u64;
    let start = match &query.after {
        Some(cursor) => matching.partition_point(|head| place(head) >= (cursor.status_at, cursor.id.as_str())),
        None => 0,
    };
    let rest = &matching[start..];
    let heads: Vec<Head> = rest.iter().take(query.limit).map(|head| (*head).clone()).collect();
    let next = match heads.last() {
        Some(last) if rest.len() > heads.len() => {
            Some(PageCursor { status_at: last.status_at, id: last.stream.id().to_owned() })
        }
        _ => None,
    };
    ListPage { heads, total, next }
}

pub(super) fn owns(principal: &Principal, head: &Head) -> bool {
    head.owner.tenant == principal.tenant && head.owner.subject == principal.subject
}

fn place(head: &Head) -> (baton_types::Timestamp, &str) {
    (head.status_at, head.stream.id())
}

fn fits(query: &ListQuery, head: &Head) -> bool {
    head.stream.noun() == query.noun
        && query.agent.as_ref().is_none_or(|agent| *agent == head.agent)
        && query.context.as_ref().is_none_or(|context| *context == head.context)
        && query.state.is_none_or(|state| state == head.state)
        && query.status_after.is_none_or(|moment| head.status_at >= moment)
}

//! A page of streams, most recent status change first, by an index scan.

use super::{
    deletions::visibility_condition,
    error::from_sql,
    rows::{HEAD_COLUMNS, from_int, limit, noun_code, readable_heads},
};
use baton_ports::{JournalError, StreamCursor, StreamPage, StreamQuery};
use baton_types::{AgentName, ContextId, Principal, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

const FIND_OWNER: &str = "SELECT key FROM principals WHERE tenant = ?1 AND subject = ?2";
const LIST_CONDITION: &str = "s.owner = ?1 AND s.noun = ?2 AND s.status_at >= ?3 AND (?4 IS NULL OR s.agent = ?4) \
     AND (?5 IS NULL OR s.context = ?5) AND (?6 IS NULL OR s.state = ?6)";

pub(super) fn page(
    connection: &Connection,
    principal: &Principal,
    query: &StreamQuery,
) -> Result<StreamPage, JournalError> {
    rows(connection, principal, query).map_err(|error| from_sql(&error))
}

fn rows(connection: &Connection, principal: &Principal, query: &StreamQuery) -> rusqlite::Result<StreamPage> {
    let view = connection.unchecked_transaction()?;
    let owner: Option<i64> = view
        .prepare_cached(FIND_OWNER)?
        .query_row(params![principal.tenant, principal.subject], |row| row.get(0))
        .optional()?;
    let Some(owner) = owner else { return Ok(StreamPage { heads: Vec::new(), total: 0, next: None }) };
    let noun = noun_code(query.noun);
    let since = query.status_after.map_or(i64::MIN, Timestamp::as_millis);
    let agent = query.agent.as_ref().map(AgentName::as_str);
    let context = query.context.as_ref().map(ContextId::as_str);

    let visible = visibility_condition(&view)?;
    let sql = format!("SELECT count(*) FROM streams AS s WHERE {LIST_CONDITION} AND {visible}");
    let filters = params![owner, noun, since, agent, context, query.state];
    let total: i64 = view.prepare_cached(&sql)?.query_row(filters, |row| row.get(0))?;

    // Without a cursor, the page starts before the latest possible time.
    let (status_at, id) = match &query.after {
        Some(cursor) => (cursor.status_at.as_millis(), cursor.id.as_str()),
        None => (i64::MAX, ""),
    };
    let sql = format!(
        "SELECT {HEAD_COLUMNS} FROM streams AS s JOIN principals AS p ON p.key = s.owner \
         WHERE {LIST_CONDITION} AND {visible} AND (s.status_at, s.id) < (?7, ?8) ORDER BY s.status_at DESC, s.id DESC LIMIT ?9"
    );
    let one_more = limit(query.limit).saturating_add(1);
    let filters = params![owner, noun, since, agent, context, query.state, status_at, id, one_more];
    let (mut heads, rows) = readable_heads(&mut *view.prepare_cached(&sql)?, filters)?;
    let more = rows > query.limit;
    heads.truncate(query.limit);
    let next = match heads.last() {
        Some(last) if more => Some(StreamCursor { status_at: last.status_at, id: last.stream.id().to_owned() }),
        _ => None,
    };
    Ok(StreamPage { heads, total: from_int(total), next })
}

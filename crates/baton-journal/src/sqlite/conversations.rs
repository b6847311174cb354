//! Conversations: streams by agent and context.

use super::{
    deletions::visibility_condition,
    error::from_sql,
    rows::{from_int, limit, noun_code},
    writer::JournalWriter,
};
use baton_ports::{
    ConversationCursor, ConversationPage, ConversationQuery, ConversationSummary, JournalError, error_codes,
};
use baton_types::{AgentName, ContextId, Principal, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

const FIND_OWNER: &str = "SELECT key FROM principals WHERE tenant = ?1 AND subject = ?2";

/// Query for conversations with their counts, over the streams that meet the condition.
fn conversations_query(visible: &str) -> String {
    format!(
        "SELECT agent, context, max(status_at) AS last_at, min(created_at) AS began_at, \
         sum(noun = ?2) AS tasks, sum(noun = ?2 AND terminal = 0) AS unfinished FROM streams AS s \
         WHERE owner = ?1 AND noun IN (?2, ?3) AND (?4 IS NULL OR agent = ?4) AND (?5 IS NULL OR context = ?5) \
         AND {visible} GROUP BY agent, context"
    )
}

/// Identity of a conversation.
#[derive(Clone)]
pub(super) struct ConversationKey {
    pub(super) principal: Principal,
    pub(super) agent: AgentName,
    pub(super) context: ContextId,
}

pub(super) fn page(
    connection: &Connection,
    principal: &Principal,
    query: &ConversationQuery,
) -> Result<ConversationPage, JournalError> {
    rows(connection, principal, query).map_err(|error| from_sql(&error))
}

fn owner(connection: &Connection, principal: &Principal) -> rusqlite::Result<Option<i64>> {
    let mut find = connection.prepare_cached(FIND_OWNER)?;
    find.query_row(params![principal.tenant, principal.subject], |row| row.get(0)).optional()
}

fn rows(
    connection: &Connection,
    principal: &Principal,
    query: &ConversationQuery,
) -> rusqlite::Result<ConversationPage> {
    let view = connection.unchecked_transaction()?;
    let Some(owner) = owner(&view, principal)? else { return Ok(ConversationPage::default()) };
    let (task, session) = (noun_code("task"), noun_code("session"));
    let agent = query.agent.as_ref().map(AgentName::as_str);
    let context = query.context.as_ref().map(ContextId::as_str);
    let grouped = conversations_query(visibility_condition(&view)?);
    let sql = format!("SELECT count(*) FROM ({grouped})");
    let total: i64 =
        view.prepare_cached(&sql)?.query_row(params![owner, task, session, agent, context], |row| row.get(0))?;

    // Without a cursor, the page starts before the latest possible time.
    let (last_at, after_agent, after_context) = match &query.after {
        Some(cursor) => (cursor.last_at.as_millis(), cursor.agent.as_str(), cursor.context.as_str()),
        None => (i64::MAX, "", ""),
    };
    let sql = format!(
        "SELECT * FROM ({grouped}) WHERE (last_at, agent, context) < (?6, ?7, ?8) \
         ORDER BY last_at DESC, agent DESC, context DESC LIMIT ?9"
    );
    let one_more = limit(query.limit).saturating_add(1);
    let filters = params![owner, task, session, agent, context, last_at, after_agent, after_context, one_more];
    let mut found = view.prepare_cached(&sql)?;
    let mut conversations: Vec<ConversationSummary> = Vec::new();
    let (mut rows, mut count) = (found.query(filters)?, 0);
    while let Some(row) = rows.next()? {
        count += 1;
        match conversation(row) {
            Ok(conversation) => conversations.push(conversation),
            Err(error) => {
                let code = error_codes::RECORD_DAMAGED.code;
                tracing::warn!(code, %error, "a conversation cannot be read and is skipped");
            }
        }
    }
    let more = count > query.limit;
    conversations.truncate(query.limit);
    let next = conversations.last().filter(|_| more).map(|last| ConversationCursor {
        last_at: last.last_at,
        agent: last.agent.clone(),
        context: last.context.clone(),
    });
    Ok(ConversationPage { conversations, total: from_int(total), next })
}

fn conversation(row: &Row<'_>) -> rusqlite::Result<ConversationSummary> {
    Ok(ConversationSummary {
        agent: row.get_ref(0)?.as_str()?.into(),
        context: row.get_ref(1)?.as_str()?.into(),
        last_at: Timestamp::from_millis(row.get(2)?),
        began_at: Timestamp::from_millis(row.get(3)?),
        tasks: from_int(row.get(4)?),
        unfinished: from_int(row.get(5)?),
    })
}

impl JournalWriter {
    /// The row key of a principal, if it is stored.
    pub(super) fn owner_key(&self, principal: &Principal) -> rusqlite::Result<Option<i64>> {
        owner(&self.connection, principal)
    }
}

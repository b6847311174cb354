//! Conversations: streams by agent and context.

use super::{
    error::{Failure, from_sql},
    retain::forget_key,
    rows::{from_int, limit, noun_code, stream_id},
    writer::Writer,
};
use baton_ports::{Conversation, ConversationCursor, ConversationPage, ConversationQuery, Forgotten, JournalError};
use baton_types::{AgentName, ContextId, Principal, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

const FIND_OWNER: &str = "SELECT key FROM principals WHERE tenant = ?1 AND subject = ?2";
const GROUPED: &str = "SELECT agent, context, max(status_at) AS last_at, min(created_at) AS began_at, \
     sum(noun = ?2) AS tasks, sum(noun = ?2 AND terminal = 0) AS unfinished FROM streams \
     WHERE owner = ?1 AND noun IN (?2, ?3) AND (?4 IS NULL OR agent = ?4) AND (?5 IS NULL OR context = ?5) \
     GROUP BY agent, context";
const OF_CONVERSATION: &str = "FROM streams WHERE owner = ?1 AND agent = ?2 AND context = ?3";

/// Whose conversation with whom.
pub(super) struct Whose {
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
    let sql = format!("SELECT count(*) FROM ({GROUPED})");
    let total: i64 =
        view.prepare_cached(&sql)?.query_row(params![owner, task, session, agent, context], |row| row.get(0))?;

    // Without a cursor the page starts before the latest moment there can be.
    let (last_at, after_agent, after_context) = match &query.after {
        Some(cursor) => (cursor.last_at.as_millis(), cursor.agent.as_str(), cursor.context.as_str()),
        None => (i64::MAX, "", ""),
    };
    let sql = format!(
        "SELECT * FROM ({GROUPED}) WHERE (last_at, agent, context) < (?6, ?7, ?8) \
         ORDER BY last_at DESC, agent DESC, context DESC LIMIT ?9"
    );
    let one_more = limit(query.limit).saturating_add(1);
    let filters = params![owner, task, session, agent, context, last_at, after_agent, after_context, one_more];
    let mut found = view.prepare_cached(&sql)?;
    let mut conversations: Vec<Conversation> =
        found.query_map(filters, conversation)?.collect::<rusqlite::Result<_>>()?;
    let more = conversations.len() > query.limit;
    conversations.truncate(query.limit);
    let next = conversations.last().filter(|_| more).map(|last| ConversationCursor {
        last_at: last.last_at,
        agent: last.agent.clone(),
        context: last.context.clone(),
    });
    Ok(ConversationPage { conversations, total: from_int(total), next })
}

fn conversation(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    Ok(Conversation {
        agent: row.get_ref(0)?.as_str()?.into(),
        context: row.get_ref(1)?.as_str()?.into(),
        last_at: Timestamp::from_millis(row.get(2)?),
        began_at: Timestamp::from_millis(row.get(3)?),
        tasks: from_int(row.get(4)?),
        unfinished: from_int(row.get(5)?),
    })
}

impl Writer {
    /// Removes a conversation whole, in the one transaction that this is part of; one that is unfinished stays whole.
    pub(super) fn forget_conversation(&mut self, whose: &Whose) -> Result<Forgotten, Failure> {
        let Some(owner) = owner(&self.connection, &whose.principal)? else { return Ok(Forgotten::Streams(0)) };
        let row = params![owner, whose.agent.as_str(), whose.context.as_str()];
        let task = noun_code("task");
        let sql = format!("SELECT noun, id {OF_CONVERSATION} AND noun = {task} AND terminal = 0 LIMIT 1");
        let mut unfinished = self.connection.prepare_cached(&sql)?;
        if let Some(stream) = unfinished.query_row(row, |row| stream_id(row, 0)).optional()? {
            return Ok(Forgotten::Unfinished(stream));
        }
        drop(unfinished);
        let mut find = self.connection.prepare_cached(&format!("SELECT key {OF_CONVERSATION} AND terminal = 1"))?;
        let keys: Vec<i64> = find.query_map(row, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        drop(find);
        for key in &keys {
            forget_key(&self.connection, *key)?;
        }
        self.forgot()?;
        Ok(Forgotten::Streams(keys.len() as u64))
    }
}

//! Deletion of conversations.
//!
//! The commit that finds a conversation finished adds one row that hides its streams, however many there are. The
//! writer then removes their rows in bounded batches, each in its own transaction, interleaved with other commits. If
//! the process dies meanwhile, the row remains, and the next process continues.

use super::{
    blobs::RawDigest,
    conversations::ConversationKey,
    error::{JobError, from_sql},
    job::PendingReply,
    retain::{SWEEP, remove_stream_rows},
    rows::stream_id,
    writer::JournalWriter,
};
use baton_ports::{DeleteOutcome, JournalError};
use baton_types::{Principal, StreamId};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

/// Maximum number of streams removed in one batch.
pub(super) const MAX_BATCH_STREAMS: usize = 128;
/// Maximum number of events removed in one batch.
pub(super) const MAX_BATCH_EVENTS: usize = 1_024;

/// True for streams `s` that no deletion covers; [`visibility_condition`] decides whether the condition is needed.
const NOT_DELETED: &str = "NOT EXISTS (SELECT 1 FROM deletions AS d WHERE d.owner = s.owner AND d.agent = s.agent \
     AND d.context = s.context AND s.key <= d.last_key AND s.terminal = 1)";
const FIND_ANY: &str = "SELECT 1 FROM deletions LIMIT 1";

pub(super) const FIND_UNFINISHED: &str = "SELECT noun, id FROM streams \
     WHERE owner = ?1 AND agent = ?2 AND context = ?3 AND terminal = 0 AND noun = ?4 LIMIT 1";
pub(super) const FIND_ENDED: &str =
    "SELECT 1 FROM streams WHERE owner = ?1 AND agent = ?2 AND context = ?3 AND terminal = 1 LIMIT 1";
pub(super) const ADD: &str = "INSERT INTO deletions (owner, agent, context, last_key) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (owner, agent, context) DO UPDATE SET last_key = ?4";
pub(super) const REMOVE: &str = "DELETE FROM deletions WHERE owner = ?1 AND agent = ?2 AND context = ?3";
const LOAD: &str = "SELECT d.owner, p.tenant, p.subject, d.agent, d.context, d.last_key FROM deletions AS d \
     JOIN principals AS p ON p.key = d.owner";
pub(super) const NEXT_STREAMS: &str = "SELECT key FROM streams \
     WHERE owner = ?1 AND agent = ?2 AND context = ?3 AND terminal = 1 AND key <= ?4 ORDER BY key LIMIT ?5";
pub(super) const LAST_OF_BATCH: &str = "SELECT number FROM events WHERE stream = ?1 ORDER BY number LIMIT 1 OFFSET ?2";
pub(super) const REMOVE_EVENTS: &str = "DELETE FROM events WHERE stream = ?1 AND number < ?2";
pub(super) const BLOBS_OF_BATCH: &str = "SELECT blob FROM events WHERE stream = ?1 AND number < ?2 AND blob IS NOT NULL \
     UNION SELECT blob FROM snapshots WHERE stream = ?1 AND blob IS NOT NULL";
pub(super) const IS_COVERED: &str = "SELECT 1 FROM streams AS s JOIN deletions AS d ON d.owner = s.owner \
     AND d.agent = s.agent AND d.context = s.context AND s.key <= d.last_key WHERE s.key = ?1 AND s.terminal = 1";

/// A conversation whose rows are being removed.
pub(super) struct ConversationDeletion {
    owner: i64,
    conversation: ConversationKey,
    last_key: i64,
    removed: u64,
    pending_replies: Vec<PendingReply<DeleteOutcome>>,
}

/// Result of one batch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DeletionBatch {
    pub(super) streams: u64,
    pub(super) events: usize,
    pub(super) finished: bool,
}

/// The condition under which streams `s` are visible; call it in the transaction of the read.
pub(super) fn visibility_condition(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if connection.prepare_cached(FIND_ANY)?.exists([])? { NOT_DELETED } else { "1" })
}

/// The unfinished deletions of an earlier process.
pub(super) fn load(connection: &Connection) -> rusqlite::Result<Vec<ConversationDeletion>> {
    let deletion = |row: &Row<'_>| {
        let principal = Principal { tenant: row.get(1)?, subject: row.get(2)?, scopes: Vec::new() };
        Ok(ConversationDeletion {
            owner: row.get(0)?,
            conversation: ConversationKey {
                principal,
                agent: row.get_ref(3)?.as_str()?.into(),
                context: row.get_ref(4)?.as_str()?.into(),
            },
            last_key: row.get(5)?,
            removed: 0,
            pending_replies: Vec::new(),
        })
    };
    connection.prepare(LOAD)?.query_map([], deletion)?.collect()
}

impl ConversationDeletion {
    fn is_for(&self, key: &ConversationKey) -> bool {
        let (own, other) = (&self.conversation.principal, &key.principal);
        own.tenant == other.tenant
            && own.subject == other.subject
            && self.conversation.agent == key.agent
            && self.conversation.context == key.context
    }

    fn finish(self) {
        for reply in self.pending_replies {
            reply.reply(Ok(DeleteOutcome::Deleted(self.removed)));
        }
    }
}

impl JournalWriter {
    /// Hides a conversation, unless it has unfinished tasks.
    pub(super) fn hide_conversation(&mut self, key: &ConversationKey) -> Result<DeleteOutcome, JobError> {
        let Some(owner) = self.owner_key(&key.principal)? else { return Ok(DeleteOutcome::Deleted(0)) };
        let (agent, context) = (key.agent.as_str(), key.context.as_str());
        let task = super::rows::noun_code("task");
        let unfinished: Option<StreamId> = self
            .connection
            .prepare_cached(FIND_UNFINISHED)?
            .query_row(params![owner, agent, context, task], |row| stream_id(row, 0))
            .optional()?;
        if let Some(stream) = unfinished {
            return Ok(DeleteOutcome::Unfinished(stream));
        }
        if self.connection.prepare_cached(FIND_ENDED)?.exists(params![owner, agent, context])? {
            let last_key = self.last_key;
            self.connection.prepare_cached(ADD)?.execute(params![owner, agent, context, last_key])?;
            self.marked_deletions.push(ConversationDeletion {
                owner,
                conversation: key.clone(),
                last_key,
                removed: 0,
                pending_replies: Vec::new(),
            });
            // The cache must not contain hidden streams.
            self.heads.clear();
        }
        Ok(DeleteOutcome::Deleted(0))
    }

    /// Starts the deletions that the group marked, once the group is on disk.
    pub(super) fn start_deletions(&mut self) {
        for marked in std::mem::take(&mut self.marked_deletions) {
            self.deletions_paused = false;
            match self.deletions.iter_mut().find(|deletion| deletion.is_for(&marked.conversation)) {
                Some(deletion) => deletion.last_key = marked.last_key,
                None => self.deletions.push_back(marked),
            }
        }
    }

    /// Responds when the rows of the conversation are removed; immediately if there are none.
    pub(super) fn reply_when_deleted(&mut self, key: &ConversationKey, reply: PendingReply<DeleteOutcome>) {
        let deletion = self.deletions.iter_mut().find(|deletion| deletion.is_for(key));
        match deletion {
            Some(deletion) if reply.is_deleted() => deletion.pending_replies.push(reply),
            _ => reply.settle(),
        }
    }

    /// Whether there are rows to remove now.
    pub(super) fn is_deleting(&self) -> bool {
        !self.deletions_paused && !self.deletions.is_empty()
    }

    /// Removes one batch of rows in its own transaction. After a failure the conversation stays hidden, and its rows
    /// wait for the next deletion, the recovery of the journal or the next start.
    pub(super) fn delete_batch(&mut self) -> Option<DeletionBatch> {
        match self.remove_rows() {
            Ok(batch) => {
                if let Some(first) = self.deletions.front_mut() {
                    first.removed += batch.streams;
                }
                if batch.finished
                    && let Some(deletion) = self.deletions.pop_front()
                {
                    deletion.finish();
                }
                Some(batch)
            }
            Err(error) => {
                tracing::error!(%error, "rows of a deleted conversation could not be removed; they stay hidden");
                self.deletions_paused = true;
                self.rollback_group();
                let reason = from_sql(&error);
                for deletion in &mut self.deletions {
                    deletion.pending_replies.drain(..).for_each(|reply| reply.reply(Err(reason.clone())));
                }
                None
            }
        }
    }

    fn remove_rows(&self) -> rusqlite::Result<DeletionBatch> {
        let mut batch = DeletionBatch::default();
        let Some(ConversationDeletion { owner, conversation, last_key, .. }) = self.deletions.front() else {
            return Ok(batch);
        };
        let (owner, agent, context) = (*owner, conversation.agent.as_str(), conversation.context.as_str());
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut next = self.connection.prepare_cached(NEXT_STREAMS)?;
        let limit = super::rows::limit(MAX_BATCH_STREAMS);
        let keys: Vec<i64> = next
            .query_map(params![owner, agent, context, last_key, limit], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        drop(next);
        batch.finished = keys.len() < MAX_BATCH_STREAMS;
        for key in keys {
            if batch.events >= MAX_BATCH_EVENTS || !remove_stream(&self.connection, key, &mut batch)? {
                batch.finished = false;
                break;
            }
        }
        if batch.finished {
            self.connection.prepare_cached(REMOVE)?.execute(params![owner, agent, context])?;
        }
        self.save_counters()?;
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(batch)
    }

    /// Whether the stream with this key is hidden. If so, its rows are removed now, so that its id can be used again.
    pub(super) fn clear_deleted(&self, key: i64) -> rusqlite::Result<bool> {
        if self.deletions.is_empty() && self.marked_deletions.is_empty() {
            return Ok(false);
        }
        let covered = self.connection.prepare_cached(IS_COVERED)?.exists(params![key])?;
        if covered {
            remove_stream_rows(&self.connection, key)?;
        }
        Ok(covered)
    }

    /// Fails all pending requests, because the process ends; the next process continues the deletions.
    pub(super) fn abort_deletions(&mut self) {
        for deletion in self.deletions.drain(..) {
            deletion.pending_replies.into_iter().for_each(|reply| reply.reply(Err(closing_error())));
        }
    }
}

/// Removes as many rows of a stream as the batch allows; returns whether the stream is gone.
fn remove_stream(connection: &Connection, key: i64, batch: &mut DeletionBatch) -> rusqlite::Result<bool> {
    let room = super::rows::limit(MAX_BATCH_EVENTS - batch.events);
    let beyond: Option<i64> =
        connection.prepare_cached(LAST_OF_BATCH)?.query_row(params![key, room], |row| row.get(0)).optional()?;
    let mut find = connection.prepare_cached(BLOBS_OF_BATCH)?;
    let blobs: Vec<RawDigest> =
        find.query_map(params![key, beyond.unwrap_or(i64::MAX)], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    match beyond {
        Some(number) => batch.events += connection.prepare_cached(REMOVE_EVENTS)?.execute(params![key, number])?,
        None => {
            batch.events += remove_stream_rows(connection, key)?;
            batch.streams += 1;
        }
    }
    // Long texts are removed with the last row that refers to them.
    let mut sweep = connection.prepare_cached(SWEEP)?;
    for digest in blobs {
        sweep.execute(params![digest])?;
    }
    Ok(beyond.is_none())
}

fn closing_error() -> JournalError {
    JournalError::Unavailable(
        "the journal is closing; the conversation is hidden, and its rows are removed at the next start".to_owned(),
    )
}

#[cfg(test)]
#[path = "deletions_tests.rs"]
mod tests;

//! Writes a commit: all checks first, then the rows.

use super::{
    blobs::RawDigest,
    cache::{CachedHead, PendingHead, StoredHead},
    encode::{EncodedCommit, StoredBody},
    error::JobError,
    rows::{from_int, noun_code, to_int},
    writer::JournalWriter,
};
use crate::check::{StreamHeads, StreamPosition, check_commit, version_after};
use baton_ports::{Claim, Write};
use baton_types::{JournalEvent, Principal, RunId, StreamId};
use rusqlite::{OptionalExtension as _, params};

pub(super) const FIND_STREAM: &str = "SELECT key, version, epoch FROM streams WHERE noun = ?1 AND id = ?2";
const FIND_PRINCIPAL: &str = "SELECT key FROM principals WHERE tenant = ?1 AND subject = ?2";
const ADD_PRINCIPAL: &str = "INSERT INTO principals (tenant, subject) VALUES (?1, ?2)";
const ADD_STREAM: &str = "INSERT INTO streams (key, noun, id, owner, agent, context, state, version, epoch, \
     created_at, status_at, active, terminal) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
const UPDATE_STREAM: &str = "UPDATE streams SET agent = ?2, context = ?3, state = ?4, version = ?5, status_at = ?6, \
     active = ?7, terminal = ?8 WHERE key = ?1";
const UPDATE_STREAM_VERSION: &str = "UPDATE streams SET version = ?2 WHERE key = ?1";
const ADD_EVENT: &str = "INSERT INTO events (seq, stream, number, run, epoch, at, principal, trace, kind, schema, \
     body, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
const ADD_BLOB: &str = "INSERT INTO blobs (digest, pinned, bytes) VALUES (?1, 0, ?2) ON CONFLICT DO NOTHING";
const PUT_SNAPSHOT: &str = "INSERT INTO snapshots (stream, version, state, blob) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (stream) DO UPDATE SET version = ?2, state = ?3, blob = ?4";

impl JournalWriter {
    /// Writes the whole commit or nothing; returns the sequence number of its last event.
    pub(super) fn append(&mut self, encoded: &EncodedCommit) -> Result<u64, JobError> {
        check_commit(self, &encoded.commit)?;
        let mut bodies = encoded.bodies.iter();
        for (write, snapshot) in encoded.commit.writes.iter().zip(&encoded.snapshots) {
            self.write(write, &mut bodies, snapshot.as_ref())?;
        }
        for entry in &encoded.commit.outbox {
            let stream = self.stream_key(&entry.stream)?;
            self.put_outbox_entry(entry, stream)?;
        }
        for claim in &encoded.commit.claims {
            let (owner, stream) = (self.principal_key(&claim.principal)?, self.stream_key(&claim.stream)?);
            self.add_claim(claim, owner, stream)?;
        }
        for tally in &encoded.commit.tallies {
            self.add_tally(tally)?;
        }
        Ok(from_int(self.last_seq))
    }

    fn write<'a>(
        &mut self,
        write: &Write,
        bodies: &mut impl Iterator<Item = &'a StoredBody>,
        snapshot: Option<&StoredBody>,
    ) -> Result<(), JobError> {
        let principal = self.principal_key(&write.principal)?;
        let version = version_after(write);
        let key = self.update_head(write, principal, version)?;
        let mut add_event = self.connection.prepare_cached(ADD_EVENT)?;
        let (run, trace) = (write.run.as_ref().map(RunId::as_str), write.trace.as_deref());
        let numbers = to_int(write.expected_version) + 1..;
        for ((fact, number), body) in write.facts.iter().zip(numbers).zip(bodies) {
            let blob = self.store_blob(body)?;
            self.last_seq += 1;
            add_event.execute(params![
                self.last_seq,
                key,
                number,
                run,
                to_int(write.epoch),
                write.at.as_millis(),
                principal,
                trace,
                fact.kind(),
                JournalEvent::SCHEMA,
                body.inline(),
                blob,
            ])?;
        }
        if let Some(state) = snapshot {
            let blob = self.store_blob(state)?;
            let row = params![key, to_int(version), state.inline(), blob];
            self.connection.prepare_cached(PUT_SNAPSHOT)?.execute(row)?;
        }
        Ok(())
    }

    /// Stores a long body as a blob and returns the digest for its row.
    fn store_blob<'a>(&self, body: &'a StoredBody) -> rusqlite::Result<Option<&'a RawDigest>> {
        let Some((digest, bytes)) = body.blob() else { return Ok(None) };
        self.connection.prepare_cached(ADD_BLOB)?.execute(params![digest, bytes])?;
        Ok(Some(digest))
    }

    /// Records the new head of the stream; [`JournalWriter::flush_heads`] writes it once for the whole group.
    fn update_head(&mut self, write: &Write, principal: i64, version: u64) -> Result<i64, JobError> {
        if let Some(pending) = self.pending.get_mut(&write.stream) {
            pending.position.version = version;
            pending.head.clone_from(&write.head);
            return Ok(pending.key);
        }
        let cached = if write.expected_version == 0 { None } else { self.cached_head(&write.stream)? };
        let (key, stored) = match cached {
            Some(cached) => (cached.key, StoredHead::Existing(cached.summary)),
            None => {
                self.last_key += 1;
                (self.last_key, StoredHead::New { owner: principal, created_at: write.at })
            }
        };
        let position = StreamPosition { version, epoch: write.epoch };
        let pending = PendingHead { key, position, head: write.head.clone(), stored };
        self.pending.insert(write.stream.clone(), pending);
        Ok(key)
    }

    /// Writes the stream summaries of the group; updates no indexes where only the version changed.
    pub(super) fn flush_heads(&mut self) -> rusqlite::Result<()> {
        let mut group: Vec<_> = self.pending.drain().collect();
        // New rows are appended at the end of the table if they are inserted in key order.
        group.sort_unstable_by_key(|(_, pending)| pending.key);
        for (stream, pending) in group {
            let PendingHead { key, position, head, stored } = pending;
            match stored {
                StoredHead::New { owner, created_at } => {
                    self.connection.prepare_cached(ADD_STREAM)?.execute(params![
                        key,
                        noun_code(stream.kind()),
                        stream.id(),
                        owner,
                        head.agent.as_str(),
                        head.context.as_str(),
                        head.state,
                        to_int(position.version),
                        to_int(position.epoch),
                        created_at.as_millis(),
                        head.status_at.as_millis(),
                        head.active,
                        head.terminal,
                    ])?;
                }
                StoredHead::Existing(Some(summary)) if summary == head => {
                    let row = params![key, to_int(position.version)];
                    self.connection.prepare_cached(UPDATE_STREAM_VERSION)?.execute(row)?;
                }
                StoredHead::Existing(_) => {
                    self.connection.prepare_cached(UPDATE_STREAM)?.execute(params![
                        key,
                        head.agent.as_str(),
                        head.context.as_str(),
                        head.state,
                        to_int(position.version),
                        head.status_at.as_millis(),
                        head.active,
                        head.terminal,
                    ])?;
                }
            }
            // Ended streams are rarely written again, so caching them would only cost memory.
            if head.terminal {
                self.heads.remove(&stream);
            } else {
                self.heads.put(stream, CachedHead { key, position, summary: Some(head) });
            }
        }
        Ok(())
    }

    /// The key of a stream that passed the check.
    fn stream_key(&mut self, stream: &StreamId) -> Result<i64, JobError> {
        match self.pending.get(stream) {
            Some(pending) => Ok(pending.key),
            // A refusal here would leave the first half of the commit in the group; this error fails the group.
            None => Ok(self.cached_head(stream)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?.key),
        }
    }

    /// The head of a stream, from the cache or from disk.
    fn cached_head(&mut self, stream: &StreamId) -> Result<Option<CachedHead>, JobError> {
        if let Some(cached) = self.heads.get(stream) {
            return Ok(Some(cached.clone()));
        }
        let found = self
            .connection
            .prepare_cached(FIND_STREAM)?
            .query_row(params![noun_code(stream.kind()), stream.id()], |row| {
                let position = StreamPosition { version: from_int(row.get(1)?), epoch: from_int(row.get(2)?) };
                Ok(CachedHead { key: row.get(0)?, position, summary: None })
            })
            .optional()?;
        let Some(cached) = found else { return Ok(None) };
        if self.clear_deleted(cached.key)? {
            return Ok(None);
        }
        self.heads.put(stream.clone(), cached.clone());
        Ok(Some(cached))
    }

    fn principal_key(&mut self, principal: &Principal) -> Result<i64, JobError> {
        if let Some(key) = self.principals.get(principal) {
            return Ok(key);
        }
        let names = params![principal.tenant, principal.subject];
        let found: Option<i64> =
            self.connection.prepare_cached(FIND_PRINCIPAL)?.query_row(names, |row| row.get(0)).optional()?;
        let key = match found {
            Some(key) => key,
            None => self.connection.prepare_cached(ADD_PRINCIPAL)?.insert(names)?,
        };
        self.principals.put(principal, key);
        Ok(key)
    }
}

impl StreamHeads for JournalWriter {
    type Error = JobError;

    fn position(&mut self, stream: &StreamId) -> Result<Option<StreamPosition>, JobError> {
        if let Some(pending) = self.pending.get(stream) {
            return Ok(Some(pending.position));
        }
        match self.heads.get(stream) {
            Some(cached) => Ok(Some(cached.position)),
            None => Ok(self.cached_head(stream)?.map(|cached| cached.position)),
        }
    }

    fn is_claimed(&mut self, claim: &Claim) -> Result<bool, JobError> {
        self.has_claim(claim)
    }
}

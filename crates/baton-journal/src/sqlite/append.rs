//! Writes a commit: all checks first, then the rows.

use super::{
    blobs::RawDigest,
    cache::{PendingHead, Stood, Stored},
    encode::{Body, Encoded},
    error::Failure,
    rows::{from_int, noun_code, to_int},
    writer::Writer,
};
use crate::check::{Position, Standing, check_commit, version_after};
use baton_ports::{Claim, Write};
use baton_types::{Fact, Principal, RunId, StreamId};
use rusqlite::{OptionalExtension as _, params};

pub(super) const FIND_STREAM: &str = "SELECT key, version, epoch FROM streams WHERE noun = ?1 AND id = ?2";
const FIND_PRINCIPAL: &str = "SELECT key FROM principals WHERE tenant = ?1 AND subject = ?2";
const ADD_PRINCIPAL: &str = "INSERT INTO principals (tenant, subject) VALUES (?1, ?2)";
const ADD_STREAM: &str = "INSERT INTO streams (key, noun, id, owner, agent, context, state, version, epoch, \
     created_at, status_at, active, terminal) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
const MOVE_STREAM: &str = "UPDATE streams SET agent = ?2, context = ?3, state = ?4, version = ?5, status_at = ?6, \
     active = ?7, terminal = ?8 WHERE key = ?1";
const COUNT_STREAM: &str = "UPDATE streams SET version = ?2 WHERE key = ?1";
const ADD_EVENT: &str = "INSERT INTO events (seq, stream, number, run, epoch, at, principal, trace, kind, schema, \
     body, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
const ADD_BLOB: &str = "INSERT INTO blobs (digest, pinned, bytes) VALUES (?1, 0, ?2) ON CONFLICT DO NOTHING";
const PUT_SNAPSHOT: &str = "INSERT INTO snapshots (stream, version, state, blob) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (stream) DO UPDATE SET version = ?2, state = ?3, blob = ?4";

impl Writer {
    /// Writes the whole commit or nothing; returns the sequence number of its last event.
    pub(super) fn append(&mut self, encoded: &Encoded) -> Result<u64, Failure> {
        check_commit(self, &encoded.commit)?;
        let mut bodies = encoded.bodies.iter();
        for (write, snapshot) in encoded.commit.writes.iter().zip(&encoded.snapshots) {
            self.write(write, &mut bodies, snapshot.as_ref())?;
        }
        for entry in &encoded.commit.outbox {
            let stream = self.key(&entry.stream)?;
            self.put_order(entry, stream)?;
        }
        for claim in &encoded.commit.claims {
            let (owner, stream) = (self.principal(&claim.principal)?, self.key(&claim.stream)?);
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
        bodies: &mut impl Iterator<Item = &'a Body>,
        snapshot: Option<&Body>,
    ) -> Result<(), Failure> {
        let principal = self.principal(&write.principal)?;
        let version = version_after(write);
        let key = self.move_head(write, principal, version)?;
        let mut add_event = self.connection.prepare_cached(ADD_EVENT)?;
        let (run, trace) = (write.run.as_ref().map(RunId::as_str), write.trace.as_deref());
        let numbers = to_int(write.expected_version) + 1..;
        for ((fact, number), body) in write.facts.iter().zip(numbers).zip(bodies) {
            let blob = self.store_long(body)?;
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
                Fact::SCHEMA,
                body.inline(),
                blob,
            ])?;
        }
        if let Some(state) = snapshot {
            let blob = self.store_long(state)?;
            let row = params![key, to_int(version), state.inline(), blob];
            self.connection.prepare_cached(PUT_SNAPSHOT)?.execute(row)?;
        }
        Ok(())
    }

    /// Stores a long body as a blob and returns the digest for its row.
    fn store_long<'a>(&self, body: &'a Body) -> rusqlite::Result<Option<&'a RawDigest>> {
        let Some((digest, bytes)) = body.blob() else { return Ok(None) };
        self.connection.prepare_cached(ADD_BLOB)?.execute(params![digest, bytes])?;
        Ok(Some(digest))
    }

    /// Records the new head of the stream; [`JournalWriter::flush_heads`] writes it once for the whole group.
    fn move_head(&mut self, write: &Write, principal: i64, version: u64) -> Result<i64, Failure> {
        if let Some(pending) = self.pending.get_mut(&write.stream) {
            pending.position.version = version;
            pending.head.clone_from(&write.head);
            return Ok(pending.key);
        }
        let stood = if write.expected_version == 0 { None } else { self.stood(&write.stream)? };
        let (key, stored) = match stood {
            Some(stood) => (stood.key, Stored::As(stood.summary)),
            None => {
                self.last_key += 1;
                (self.last_key, Stored::Not { owner: principal, created_at: write.at })
            }
        };
        let position = Position { version, epoch: write.epoch };
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
                Stored::Not { owner, created_at } => {
                    self.connection.prepare_cached(ADD_STREAM)?.execute(params![
                        key,
                        noun_code(stream.noun()),
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
                Stored::As(Some(summary)) if summary == head => {
                    let row = params![key, to_int(position.version)];
                    self.connection.prepare_cached(COUNT_STREAM)?.execute(row)?;
                }
                Stored::As(_) => {
                    self.connection.prepare_cached(MOVE_STREAM)?.execute(params![
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
                self.heads.put(stream, Stood { key, position, summary: Some(head) });
            }
        }
        Ok(())
    }

    /// The key of a stream that passed the check.
    fn key(&mut self, stream: &StreamId) -> Result<i64, Failure> {
        match self.pending.get(stream) {
            Some(pending) => Ok(pending.key),
            // A refusal here would leave the first half of the commit in the group; this error fails the group.
            None => Ok(self.stood(stream)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?.key),
        }
    }

    /// The head of a stream, from the cache or from disk.
    fn stood(&mut self, stream: &StreamId) -> Result<Option<Stood>, Failure> {
        if let Some(stood) = self.heads.get(stream) {
            return Ok(Some(stood.clone()));
        }
        let found = self
            .connection
            .prepare_cached(FIND_STREAM)?
            .query_row(params![noun_code(stream.noun()), stream.id()], |row| {
                let position = Position { version: from_int(row.get(1)?), epoch: from_int(row.get(2)?) };
                Ok(Stood { key: row.get(0)?, position, summary: None })
            })
            .optional()?;
        let Some(stood) = found else { return Ok(None) };
        if self.clear_deleted(stood.key)? {
            return Ok(None);
        }
        self.heads.put(stream.clone(), stood.clone());
        Ok(Some(stood))
    }

    fn principal(&mut self, principal: &Principal) -> Result<i64, Failure> {
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

impl Standing for Writer {
    type Error = Failure;

    fn position(&mut self, stream: &StreamId) -> Result<Option<Position>, Failure> {
        if let Some(pending) = self.pending.get(stream) {
            return Ok(Some(pending.position));
        }
        match self.heads.get(stream) {
            Some(stood) => Ok(Some(stood.position)),
            None => Ok(self.stood(stream)?.map(|stood| stood.position)),
        }
    }

    fn is_claimed(&mut self, claim: &Claim) -> Result<bool, Failure> {
        self.has_claim(claim)
    }
}

//! State of the in-memory journal.

use super::{claims::ClaimMap, list::owns, outbox::Outbox, tokens::MemoryTokens};
use crate::{
    check::{StreamHeads, StreamPosition, check_commit, version_after},
    stored_events::into_stored_events,
};
use baton_ports::{
    Blob, Claim, Commit, CommitObserver, JournalError, Lease, LoadedStream, Snapshot, StoredEvent, StreamHead, Tally,
    Write,
};
use baton_types::{BudgetUsage, Digest, Principal, StreamId, Timestamp};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

#[derive(Default)]
pub(super) struct MemoryState {
    pub(super) observer: Option<Arc<dyn CommitObserver>>,
    pub(super) blobs: HashMap<Digest, Blob>,
    pub(super) outbox: Outbox,
    pub(super) claims: ClaimMap,
    pub(super) tokens: MemoryTokens,
    pub(super) tallies: HashMap<String, BudgetUsage>,
    /// By key; keys grow in creation order.
    pub(super) streams: BTreeMap<u64, MemoryStream>,
    pub(super) keys: HashMap<StreamId, u64>,
    pub(super) events: BTreeMap<u64, Arc<StoredEvent>>,
    last_seq: u64,
    last_key: u64,
}

pub(super) struct MemoryStream {
    pub(super) head: StreamHead,
    pub(super) events: Vec<Arc<StoredEvent>>,
    snapshot: Option<Snapshot>,
    lease: Option<(String, Timestamp)>,
}

impl MemoryState {
    pub(super) fn append(&mut self, commit: Commit) -> Result<u64, JournalError> {
        check_commit(self, &commit)?;
        let mut stored = Vec::with_capacity(commit.writes.iter().map(|write| write.facts.len()).sum());
        for write in commit.writes {
            self.write(write, &mut stored);
        }
        for entry in commit.outbox {
            self.outbox.put(entry);
        }
        for claim in commit.claims {
            self.claims.add(claim);
        }
        for Tally { key, spent } in commit.tallies {
            let total = self.tallies.entry(key).or_default();
            *total = total.plus(spent);
        }
        if let (Some(observer), false) = (&self.observer, stored.is_empty()) {
            observer.on_commit(&stored);
        }
        Ok(self.last_seq)
    }

    fn write(&mut self, mut write: Write, stored: &mut Vec<Arc<StoredEvent>>) {
        let version = version_after(&write);
        let key = self.keys.get(&write.stream).copied().unwrap_or_else(|| {
            self.last_key += 1;
            self.keys.insert(write.stream.clone(), self.last_key);
            self.last_key
        });
        let stream = self.streams.entry(key).or_insert_with(|| MemoryStream {
            head: StreamHead {
                stream: write.stream.clone(),
                owner: Arc::new(Principal { scopes: Vec::new(), ..(*write.principal).clone() }),
                agent: write.head.agent.clone(),
                context: write.head.context.clone(),
                state: String::new(),
                version: 0,
                epoch: write.epoch,
                created_at: write.at,
                status_at: write.head.status_at,
                active: false,
                terminal: false,
            },
            events: Vec::new(),
            snapshot: None,
            lease: None,
        });
        for event in into_stored_events(&mut write, self.last_seq) {
            self.last_seq = event.seq;
            self.events.insert(event.seq, event.clone());
            stream.events.push(event.clone());
            stored.push(event);
        }
        let head = &mut stream.head;
        head.agent = write.head.agent;
        head.context = write.head.context;
        write.head.state.clone_into(&mut head.state);
        head.version = version;
        head.status_at = write.head.status_at;
        head.active = write.head.active;
        head.terminal = write.head.terminal;
        if let Some(state) = write.snapshot {
            stream.snapshot = Some(Snapshot { version, state });
        }
    }

    pub(super) fn load(&self, principal: Option<&Principal>, stream: &StreamId) -> Option<LoadedStream> {
        let found = self.stream(stream)?;
        if principal.is_some_and(|principal| !owns(principal, &found.head)) {
            return None;
        }
        let folded = found.snapshot.as_ref().map_or(0, |snapshot| snapshot.version);
        Some(LoadedStream {
            head: found.head.clone(),
            snapshot: found.snapshot.clone(),
            events: found.events_after(folded).to_vec(),
        })
    }

    pub(super) fn events(&self, stream: &StreamId, after: u64, limit: usize) -> Vec<Arc<StoredEvent>> {
        let Some(found) = self.stream(stream) else { return Vec::new() };
        found.events_after(after).iter().take(limit).cloned().collect()
    }

    pub(super) fn tail(&self, after: u64, limit: usize) -> Vec<Arc<StoredEvent>> {
        self.events.range(after.saturating_add(1)..).take(limit).map(|(_, event)| event.clone()).collect()
    }

    pub(super) fn heads(&self) -> impl Iterator<Item = &StreamHead> {
        self.streams.values().map(|stream| &stream.head)
    }

    pub(super) fn active(&self, after: Option<&StreamId>, limit: usize) -> Vec<StreamHead> {
        let after = after.and_then(|stream| self.keys.get(stream)).copied().unwrap_or(0);
        let later = self.streams.range(after + 1..).map(|(_, stream)| &stream.head);
        later.filter(|head| head.active).take(limit).cloned().collect()
    }

    pub(super) fn acquire(
        &mut self,
        stream: &StreamId,
        holder: &str,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Lease, JournalError> {
        let found = self.keys.get(stream).and_then(|key| self.streams.get_mut(key));
        let Some(found) = found else { return Err(JournalError::Missing { stream: stream.clone() }) };
        if found.lease.as_ref().is_some_and(|(other, until)| other != holder && *until > now) {
            return Err(JournalError::Leased { stream: stream.clone() });
        }
        let expires_at = now.after(ttl);
        found.head.epoch += 1;
        found.lease = Some((holder.to_owned(), expires_at));
        Ok(Lease { stream: stream.clone(), epoch: found.head.epoch, expires_at })
    }

    fn stream(&self, stream: &StreamId) -> Option<&MemoryStream> {
        self.streams.get(self.keys.get(stream)?)
    }
}

impl StreamHeads for MemoryState {
    type Error = JournalError;

    fn position(&mut self, stream: &StreamId) -> Result<Option<StreamPosition>, JournalError> {
        Ok(self.stream(stream).map(|found| StreamPosition { version: found.head.version, epoch: found.head.epoch }))
    }

    fn is_claimed(&mut self, claim: &Claim) -> Result<bool, JournalError> {
        Ok(self.claims.find(&claim.principal, &claim.key).is_some())
    }
}

impl MemoryStream {
    /// Event numbers have no gaps, so an event's index follows from its number.
    fn events_after(&self, after: u64) -> &[Arc<StoredEvent>] {
        let skip = usize::try_from(after).unwrap_or(usize::MAX).min(self.events.len());
        &self.events[skip..]
    }
}

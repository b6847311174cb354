//! The writer's caches of streams and principals, so that most appends need no reads.

use crate::check::StreamPosition;
use baton_ports::StreamHeadUpdate;
use baton_types::{Principal, StreamId, Timestamp};
use foldhash::HashMap;
use std::sync::Arc;

/// Maximum number of cached principals.
const MAX_PRINCIPALS: usize = 1_024;

/// Cached key and position of a stream.
#[derive(Clone)]
pub(super) struct CachedHead {
    pub(super) key: i64,
    pub(super) position: StreamPosition,
    /// The stored summary, if this writer wrote it.
    pub(super) summary: Option<StreamHeadUpdate>,
}

/// The head of a stream after the group; a task that starts and ends in one group is written once.
pub(super) struct PendingHead {
    pub(super) key: i64,
    pub(super) position: StreamPosition,
    pub(super) head: StreamHeadUpdate,
    pub(super) stored: StoredHead,
}

/// The stored state of a stream before the group.
pub(super) enum StoredHead {
    /// The stream is new.
    New {
        /// Key of the owner.
        owner: i64,
        /// Creation time of the stream.
        created_at: Timestamp,
    },
    /// The stream exists with this summary, or with an unknown one.
    Existing(Option<StreamHeadUpdate>),
}

/// Recently used streams: two generations; the older one is dropped when the younger one is full.
pub(super) struct HeadCache {
    young: HashMap<StreamId, CachedHead>,
    old: HashMap<StreamId, CachedHead>,
    generation: usize,
}

impl HeadCache {
    pub(super) fn new(capacity: usize) -> Self {
        Self { young: HashMap::default(), old: HashMap::default(), generation: (capacity / 2).max(1) }
    }

    pub(super) fn get(&self, stream: &StreamId) -> Option<&CachedHead> {
        self.young.get(stream).or_else(|| self.old.get(stream))
    }

    pub(super) fn put(&mut self, stream: StreamId, head: CachedHead) {
        if self.young.len() >= self.generation && !self.young.contains_key(&stream) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(stream, head);
    }

    pub(super) fn remove(&mut self, stream: &StreamId) {
        self.young.remove(stream);
        self.old.remove(stream);
    }

    pub(super) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }
}

/// Keys of recently used principals.
#[derive(Default)]
pub(super) struct PrincipalCache {
    keys: HashMap<(Arc<str>, Arc<str>), i64>,
}

impl PrincipalCache {
    pub(super) fn get(&self, principal: &Principal) -> Option<i64> {
        self.keys.get(&(principal.tenant.clone(), principal.subject.clone())).copied()
    }

    pub(super) fn put(&mut self, principal: &Principal, key: i64) {
        if self.keys.len() >= MAX_PRINCIPALS {
            self.keys.clear();
        }
        self.keys.insert((principal.tenant.clone(), principal.subject.clone()), key);
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
    }
}

//! Commits on threads of the runtime that are about to sleep.
//!
//! Such a thread has run all tasks that were ready, so their commits are queued. It commits them itself: no thread is woken
//! for the commit, and the tasks that wait for it continue on the same thread.

use super::writer::WriterSharedState;
use parking_lot::RwLock;
use std::sync::{
    Arc, Weak,
    atomic::{AtomicBool, Ordering},
};

/// Groups that one thread commits before it sleeps; the writer thread takes the rest.
const MAX_GROUPS: usize = 4;

static IDLE_COMMITS: AtomicBool = AtomicBool::new(false);
static JOURNALS: RwLock<Vec<Weak<WriterSharedState>>> = RwLock::new(Vec::new());

/// Lets idle threads commit for the journals that are opened from now on. The runtime must call [`commit_when_idle`]
/// before each of its threads sleeps.
pub fn enable_idle_commits() {
    IDLE_COMMITS.store(true, Ordering::Release);
}

/// Commits what is queued, unless another thread does.
pub fn commit_when_idle() {
    for journal in &*JOURNALS.read() {
        if let Some(journal) = journal.upgrade() {
            journal.commit_queued(MAX_GROUPS);
        }
    }
}

pub(super) fn are_enabled() -> bool {
    IDLE_COMMITS.load(Ordering::Acquire)
}

pub(super) fn register(journal: &Arc<WriterSharedState>) {
    let mut journals = JOURNALS.write();
    journals.retain(|known| known.strong_count() > 0);
    journals.push(Arc::downgrade(journal));
}

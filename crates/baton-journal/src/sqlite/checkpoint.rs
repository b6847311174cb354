//! The checkpointer thread: copies pages of the WAL to the database while the writer commits.

use super::open::open_checkpointer;
use parking_lot::{Condvar, Mutex};
use std::{
    io,
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

/// Handle of the thread; dropping it ends the thread.
pub(super) struct Checkpointer {
    state: Arc<CheckpointState>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct CheckpointState {
    phase: Mutex<CheckpointPhase>,
    changed: Condvar,
}

/// Progress of a checkpoint.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum CheckpointPhase {
    #[default]
    Idle,
    Requested,
    /// All pages that were in the WAL when the copy began are in the database.
    Copied,
    Stopped,
}

impl Checkpointer {
    pub(super) fn start(file: &Path) -> io::Result<Self> {
        let state = Arc::new(CheckpointState::default());
        let (working, file) = (Arc::clone(&state), file.to_owned());
        let thread = thread::Builder::new().name("journal-checkpointer".to_owned());
        let thread = thread.spawn(move || working.run(&file))?;
        Ok(Self { state, thread: Some(thread) })
    }

    /// Starts a copy, unless one is in progress.
    pub(super) fn request(&self) {
        let mut phase = self.state.phase.lock();
        if *phase == CheckpointPhase::Idle {
            *phase = CheckpointPhase::Requested;
            self.state.changed.notify_all();
        }
    }

    /// Whether a copy has ended since the last call.
    pub(super) fn take_copied(&self) -> bool {
        let mut phase = self.state.phase.lock();
        let is_copied = *phase == CheckpointPhase::Copied;
        if is_copied {
            *phase = CheckpointPhase::Idle;
        }
        is_copied
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        *self.state.phase.lock() = CheckpointPhase::Stopped;
        self.state.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl CheckpointState {
    fn run(&self, file: &Path) {
        let mut connection = None;
        while self.wait_for_request() {
            // Opened for the first checkpoint: many processes never reach one.
            let copied = match &connection {
                Some(connection) => copy_pages(connection),
                None => open_checkpointer(file).and_then(|opened| copy_pages(connection.insert(opened))),
            };
            if let Err(error) = copied {
                tracing::warn!(%error, "a checkpoint failed; the log grows until one succeeds");
            }
            // After a failure, too: the writer then tries by itself.
            let mut phase = self.phase.lock();
            if *phase == CheckpointPhase::Requested {
                *phase = CheckpointPhase::Copied;
            }
        }
    }

    /// False once the thread must end.
    fn wait_for_request(&self) -> bool {
        let mut phase = self.phase.lock();
        loop {
            match *phase {
                CheckpointPhase::Requested => return true,
                CheckpointPhase::Stopped => return false,
                CheckpointPhase::Idle | CheckpointPhase::Copied => self.changed.wait(&mut phase),
            }
        }
    }
}

fn copy_pages(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

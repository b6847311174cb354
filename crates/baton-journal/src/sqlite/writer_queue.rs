//! The queue of the writer, which the writer thread and idle threads of the runtime take from.

use super::{
    error::closed_error,
    job::WriterJob,
    queue::{JobQueue, PushError, Wait},
};
use baton_ports::JournalError;
use parking_lot::{Condvar, Mutex};
use std::time::Duration;

/// Interval at which the writer thread looks for jobs that no idle thread has taken.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// Looks without a new job until the writer thread sleeps.
const MAX_QUIET_ROUNDS: u32 = 100;

/// With that many jobs, the writer thread is woken: the threads of the runtime are busy.
const MAX_IDLE_JOBS: usize = 32;

/// Which threads commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Committers {
    /// The writer thread only.
    WriterThread,
    /// Threads of the runtime that are about to sleep; the writer thread takes what they leave.
    IdleThreads,
}

/// Queue of jobs, and the turn of the writer thread.
pub(super) struct WriterQueue {
    jobs: JobQueue<WriterJob>,
    turn: Mutex<Turn>,
    changed: Condvar,
    committers: Committers,
}

#[derive(Default)]
struct Turn {
    /// The writer thread sleeps until it is woken.
    is_sleeping: bool,
    /// Something other than a job is to be done by the writer thread.
    is_requested: bool,
    pushes: u64,
    takes: u64,
}

impl WriterQueue {
    pub(super) fn new(jobs: JobQueue<WriterJob>, committers: Committers) -> Self {
        Self { jobs, turn: Mutex::default(), changed: Condvar::new(), committers }
    }

    /// Queues a job; a full or closed queue fails it.
    pub(super) fn push(&self, job: WriterJob) {
        let bytes = job.bytes();
        let pushed = match self.committers {
            Committers::WriterThread => self.jobs.push(job, bytes).map(|()| 0),
            Committers::IdleThreads => self.jobs.push_quietly(job, bytes),
        };
        match pushed {
            Ok(queued) => self.count_push(queued),
            Err(PushError::Full(job)) => job.fail(JournalError::Busy),
            Err(PushError::Closed(job)) => job.fail(closed_error()),
        }
    }

    fn count_push(&self, queued: usize) {
        if self.committers == Committers::WriterThread {
            return;
        }
        let mut turn = self.turn.lock();
        turn.pushes += 1;
        if turn.is_sleeping || queued == MAX_IDLE_JOBS {
            drop(turn);
            self.changed.notify_one();
        }
    }

    /// Moves the queued jobs to `batch`, up to the limits, without waiting.
    pub(super) fn take(&self, batch: &mut Vec<WriterJob>, max_items: usize, max_bytes: usize) {
        if self.jobs.take(batch, max_items, max_bytes, Wait::No) && !batch.is_empty() {
            self.turn.lock().takes += 1;
        }
    }

    /// Waits until the writer thread has something to do; false if the queue is closed and empty.
    pub(super) fn wait_for_turn(&self, wait: Wait) -> bool {
        if self.committers == Committers::WriterThread {
            return self.jobs.wait(wait);
        }
        let mut turn = self.turn.lock();
        let (mut pushes, mut takes, mut quiet_rounds) = (turn.pushes, None, 0);
        loop {
            let (queued, is_closed) = self.jobs.status();
            if queued == 0 && is_closed {
                return false;
            }
            // Jobs that were there at the previous look, and that nobody has taken since.
            let are_left = queued > 0 && takes == Some(turn.takes);
            if wait == Wait::No
                || is_closed
                || are_left
                || queued >= MAX_IDLE_JOBS
                || std::mem::take(&mut turn.is_requested)
            {
                return true;
            }
            takes = (queued > 0).then_some(turn.takes);
            quiet_rounds = if queued == 0 && turn.pushes == pushes { quiet_rounds + 1 } else { 0 };
            pushes = turn.pushes;
            if quiet_rounds >= MAX_QUIET_ROUNDS {
                turn.is_sleeping = true;
                self.changed.wait(&mut turn);
                turn.is_sleeping = false;
                quiet_rounds = 0;
            } else {
                self.changed.wait_for(&mut turn, LOOK_INTERVAL);
            }
        }
    }

    /// Gives the writer thread a turn.
    pub(super) fn request_turn(&self) {
        match self.committers {
            Committers::WriterThread => self.jobs.wake(),
            Committers::IdleThreads => {
                self.turn.lock().is_requested = true;
                self.changed.notify_one();
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Rejects new jobs; queued ones are still committed.
    pub(super) fn close(&self) {
        self.jobs.close();
        drop(self.turn.lock());
        self.changed.notify_all();
    }

    /// Rejects new jobs and returns the queued ones.
    pub(super) fn abandon(&self) -> Vec<WriterJob> {
        let jobs = self.jobs.abandon();
        drop(self.turn.lock());
        self.changed.notify_all();
        jobs
    }
}

//! Reader threads, each with a read-only connection.

use super::{
    error::closed_error,
    open::open_reader,
    queue::{JobQueue, PushError, Wait},
};
use baton_ports::{BoxFuture, JournalError};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::{
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};
use tokio::sync::oneshot;

/// Maximum number of queued reads; beyond it, reads fail with `Busy`.
const MAX_QUEUED_READS: usize = 4_096;

type ReadJob = Box<dyn FnOnce(Result<&Connection, JournalError>) + Send>;

pub(super) struct Readers {
    queue: Arc<JobQueue<ReadJob>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Readers {
    pub(super) fn start(file: &Path, count: usize) -> std::io::Result<Self> {
        let queue = Arc::new(JobQueue::new(MAX_QUEUED_READS, usize::MAX));
        let readers = Self { queue: queue.clone(), threads: Mutex::new(Vec::new()) };
        for _ in 0..count.max(1) {
            let (queue, file) = (queue.clone(), file.to_owned());
            let thread = thread::Builder::new().name("journal-reader".to_owned());
            readers.threads.lock().push(thread.spawn(move || serve(&queue, &file))?);
        }
        Ok(readers)
    }

    /// Runs `read` on a free connection. It sees every commit whose receipt resolved before this call.
    pub(super) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, JournalError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, JournalError>> {
        let (answer, value) = oneshot::channel();
        let job: ReadJob = Box::new(move |connection| drop(answer.send(connection.and_then(read))));
        match self.queue.push(job, 0) {
            Ok(()) => {}
            Err(PushError::Full(job)) => job(Err(JournalError::Busy)),
            Err(PushError::Closed(job)) => job(Err(closed_error())),
        }
        Box::pin(async move { value.await.unwrap_or_else(|_| Err(closed_error())) })
    }

    /// Processes the queued reads and ends the threads.
    pub(super) fn stop(&self) {
        self.queue.close();
        for thread in self.threads.lock().drain(..) {
            drop(thread.join());
        }
    }
}

fn serve(queue: &JobQueue<ReadJob>, file: &Path) {
    let mut connection = open_reader(file);
    let mut batch = Vec::with_capacity(1);
    while queue.take(&mut batch, 1, usize::MAX, Wait::Yes) {
        if connection.is_err() {
            connection = open_reader(file);
        }
        for read in batch.drain(..) {
            read(connection.as_ref().map_err(Clone::clone));
        }
    }
}

//! Reader threads, each with a read-only connection.

use super::{
    error::stopped,
    open::open_reader,
    queue::{NotQueued, Queue, Wait},
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
const MAX_WAITING: usize = 4_096;

type Read = Box<dyn FnOnce(Result<&Connection, JournalError>) + Send>;

pub(super) struct Readers {
    queue: Arc<Queue<Read>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Readers {
    pub(super) fn start(file: &Path, count: usize) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::new(MAX_WAITING, usize::MAX));
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
        let job: Read = Box::new(move |connection| drop(answer.send(connection.and_then(read))));
        match self.queue.push(job, 0) {
            Ok(()) => {}
            Err(NotQueued::Full(job)) => job(Err(JournalError::Busy)),
            Err(NotQueued::Closed(job)) => job(Err(stopped())),
        }
        Box::pin(async move { value.await.unwrap_or_else(|_| Err(stopped())) })
    }

    /// Processes the queued reads and ends the threads.
    pub(super) fn stop(&self) {
        self.queue.close();
        for thread in self.threads.lock().drain(..) {
            drop(thread.join());
        }
    }
}

fn serve(queue: &Queue<Read>, file: &Path) {
    let mut connection = open_reader(file);
    let mut taken = Vec::with_capacity(1);
    while queue.take(&mut taken, 1, usize::MAX, Wait::Yes) {
        if connection.is_err() {
            connection = open_reader(file);
        }
        for read in taken.drain(..) {
            read(connection.as_ref().map_err(Clone::clone));
        }
    }
}

//! The audit log: one JSON line for each denied request and each administrative change.

mod lines;
mod rotating_file;

use baton_ports::{AccessDenial, AdminChange, AuditLog};
use lines::AuditWriter;
use rotating_file::RotatingFile;
use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

/// Capacity of the queue; further records are dropped and counted, because requests must not wait for the disk.
const QUEUE_CAPACITY: usize = 4096;

/// Writes the audit log to `audit.jsonl` in a directory, readable by its owner only.
///
/// At 10 MB the file is rotated to `audit.1.jsonl`; three rotated files are kept. Dropping this value writes the queued
/// records.
#[derive(Debug)]
pub struct AuditFile {
    queue: Option<AuditQueue>,
    writer: Option<JoinHandle<()>>,
}

impl AuditFile {
    /// Opens the log in `directory` and starts its writer thread.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let mut lines = AuditWriter::new(RotatingFile::open(directory)?);
        let (queue, queued) = AuditQueue::new(QUEUE_CAPACITY);
        let dropped = Arc::clone(&queue.dropped);
        let write = move || write_all(&mut lines, &queued, &dropped);
        let writer = thread::Builder::new().name("audit".to_owned()).spawn(write)?;
        Ok(Self { queue: Some(queue), writer: Some(writer) })
    }
}

impl AuditLog for AuditFile {
    fn record_denial(&self, denial: AccessDenial) {
        if let Some(queue) = &self.queue {
            queue.put(AuditEntry::Denied(Box::new(denial)));
        }
    }

    fn record_change(&self, change: AdminChange) {
        if let Some(queue) = &self.queue {
            queue.put(AuditEntry::Changed(Box::new(change)));
        }
    }
}

impl Drop for AuditFile {
    fn drop(&mut self) {
        // Dropping the sender closes the queue and ends the thread.
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// A queued record.
#[derive(Debug)]
enum AuditEntry {
    Denied(Box<AccessDenial>),
    Changed(Box<AdminChange>),
}

#[derive(Debug)]
struct AuditQueue {
    sender: SyncSender<AuditEntry>,
    dropped: Arc<AtomicU64>,
}

impl AuditQueue {
    fn new(bound: usize) -> (Self, Receiver<AuditEntry>) {
        let (sender, receiver) = sync_channel(bound);
        (Self { sender, dropped: Arc::default() }, receiver)
    }

    fn put(&self, entry: AuditEntry) {
        if self.sender.try_send(entry).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes until the queue is closed. Records with write errors are counted as dropped.
fn write_all(lines: &mut AuditWriter, queued: &Receiver<AuditEntry>, dropped: &AtomicU64) {
    while let Ok(entry) = queued.recv() {
        let (at, written) = match &entry {
            AuditEntry::Denied(denial) => (denial.at, lines.write_denial(denial)),
            AuditEntry::Changed(change) => (change.at, lines.write_change(change)),
        };
        if written.is_err() {
            dropped.fetch_add(1, Ordering::Relaxed);
        }
        let count = dropped.swap(0, Ordering::Relaxed);
        if count > 0 && lines.write_gap(at, count).is_err() {
            dropped.fetch_add(count, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_types::{ErrorCode, Timestamp};

    #[test]
    fn entries_beyond_the_queue_limit_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let mut lines = AuditWriter::new(RotatingFile::open(directory.path()).unwrap());
        let (queue, queued) = AuditQueue::new(2);
        for number in 0..5 {
            queue.put(AuditEntry::Denied(Box::new(AccessDenial {
                at: Timestamp::from_millis(number),
                code: ErrorCode::UNAUTHENTICATED,
                reason: "why".to_owned(),
                method: "GET".to_owned(),
                path: "/".to_owned(),
                remote: None,
                principal: None,
                credential: None,
            })));
        }
        let dropped = Arc::clone(&queue.dropped);
        drop(queue);
        write_all(&mut lines, &queued, &dropped);
        let written = std::fs::read_to_string(directory.path().join("audit.jsonl")).unwrap();
        let counts: Vec<bool> = written.lines().map(|line| line.contains("\"dropped\":3")).collect();
        assert_eq!(counts, [false, true, false], "{written}");
    }
}

//! The last lines that a server wrote beside the protocol.

use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc};

const MAX_LINES: usize = 100;
const MAX_LINE: usize = 500;

/// A ring of the last 100 lines of one server, each cut after 500 characters; clones share it.
#[derive(Clone, Debug, Default)]
pub struct ServerLog(Arc<Mutex<Ring>>);

#[derive(Debug, Default)]
struct Ring {
    lines: VecDeque<String>,
    fault: Option<String>,
}

impl ServerLog {
    /// Keeps one line; the oldest gives way.
    pub fn line(&self, text: &str) {
        let text = text.trim_end();
        let mut line: String = text.chars().filter(|c| !c.is_control() || *c == '\t').take(MAX_LINE).collect();
        if line.len() < text.len() && text.chars().nth(MAX_LINE).is_some() {
            line.push('…');
        }
        let mut ring = self.0.lock();
        if ring.lines.len() >= MAX_LINES {
            ring.lines.pop_front();
        }
        ring.lines.push_back(line);
    }

    /// Says why the transport itself ended the connection; the first reason counts.
    pub fn fault(&self, reason: impl Into<String>) {
        self.0.lock().fault.get_or_insert_with(|| reason.into());
    }

    /// Takes the reason that [`ServerLog::fault`] left.
    pub(crate) fn take_fault(&self) -> Option<String> {
        self.0.lock().fault.take()
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().lines.iter().cloned().collect()
    }
}

//! The last lines that a server wrote beside the protocol.

use baton_outbound::Shown;
use parking_lot::Mutex;
use std::{borrow::Cow, collections::VecDeque, sync::Arc};

const MAX_LINES: usize = 100;
const MAX_LINE: usize = 500;

/// A ring of the last 100 lines of one server, each cut after 500 characters, without the secrets that the server was
/// given; clones share it.
#[derive(Clone, Debug, Default)]
pub struct ServerLog(Arc<Mutex<Ring>>);

#[derive(Debug, Default)]
struct Ring {
    lines: VecDeque<String>,
    fault: Option<String>,
    hidden: Arc<Vec<Shown>>,
}

impl ServerLog {
    /// Keeps one line; the oldest gives way.
    pub fn line(&self, text: &str) {
        let text = self.hide(text.trim_end());
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
        let reason = self.hide(&reason.into()).into_owned();
        self.0.lock().fault.get_or_insert(reason);
    }

    /// Takes the reason that [`ServerLog::fault`] left.
    pub(crate) fn take_fault(&self) -> Option<String> {
        self.0.lock().fault.take()
    }

    /// From now on hides these values, and no others.
    pub(crate) fn conceal(&self, secrets: Shown) {
        self.0.lock().hidden = Arc::new(vec![secrets]);
    }

    /// From now on hides these values as well.
    pub(crate) fn conceal_also(&self, secrets: Shown) {
        let mut ring = self.0.lock();
        if !secrets.is_empty() && !ring.hidden.contains(&secrets) {
            ring.hidden = Arc::new([&ring.hidden[..], &[secrets]].concat());
        }
    }

    /// Whether anything is hidden.
    pub(crate) fn has_secrets(&self) -> bool {
        self.0.lock().hidden.iter().any(|secrets| !secrets.is_empty())
    }

    /// A text of the server without the secrets that it was given.
    pub(crate) fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let secrets = Arc::clone(&self.0.lock().hidden);
        secrets.iter().fold(Cow::Borrowed(text), |text, secrets| {
            let hidden = match secrets.hide(&text) {
                Cow::Owned(hidden) => Some(hidden),
                Cow::Borrowed(_) => None,
            };
            hidden.map_or(text, Cow::Owned)
        })
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().lines.iter().cloned().collect()
    }
}

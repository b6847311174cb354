//! The last lines of server output outside of the protocol.

use baton_outbound::SecretRedactor;
use parking_lot::Mutex;
use std::{borrow::Cow, collections::VecDeque, sync::Arc};

const MAX_LINES: usize = 100;
const MAX_LINE: usize = 500;

/// Ring buffer of the last 100 lines of one server, each truncated to 500 characters, with the secrets given to the
/// server redacted. Clones share the buffer.
#[derive(Clone, Debug, Default)]
pub struct ServerLog(Arc<Mutex<LogBuffer>>);

#[derive(Debug, Default)]
struct LogBuffer {
    lines: VecDeque<String>,
    fault: Option<String>,
    secrets: Arc<Vec<SecretRedactor>>,
}

impl ServerLog {
    /// Appends one line; evicts the oldest when full.
    pub fn push_line(&self, text: &str) {
        let text = self.redact(text.trim_end());
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

    /// Records the reason for which the transport ended the connection; the first reason is kept.
    pub fn record_fault(&self, reason: impl Into<String>) {
        let reason = self.redact(&reason.into()).into_owned();
        self.0.lock().fault.get_or_insert(reason);
    }

    /// Takes the reason recorded by [`ServerLog::fault`].
    pub(crate) fn take_fault(&self) -> Option<String> {
        self.0.lock().fault.take()
    }

    /// Replaces the set of redacted values.
    pub(crate) fn set_secrets(&self, secrets: SecretRedactor) {
        self.0.lock().secrets = Arc::new(vec![secrets]);
    }

    /// Adds values to redact.
    pub(crate) fn add_secrets(&self, secrets: SecretRedactor) {
        let mut ring = self.0.lock();
        if !secrets.is_empty() && !ring.secrets.contains(&secrets) {
            ring.secrets = Arc::new([&ring.secrets[..], &[secrets]].concat());
        }
    }

    /// Whether any value is redacted.
    pub(crate) fn has_secrets(&self) -> bool {
        self.0.lock().secrets.iter().any(|secrets| !secrets.is_empty())
    }

    /// Redacts the secrets in a text of the server.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let secrets = Arc::clone(&self.0.lock().secrets);
        secrets.iter().fold(Cow::Borrowed(text), |text, secrets| {
            let hidden = match secrets.redact(&text) {
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

//! Audit records as JSON lines.

use super::rotating_file::RotatingFile;
use baton_ports::{AccessDenial, AdminChange};
use baton_types::Timestamp;
use serde::Serialize;
use std::{io, net::IpAddr};

/// Maximum length of a text in a record, in bytes; callers control some of them.
const MAX_TEXT_BYTES: usize = 1024;

#[derive(Serialize)]
struct DenialRecord<'a> {
    at: String,
    code: &'a str,
    reason: &'a str,
    method: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<&'a str>,
}

#[derive(Serialize)]
struct ChangeRecord<'a> {
    at: String,
    change: &'a str,
    method: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<IpAddr>,
    tenant: &'a str,
    subject: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<&'a str>,
}

#[derive(Serialize)]
struct GapRecord {
    at: String,
    dropped: u64,
}

/// Writes one record per line.
pub(super) struct AuditWriter {
    file: RotatingFile,
}

impl AuditWriter {
    pub(super) fn new(file: RotatingFile) -> Self {
        Self { file }
    }

    /// Records a denied request.
    pub(super) fn write_denial(&mut self, denial: &AccessDenial) -> io::Result<()> {
        let principal = denial.principal.as_deref();
        self.write(&DenialRecord {
            at: denial.at.to_string(),
            code: denial.code.code,
            reason: clip(&denial.reason),
            method: clip(&denial.method),
            path: clip(&denial.path),
            remote: denial.remote,
            tenant: principal.map(|principal| clip(&principal.tenant)),
            subject: principal.map(|principal| clip(&principal.subject)),
            credential: denial.credential.as_deref().map(clip),
        })
    }

    /// Records an administrative change.
    pub(super) fn write_change(&mut self, change: &AdminChange) -> io::Result<()> {
        self.write(&ChangeRecord {
            at: change.at.to_string(),
            change: clip(&change.change),
            method: clip(&change.method),
            path: clip(&change.path),
            remote: change.remote,
            tenant: clip(&change.principal.tenant),
            subject: clip(&change.principal.subject),
            credential: change.credential.as_deref().map(clip),
        })
    }

    /// Records the number of dropped records.
    pub(super) fn write_gap(&mut self, at: Timestamp, count: u64) -> io::Result<()> {
        self.write(&GapRecord { at: at.to_string(), dropped: count })
    }

    fn write(&mut self, record: &impl Serialize) -> io::Result<()> {
        self.file.write_line(&serde_json::to_string(record)?)
    }
}

fn clip(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

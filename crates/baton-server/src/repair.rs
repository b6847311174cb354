//! Repairs a data directory that no server owns. Only temporary files that a crash left are deleted.

use crate::{ServerError, telemetry::SPAN_FOLDER};
use baton_journal::{DirectoryLock, JournalRepair};
use baton_local::{Correction, prepare_data_directory};
use baton_ports::JournalError;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Younger drafts may belong to a running command.
const MIN_DRAFT_AGE: Duration = Duration::from_secs(60);
/// Folders with drafts, below the data directory.
const DRAFT_FOLDERS: [&str; 4] = ["", "keys", "mcp-oauth", "mcp-sessions"];

/// One check or change of a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairStep {
    /// Subject: data, drafts, journal or spans.
    pub about: &'static str,
    /// Result, as a sentence.
    pub message: String,
    /// Whether something was changed.
    pub changed: bool,
}

impl RepairStep {
    fn checked(about: &'static str, message: impl Into<String>) -> Self {
        Self { about, message: message.into(), changed: false }
    }

    fn changed(about: &'static str, message: impl Into<String>) -> Self {
        Self { about, message: message.into(), changed: true }
    }
}

/// Names of damaged span files that were set aside.
pub fn damaged_span_files(data: &Path) -> Vec<String> {
    baton_spans::damaged_files(&data.join(SPAN_FOLDER))
}

/// Repairs the directory and returns the steps. Fails while a server owns the directory.
pub fn repair_directory(data: &Path) -> Result<Vec<RepairStep>, ServerError> {
    if !data.is_dir() {
        return Ok(vec![RepairStep::checked("data", format!("{} does not exist; nothing to do", data.display()))]);
    }
    let mut steps = directory(data)?;
    let lock = DirectoryLock::acquire(data).map_err(|error| ServerError::from_journal(error, data))?;
    steps.extend(drafts(data)?);
    steps.extend(match baton_journal::repair(&lock) {
        Ok(done) => journal(&done),
        // The following check reports how to proceed.
        Err(JournalError::Lost(_)) => vec![RepairStep::checked("journal", "no journal to check")],
        Err(error @ (JournalError::Corrupt(_) | JournalError::NewerSchema { .. })) => {
            vec![RepairStep::checked("journal", format!("{error}; nothing was changed"))]
        }
        Err(error) => return Err(ServerError::from_journal(error, data)),
    });
    steps.extend(spans(data)?);
    Ok(steps)
}

fn directory(data: &Path) -> Result<Vec<RepairStep>, ServerError> {
    let corrections = prepare_data_directory(data).map_err(ServerError::DataDirectory)?;
    let steps: Vec<RepairStep> = corrections
        .into_iter()
        .map(|correction| match correction {
            Correction::Tightened { path, mode } => {
                RepairStep::changed("data", format!("restricted {} to its owner (mode was {mode:04o})", path.display()))
            }
            Correction::Ignored(path) => {
                RepairStep::changed("data", format!("wrote {} to keep the data out of version control", path.display()))
            }
        })
        .collect();
    Ok(match steps.is_empty() {
        true => vec![RepairStep::checked("data", "accessible only to its owner, and excluded from version control")],
        false => steps,
    })
}

/// Removes temporary files that a crash left before they were renamed.
fn drafts(data: &Path) -> Result<Vec<RepairStep>, ServerError> {
    let mut steps = Vec::new();
    for folder in DRAFT_FOLDERS.map(|name| data.join(name)).iter().filter(|folder| folder.is_dir()) {
        for path in drafts_in(folder).map_err(|error| unwritable(folder, &error))? {
            fs::remove_file(&path).map_err(|error| unwritable(&path, &error))?;
            steps
                .push(RepairStep::changed("drafts", format!("removed {}, left unfinished by a crash", path.display())));
        }
    }
    if steps.is_empty() {
        steps.push(RepairStep::checked("drafts", "no unfinished files"));
    }
    Ok(steps)
}

fn drafts_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut drafts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_draft = name.starts_with('.') && name.ends_with(".new") || name.starts_with(".doctor-");
        let metadata = entry.metadata()?;
        let is_old = metadata.modified()?.elapsed().is_ok_and(|age| age >= MIN_DRAFT_AGE);
        if is_draft && metadata.is_file() && is_old {
            drafts.push(entry.path());
        }
    }
    drafts.sort();
    Ok(drafts)
}

fn journal(done: &JournalRepair) -> Vec<RepairStep> {
    if !done.faults.is_empty() {
        let first = done.faults.first().map(String::as_str).unwrap_or_default();
        let message = format!("journal.db is damaged ({first}); it was not changed: restore it from a backup");
        return vec![RepairStep::checked("journal", message)];
    }
    let mut steps: Vec<RepairStep> = done
        .quarantined
        .iter()
        .map(|one| {
            let message =
                format!("moved {} to the table quarantine of journal.db, with all its bytes: {}", one.name, one.reason);
            RepairStep::changed("journal", message)
        })
        .collect();
    let (streams, events) = (done.streams, done.events);
    steps.push(RepairStep::checked(
        "journal",
        format!("checked {streams} record{} with {events} events", if streams == 1 { "" } else { "s" }),
    ));
    steps
}

fn spans(data: &Path) -> Result<Vec<RepairStep>, ServerError> {
    let aside = baton_spans::quarantine_damaged_blocks(&data.join(SPAN_FOLDER)).map_err(ServerError::Spans)?;
    let mut steps: Vec<RepairStep> = aside
        .iter()
        .map(|path| RepairStep::changed("spans", format!("set a damaged block aside: {}", path.display())))
        .collect();
    if steps.is_empty() {
        steps.push(RepairStep::checked("spans", "every block can be read"));
    }
    Ok(steps)
}

fn unwritable(path: &Path, error: &io::Error) -> ServerError {
    ServerError::Storage(format!("{}: {error}", path.display()))
}

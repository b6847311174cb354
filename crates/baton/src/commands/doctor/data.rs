//! Checks the data directory.

use super::check::CheckResult;
use crate::commands::trace::formatting::bytes;
use baton_local::{exposed_paths, lacks_gitignore};
use baton_server::fresh_id;
use serde_json::json;
use std::{fs, path::Path};

const NAME: &str = "data";
/// Free space below which a note is shown.
const LOW_SPACE_BYTES: u64 = 1 << 30;
/// Free space below which nothing can be stored.
const MIN_SPACE_BYTES: u64 = 16 << 20;

/// Checks that the directory exists, is writable and has free space.
pub(super) fn check(data: &Path) -> CheckResult {
    let shown = data.display();
    if !data.exists() {
        return CheckResult::note(
            NAME,
            format!("{shown} does not exist yet"),
            "`baton up` creates it. Use --data to choose another directory.",
        );
    }
    if !data.is_dir() {
        return CheckResult::failed(
            NAME,
            format!("{shown} is not a directory"),
            "Choose a directory with --data or BATON_DATA.",
        );
    }
    let probe = data.join(format!(".doctor-{}", fresh_id()));
    if let Err(error) = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe)) {
        let next = "Give the user that runs Baton write permission, or choose another directory with --data.";
        return CheckResult::failed(NAME, format!("{shown} is not writable: {error}"), next);
    }
    if let Some(check) = check_privacy(data) {
        return check;
    }
    let free = free(data);
    let facts = json!({ "directory": shown.to_string(), "free_bytes": free });
    let check = match free {
        None => CheckResult::passed(NAME, format!("{shown} is writable")),
        Some(free) if free < MIN_SPACE_BYTES => {
            let message = format!("{shown} has only {} left", bytes(free));
            CheckResult::failed(NAME, message, "Free disk space. Baton then resumes automatically.")
        }
        Some(free) if free < LOW_SPACE_BYTES => {
            let message = format!("{shown} is writable; only {} left", bytes(free));
            CheckResult::note(NAME, message, "Free disk space, or reduce telemetry.retention in baton.yaml.")
        }
        Some(free) => CheckResult::passed(NAME, format!("{shown} is writable, {} free", bytes(free))),
    };
    check.with_data(facts)
}

/// Note if other users have access, or if version control could pick up the files. The next start corrects both.
fn check_privacy(data: &Path) -> Option<CheckResult> {
    let next = "The next start fixes this. To fix it now, run `baton doctor --repair`.";
    if let Some(exposed) = exposed_paths(data).first() {
        let message = format!("other users can access {} (mode {:04o})", exposed.path.display(), exposed.mode);
        return Some(CheckResult::note(NAME, message, next));
    }
    let message = || format!("{} has no .gitignore: its files could be committed to version control", data.display());
    lacks_gitignore(data).then(|| CheckResult::note(NAME, message(), next))
}

/// Free space for this user; `None` if the file system does not report it.
#[cfg(unix)]
fn free(data: &Path) -> Option<u64> {
    let seen = rustix::fs::statvfs(data).ok()?;
    seen.f_bavail.checked_mul(seen.f_frsize)
}

#[cfg(not(unix))]
fn free(_data: &Path) -> Option<u64> {
    None
}

//! The data directory.

use super::check::Check;
use crate::{commands::trace::words::bytes, wiring::fresh_id};
use baton_local::{exposed_paths, lacks_gitignore};
use serde_json::json;
use std::{fs, path::Path};

const NAME: &str = "data";
/// Less room than this is worth a remark.
const LITTLE: u64 = 1 << 30;
/// With less than this nothing can be kept.
const NOTHING: u64 = 16 << 20;

/// Whether it is there, can be written, and has room.
pub(super) fn check(data: &Path) -> Check {
    let shown = data.display();
    if !data.exists() {
        return Check::remark(
            NAME,
            format!("{shown} does not exist yet"),
            "`baton up` makes it; --data names another one.",
        );
    }
    if !data.is_dir() {
        return Check::bad(NAME, format!("{shown} is no directory"), "Name a directory with --data or BATON_DATA.");
    }
    let probe = data.join(format!(".doctor-{}", fresh_id()));
    if let Err(error) = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe)) {
        let next = "Let the user that runs Baton write it, or name another directory with --data.";
        return Check::bad(NAME, format!("{shown} cannot be written: {error}"), next);
    }
    if let Some(check) = privacy(data) {
        return check;
    }
    let free = free(data);
    let facts = json!({ "directory": shown.to_string(), "free_bytes": free });
    let check = match free {
        None => Check::good(NAME, format!("{shown} can be written")),
        Some(free) if free < NOTHING => {
            let message = format!("{shown} has only {} left", bytes(free));
            Check::bad(NAME, message, "Free disk space; Baton goes on by itself when there is room.")
        }
        Some(free) if free < LITTLE => {
            let message = format!("{shown} can be written; only {} left", bytes(free));
            Check::remark(NAME, message, "Free disk space, or let spans go earlier: telemetry.retention in baton.yaml.")
        }
        Some(free) => Check::good(NAME, format!("{shown} can be written, {} free", bytes(free))),
    };
    check.with(facts)
}

/// Whether others can use it, or version control would take it in; a remark, since the next start corrects it.
fn privacy(data: &Path) -> Option<Check> {
    let next = "The next start corrects it, and so does `baton doctor --repair`.";
    if let Some(exposed) = exposed_paths(data).first() {
        let message = format!("others can use {} (mode {:04o})", exposed.path.display(), exposed.mode);
        return Some(Check::remark(NAME, message, next));
    }
    let message = || format!("{} has no .gitignore: version control would take it in", data.display());
    lacks_gitignore(data).then(|| Check::remark(NAME, message(), next))
}

/// How much room the file system has for this user, when it says so.
#[cfg(unix)]
fn free(data: &Path) -> Option<u64> {
    let seen = rustix::fs::statvfs(data).ok()?;
    seen.f_bavail.checked_mul(seen.f_frsize)
}

#[cfg(not(unix))]
fn free(_data: &Path) -> Option<u64> {
    None
}

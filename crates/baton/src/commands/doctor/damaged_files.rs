//! Reports damaged files that were moved aside.

use super::check::CheckResult;
use baton_server::damaged_span_files;
use serde_json::json;
use std::path::Path;

/// Maximum number of names that are listed.
const MAX_NAMES: usize = 8;

/// Note on damaged span files; `None` without any.
pub(super) fn check(data: &Path) -> Option<CheckResult> {
    let names = damaged_span_files(data);
    if names.is_empty() {
        return None;
    }
    let directory = data.join("spans").join("damaged");
    let shown = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > MAX_NAMES { " and others" } else { "" };
    let message = format!("{} damaged span files were moved to {}: {shown}{more}", names.len(), directory.display());
    let next =
        "Their spans are missing. Restore the files from a backup, or delete the directory if you do not need them.";
    Some(CheckResult::note("damaged", message, next).with_data(json!({ "directory": directory, "files": names })))
}

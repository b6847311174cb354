//! Files that were set aside because they could not be read.

use super::check::Check;
use crate::wiring::damaged_span_files;
use serde_json::json;
use std::path::Path;

/// Names that are listed.
const MAX_NAMES: usize = 8;

/// Whether some are there.
pub(super) fn check(data: &Path) -> Option<Check> {
    let names = damaged_span_files(data);
    if names.is_empty() {
        return None;
    }
    let place = data.join("spans").join("damaged");
    let shown = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > MAX_NAMES { " and others" } else { "" };
    let message =
        format!("{} damaged files of spans were set aside in {}: {shown}{more}", names.len(), place.display());
    let next = "Their spans are missing. Restore them from a backup, or remove the folder when they are not needed.";
    Some(Check::remark("damaged", message, next).with(json!({ "directory": place, "files": names })))
}

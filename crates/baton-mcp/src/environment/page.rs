//! List pagination. A cursor holds the key of the last entry, so no entry is skipped when others are added or removed.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rmcp::{
    ErrorData,
    model::{PaginatedRequestParams, Prompt, Resource, ResourceTemplate, Tool},
};

/// Prefix that distinguishes cursors from other base64 text.
const CURSOR_PREFIX: &str = "after:";

/// A list entry with a sort key.
pub(super) trait PageItem: Clone {
    fn key(&self) -> &str;
}

impl PageItem for Tool {
    fn key(&self) -> &str {
        &self.name
    }
}

impl PageItem for Prompt {
    fn key(&self) -> &str {
        &self.name
    }
}

impl PageItem for Resource {
    fn key(&self) -> &str {
        &self.uri
    }
}

impl PageItem for ResourceTemplate {
    fn key(&self) -> &str {
        &self.uri_template
    }
}

/// Sorts by key and removes duplicates; the first entry of a key is kept.
pub(super) fn sort<T: PageItem>(entries: &mut Vec<T>) {
    entries.sort_by(|one, other| one.key().cmp(other.key()));
    entries.dedup_by(|later, earlier| later.key() == earlier.key());
}

/// The requested page and the cursor of the next one. `entries` must be sorted by key.
pub(super) fn page<T: PageItem>(
    entries: &[T],
    request: Option<&PaginatedRequestParams>,
    size: usize,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match request.and_then(|request| request.cursor.as_deref()) {
        Some(cursor) => {
            let after = parse_cursor(cursor).ok_or_else(|| {
                ErrorData::invalid_params("invalid cursor; list without one to start from the beginning", None)
            })?;
            entries.partition_point(|entry| entry.key() <= after.as_str())
        }
        None => 0,
    };
    let rest = entries.get(start..).unwrap_or_default();
    let shown: Vec<T> = rest.iter().take(size.max(1)).cloned().collect();
    let next = shown.last().filter(|_| rest.len() > shown.len()).map(|last| encode_cursor(last.key()));
    Ok((shown, next))
}

fn encode_cursor(key: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(format!("{CURSOR_PREFIX}{key}"))
}

fn parse_cursor(cursor: &str) -> Option<String> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    Some(text.strip_prefix(CURSOR_PREFIX)?.to_owned())
}

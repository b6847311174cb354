//! Optional recording of spans.

use crate::Error;
use baton_spans::{EmbeddedSpanStore, SpanRecorderSetup, SpanStoreOptions};
use baton_system::TimeOrderedIds;
use baton_telemetry::TelemetrySettings;
use baton_types::IdGenerator as _;
use std::path::Path;

/// Directory for spans, below the data directory.
const FOLDER: &str = "spans";

/// Opens the span store in the data directory, or in memory.
pub(super) fn open(directory: Option<&Path>, enabled: bool) -> Result<SpanRecorderSetup, Error> {
    let opened = match directory {
        Some(directory) => EmbeddedSpanStore::open(&directory.join(FOLDER), SpanStoreOptions::default()),
        None => EmbeddedSpanStore::in_memory(SpanStoreOptions::default()),
    };
    let store = opened.map_err(|error| Error::new(error.code(), error.to_string()))?;
    let mut settings = TelemetrySettings::default();
    for remark in settings.apply_variables(|name| std::env::var(name).ok()) {
        tracing::warn!("{remark}");
    }
    settings.enabled &= enabled;
    Ok(SpanRecorderSetup::new(store, &settings, &TimeOrderedIds.next_id()))
}

//! Optional recording of spans.

use crate::Error;
use baton_local::TimeOrderedIds;
use baton_ports::IdGenerator as _;
use baton_spans::{EmbeddedSpans, Options, Recording};
use baton_telemetry::Settings;
use std::path::Path;

/// Directory for spans, below the data directory.
const FOLDER: &str = "spans";

/// Opens the span store in the data directory, or in memory.
pub(super) fn open(directory: Option<&Path>, wanted: bool) -> Result<Recording, Error> {
    let opened = match directory {
        Some(directory) => EmbeddedSpans::open(&directory.join(FOLDER), Options::default()),
        None => EmbeddedSpans::in_memory(Options::default()),
    };
    let store = opened.map_err(|error| Error::new(error.code(), error.to_string()))?;
    let mut settings = Settings::default();
    for remark in settings.overlay(|name| std::env::var(name).ok()) {
        tracing::warn!("{remark}");
    }
    settings.enabled &= wanted;
    Ok(Recording::new(store, &settings, &TimeOrderedIds.next_id()))
}

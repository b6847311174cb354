//! Opens the span store with its retention and export.

use super::{baton::fresh_id, export, persistence::Persistence};
use crate::{config::BatonSettings, failure::CliError, log};
use baton_export::Exporter;
use baton_spans::{EmbeddedSpanStore, SpanRecorderSetup, SpanStoreOptions, TelemetryRetention, wall_clock};
use baton_telemetry::SpanOrigin;
use std::sync::Arc;

/// Folder of spans, below the data directory.
pub(super) const SPAN_FOLDER: &str = "spans";

/// Opens the span store in the data directory or in memory, and starts the export of stored spans.
pub(super) fn open(keep: Persistence, settings: &BatonSettings) -> Result<(SpanRecorderSetup, Exporter), CliError> {
    let chosen = &settings.telemetry;
    let defaults = SpanStoreOptions::default();
    let retention = TelemetryRetention {
        max_age: chosen.age.or(defaults.retention.max_age),
        max_bytes: chosen.bytes.or(defaults.retention.max_bytes),
    };
    let sent = export::options(settings)?;
    let options = SpanStoreOptions { retention, log_retention: sent.log_retention(), ..defaults };
    let opened = match keep {
        Persistence::InMemory => EmbeddedSpanStore::in_memory(options),
        Persistence::DataDirectory => EmbeddedSpanStore::open(&settings.data.join(SPAN_FOLDER), options),
    };
    let store = opened.map_err(|error| CliError::new(error.code(), error.to_string()))?;
    let (exporter, instance) = (Exporter::start(&store, &sent), fresh_id());
    let recording = SpanRecorderSetup::new(store, &chosen.settings, &instance);
    let exporter = match keep {
        Persistence::InMemory => {
            log::log_queue().close();
            exporter
        }
        Persistence::DataDirectory => {
            let origin = SpanOrigin::new(chosen.settings.clone(), &instance);
            exporter.with_meters(&sent, &recording.meters(), wall_clock).with_logs(
                &sent,
                log::log_queue(),
                &origin.resource,
            )
        }
    };
    recording.meters().add_source(Arc::new(exporter.counts()));
    Ok((recording, exporter))
}

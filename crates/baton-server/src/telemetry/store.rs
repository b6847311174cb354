//! Opens the span store with its retention and export.

use super::{export::export_options, recorder::SpanRecorderSetup};
use crate::{Persistence, ServerError, TelemetryOptions, fresh_id};
use baton_export::{Exporter, LogQueue};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions, TelemetryRetention, wall_clock};
use baton_telemetry::SpanOrigin;
use std::sync::Arc;

/// Folder of spans, below the data directory.
pub(crate) const SPAN_FOLDER: &str = "spans";

/// Memory of spans without a data directory, where there are no blocks.
const MAX_IN_MEMORY_BYTES: usize = 32 << 20;

/// Opens the span store in the data directory or in memory, and starts the export of its spans.
pub(crate) fn open_store(
    persistence: &Persistence,
    options: &TelemetryOptions,
    log_queue: Option<&LogQueue>,
) -> Result<(SpanRecorderSetup, Exporter), ServerError> {
    let defaults = SpanStoreOptions::default();
    let retention = TelemetryRetention {
        max_age: options.max_age.or(defaults.retention.max_age),
        max_bytes: options.max_bytes.or(defaults.retention.max_bytes),
    };
    let sent = export_options(options)?;
    let store_options = SpanStoreOptions { retention, log_retention: sent.log_retention(), ..defaults };
    let store = match persistence.directory() {
        None => EmbeddedSpanStore::in_memory(SpanStoreOptions { head_bytes: MAX_IN_MEMORY_BYTES, ..store_options }),
        Some(data) => EmbeddedSpanStore::open(&data.join(SPAN_FOLDER), store_options),
    };
    let store = store.map_err(ServerError::Spans)?;
    let (exporter, instance) = (Exporter::start(&store, &sent), fresh_id());
    let recording = SpanRecorderSetup::new(store, &options.settings, &instance);
    let exporter = match persistence {
        Persistence::InMemory { .. } => {
            if let Some(lines) = log_queue {
                lines.close();
            }
            exporter
        }
        Persistence::Directory(_) => {
            let exporter = exporter.with_meters(&sent, &recording.meters(), wall_clock);
            match log_queue {
                Some(lines) => {
                    let origin = SpanOrigin::new(options.settings.clone(), &instance);
                    exporter.with_logs(&sent, lines, &origin.resource)
                }
                None => exporter,
            }
        }
    };
    recording.meters().add_source(Arc::new(exporter.counts()));
    Ok((recording, exporter))
}

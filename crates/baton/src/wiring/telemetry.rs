//! Opens the span store with its retention and export.

use super::{baton::fresh_id, export, kept::Keep};
use crate::{config::Settings, failure::Failure, log};
use baton_export::Exporter;
use baton_spans::{EmbeddedSpans, Options, Recording, Retention, wall_clock};
use baton_telemetry::Origin;
use std::sync::Arc;

/// Folder of spans, below the data directory.
pub(super) const FOLDER: &str = "spans";

/// Opens the span store in the data directory or in memory, and starts the export of stored spans.
pub(super) fn open(keep: Keep, settings: &Settings) -> Result<(Recording, Exporter), Failure> {
    let chosen = &settings.telemetry;
    let defaults = Options::default();
    let retention = Retention {
        max_age: chosen.age.or(defaults.retention.max_age),
        max_bytes: chosen.bytes.or(defaults.retention.max_bytes),
    };
    let sent = export::options(settings)?;
    let options = Options { retention, hold: sent.hold(), ..defaults };
    let opened = match keep {
        Keep::Nothing => EmbeddedSpans::in_memory(options),
        Keep::All => EmbeddedSpans::open(&settings.data.join(FOLDER), options),
    };
    let store = opened.map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let (exporter, instance) = (Exporter::start(&store, &sent), fresh_id());
    let recording = Recording::new(store, &chosen.settings, &instance);
    let exporter = match keep {
        Keep::Nothing => {
            log::lines().close();
            exporter
        }
        Keep::All => {
            let origin = Origin::new(chosen.settings.clone(), &instance);
            exporter.with_meters(&sent, &recording.meters(), wall_clock).with_logs(
                &sent,
                log::lines(),
                &origin.resource,
            )
        }
    };
    recording.meters().add_source(Arc::new(exporter.counts()));
    Ok((recording, exporter))
}

//! Where spans are kept, and how long.

use super::{baton::fresh_id, kept::Keep};
use crate::{config::Settings, failure::Failure};
use baton_spans::{EmbeddedSpans, Options, Recording, Retention};

/// The folder of the data directory in which spans are kept.
const FOLDER: &str = "spans";

/// Opens the store beside the journal, or one that is gone with the process.
pub(super) fn open(keep: Keep, settings: &Settings) -> Result<Recording, Failure> {
    let chosen = &settings.telemetry;
    let defaults = Options::default();
    let retention = Retention {
        max_age: chosen.age.or(defaults.retention.max_age),
        max_bytes: chosen.bytes.or(defaults.retention.max_bytes),
    };
    let options = Options { retention, ..defaults };
    let opened = match keep {
        Keep::Nothing => EmbeddedSpans::in_memory(options),
        Keep::All => EmbeddedSpans::open(&settings.data.join(FOLDER), options),
    };
    let store = opened.map_err(|error| Failure::new(error.code(), error.to_string()))?;
    Ok(Recording::new(store, &chosen.settings, &fresh_id()))
}

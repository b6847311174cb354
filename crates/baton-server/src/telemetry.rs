//! Spans and metrics of a server, their export, and remote span queries.

mod export;
mod recorder;
mod store;
mod tempo;

pub(crate) use recorder::SpanRecorder;
pub(crate) use store::{SPAN_FOLDER, open_store};
pub(crate) use tempo::TempoSource;

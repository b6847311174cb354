//! Recording of model answers.

use super::{
    canonical::{canonical, key, redact},
    event::CassetteEvent,
    file::{Cassette, CassetteEntry},
};
use crate::layers::as_inner;
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelEvent, ModelStream};
use futures_util::StreamExt;
use std::sync::Arc;

/// Answers with more events are not recorded.
const MAX_RECORDED_EVENTS: usize = 100_000;

/// A model whose complete answers are recorded on a cassette; failed and cancelled answers are not.
pub struct RecorderModel {
    inner: Arc<dyn Model>,
    cassette: Arc<Cassette>,
    secrets: Arc<[String]>,
}

impl RecorderModel {
    /// Wraps a model; these secrets are redacted in everything that is recorded.
    pub fn new(inner: Arc<dyn Model>, cassette: Arc<Cassette>, secrets: impl IntoIterator<Item = String>) -> Self {
        Self { inner, cassette, secrets: secrets.into_iter().collect() }
    }
}

impl Model for RecorderModel {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (cassette, secrets, model) =
            (Arc::clone(&self.cassette), Arc::clone(&self.secrets), self.inner.name().to_owned());
        let canonical_call = canonical(&call, &secrets);
        let mut answer = self.inner.call(call);
        Box::pin(stream! {
            let mut events = Vec::new();
            while let Some(event) = answer.next().await {
                if let Ok(event) = &event
                    && events.len() <= MAX_RECORDED_EVENTS
                {
                    push_event(&mut events, event);
                }
                if let Ok(ModelEvent::Done { .. }) = &event
                    && events.len() <= MAX_RECORDED_EVENTS
                {
                    let entry = CassetteEntry { key: key(&canonical_call), model, call: canonical_call, events };
                    let written = tokio::task::spawn_blocking(move || write(&cassette, entry, &secrets)).await;
                    if let Ok(Err(problem)) = written {
                        // A recording error must not fail the call: the answer is valid and the caller waits for it.
                        tracing::warn!(%problem, "an answer was not recorded");
                    }
                    yield event;
                    return;
                }
                yield event;
            }
        })
    }
}

/// Merges consecutive text chunks: a secret may be split across two chunks, and the chunk boundaries are not part of
/// the answer.
fn push_event(events: &mut Vec<CassetteEvent>, event: &ModelEvent) {
    match (events.last_mut(), event) {
        (Some(CassetteEvent::Text(so_far)), ModelEvent::Text(text)) => so_far.push_str(text),
        (Some(CassetteEvent::Reasoning(so_far)), ModelEvent::Reasoning(text)) => so_far.push_str(text),
        _ => events.extend(CassetteEvent::from_event(event)),
    }
}

fn write(cassette: &Cassette, mut entry: CassetteEntry, secrets: &[String]) -> Result<(), String> {
    let mut events = serde_json::to_value(&entry.events).map_err(|error| error.to_string())?;
    redact(&mut events, secrets);
    entry.events = serde_json::from_value(events).map_err(|error| error.to_string())?;
    cassette.append(entry).map_err(|error| error.to_string())
}

//! Recording of model answers.

use super::{
    canonical::{canonical, hide, key},
    event::Kept,
    tape::{Entry, Tape},
};
use crate::layers::as_inner;
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelEvent, ModelStream};
use futures_util::StreamExt;
use std::sync::Arc;

/// Answers with more events are not recorded.
const MOST_EVENTS: usize = 100_000;

/// A model whose complete answers are recorded on a cassette; failed and cancelled answers are not.
pub struct Recorder {
    inner: Arc<dyn Model>,
    tape: Arc<Tape>,
    secrets: Arc<[String]>,
}

impl Recorder {
    /// Wraps a model; these secrets are redacted in everything that is recorded.
    pub fn new(inner: Arc<dyn Model>, tape: Arc<Tape>, secrets: impl IntoIterator<Item = String>) -> Self {
        Self { inner, tape, secrets: secrets.into_iter().collect() }
    }
}

impl Model for Recorder {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (tape, secrets, model) = (Arc::clone(&self.tape), Arc::clone(&self.secrets), self.inner.name().to_owned());
        let asked = canonical(&call, &secrets);
        let mut answer = self.inner.call(call);
        Box::pin(stream! {
            let mut events = Vec::new();
            while let Some(event) = answer.next().await {
                if let Ok(event) = &event
                    && events.len() <= MOST_EVENTS
                {
                    keep(&mut events, event);
                }
                if let Ok(ModelEvent::Done { .. }) = &event
                    && events.len() <= MOST_EVENTS
                {
                    let entry = Entry { key: key(&asked), model, call: asked, events };
                    let kept = tokio::task::spawn_blocking(move || write(&tape, entry, &secrets)).await;
                    if let Ok(Err(problem)) = kept {
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
fn keep(events: &mut Vec<Kept>, event: &ModelEvent) {
    match (events.last_mut(), event) {
        (Some(Kept::Text(so_far)), ModelEvent::Text(text)) => so_far.push_str(text),
        (Some(Kept::Reasoning(so_far)), ModelEvent::Reasoning(text)) => so_far.push_str(text),
        _ => events.extend(Kept::of(event)),
    }
}

fn write(tape: &Tape, mut entry: Entry, secrets: &[String]) -> Result<(), String> {
    let mut events = serde_json::to_value(&entry.events).map_err(|error| error.to_string())?;
    hide(&mut events, secrets);
    entry.events = serde_json::from_value(events).map_err(|error| error.to_string())?;
    tape.append(entry).map_err(|error| error.to_string())
}

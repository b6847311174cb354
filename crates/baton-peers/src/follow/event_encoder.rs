//! Conversion of a followed task to engine events.

use super::{TaskFollower, TaskTracker, artifacts::text, outcome};
use baton_ports::{PeerEvent, PeerStream};
use baton_wire::a2a::v1::StreamResponse;

/// The text emitted so far, and whether the task was announced.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeerEventEncoder {
    announced: bool,
    artifact: Option<String>,
    emitted: String,
}

impl PeerEventEncoder {
    /// Engine events for a new item that `seen` has already applied.
    pub(crate) fn encode(&mut self, item: &StreamResponse<'_>, seen: &TaskTracker) -> Vec<PeerEvent> {
        let mut events = Vec::new();
        if let (false, Some(task)) = (self.announced, seen.task()) {
            self.announced = true;
            events.push(PeerEvent::Accepted { task: task.to_owned(), context: seen.context().to_owned() });
        }
        // Content that a continued task already had is not new.
        if item.task.is_some() && !seen.continues() {
            let latest = seen.artifacts().rev().find(|artifact| !text(&artifact.parts).is_empty());
            if let Some(latest) = latest {
                self.emit(&latest.artifact_id, &text(&latest.parts), seen, &mut events);
            }
        }
        let Some(update) = &item.artifact_update else { return events };
        let id = &*update.artifact.artifact_id;
        if update.append && self.artifact.as_deref() == Some(id) {
            let more = text(&update.artifact.parts);
            self.emitted.push_str(&more);
            if !more.is_empty() {
                events.push(PeerEvent::Text(more));
            }
        } else {
            let full_text = seen.artifact(id).map(|artifact| text(&artifact.parts)).unwrap_or_default();
            self.emit(id, &full_text, seen, &mut events);
        }
        events
    }

    /// Emits the text of an artifact, unless a newer one was already emitted: changes of older artifacts are ignored.
    fn emit(&mut self, artifact: &str, full_text: &str, seen: &TaskTracker, events: &mut Vec<PeerEvent>) {
        let same = self.artifact.as_deref() == Some(artifact);
        let position = |id: &str| seen.artifacts().position(|known| known.artifact_id == id);
        let newer = self.artifact.as_deref().and_then(position).is_some_and(|shown| position(artifact) < Some(shown));
        if !same && (full_text.is_empty() || newer) {
            return;
        }
        let more = match full_text.strip_prefix(self.emitted.as_str()).filter(|_| same || self.emitted.is_empty()) {
            Some(more) => more,
            None => {
                events.push(PeerEvent::TextReplaced);
                full_text
            }
        };
        if !more.is_empty() {
            events.push(PeerEvent::Text(more.to_owned()));
        }
        self.artifact = Some(artifact.to_owned());
        full_text.clone_into(&mut self.emitted);
    }
}

impl TaskFollower {
    /// All events, for the engine.
    pub(crate) fn into_peer_stream(mut self) -> PeerStream {
        Box::pin(async_stream::stream! {
            let mut encoder = PeerEventEncoder::default();
            while let Some(item) = self.next().await {
                match item {
                    Ok(item) => {
                        for event in encoder.encode(&item, self.seen()) {
                            yield Ok(event);
                        }
                    }
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                }
            }
            if let Some(outcome) = outcome(self.seen()) {
                yield Ok(PeerEvent::Settled(Box::new(outcome)));
            }
        })
    }
}

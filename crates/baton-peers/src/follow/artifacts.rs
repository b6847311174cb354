//! Received artifacts of a task, and the difference that a new version makes.

use super::{MAX_ARTIFACTS, MAX_CONTENT};
use baton_wire::a2a::v1::{Artifact, Part, TaskArtifactUpdateEvent};

/// Received artifacts of a task, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedArtifacts {
    tracked: Vec<TrackedArtifact>,
    weight: usize,
}

#[derive(Clone, Debug)]
struct TrackedArtifact {
    artifact: Artifact<'static>,
    closed: bool,
}

/// Relation of new content to the received content.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ContentChange {
    None,
    Grown(Vec<Part<'static>>),
    Replaced,
}

/// Effect of an update.
pub(super) enum ArtifactDelta {
    /// No change, or over the size limit.
    Unchanged,
    /// Extends the received content.
    Grown(Vec<Part<'static>>),
    /// Replaces the whole artifact.
    Replaced,
}

impl ReceivedArtifacts {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Artifact<'static>> {
        self.tracked.iter().map(|entry| &entry.artifact)
    }

    pub(super) fn get(&self, id: &str) -> Option<&Artifact<'static>> {
        self.iter().find(|artifact| artifact.artifact_id == id)
    }

    /// Applies an update with an event id that proves it is new.
    pub(super) fn apply_new(&mut self, update: &TaskArtifactUpdateEvent<'static>) -> ArtifactDelta {
        let known = self.get(&update.artifact.artifact_id).is_some();
        let stored = if update.append && known { self.extend(&update.artifact) } else { self.put(&update.artifact) };
        if !stored {
            return ArtifactDelta::Unchanged;
        }
        self.close(update);
        if update.append && known {
            ArtifactDelta::Grown(update.artifact.parts.clone())
        } else {
            ArtifactDelta::Replaced
        }
    }

    /// Applies an update that may be a repetition.
    pub(super) fn apply(&mut self, update: &TaskArtifactUpdateEvent<'static>) -> ArtifactDelta {
        let Some(entry) = self.tracked.iter().find(|entry| entry.artifact.artifact_id == update.artifact.artifact_id)
        else {
            return self.apply_new(update);
        };
        if update.append {
            return self.apply_new(update);
        }
        let closes = update.last_chunk && !entry.closed;
        match change(&entry.artifact.parts, &update.artifact.parts) {
            ContentChange::None if closes => self.apply_new(update),
            ContentChange::None => ArtifactDelta::Unchanged,
            ContentChange::Grown(parts) => {
                let more = Artifact { parts: parts.clone(), ..update.artifact.clone() };
                if !self.extend(&more) {
                    return ArtifactDelta::Unchanged;
                }
                self.close(update);
                ArtifactDelta::Grown(parts)
            }
            ContentChange::Replaced => self.apply_new(update),
        }
    }

    /// Removes the artifacts that are not in `truth`; returns their ids.
    pub(super) fn keep_only(&mut self, truth: &[Artifact<'_>]) -> Vec<String> {
        let is_removed =
            |entry: &TrackedArtifact| truth.iter().all(|artifact| artifact.artifact_id != entry.artifact.artifact_id);
        let removed: Vec<TrackedArtifact> = self.tracked.extract_if(.., |entry| is_removed(entry)).collect();
        self.weight -= removed.iter().map(|entry| artifact_size(&entry.artifact)).sum::<usize>();
        removed.into_iter().map(|entry| entry.artifact.artifact_id.into_owned()).collect()
    }

    fn put(&mut self, artifact: &Artifact<'static>) -> bool {
        let index = self.tracked.iter().position(|entry| entry.artifact.artifact_id == artifact.artifact_id);
        let before = index.map_or(0, |index| artifact_size(&self.tracked[index].artifact));
        let after = artifact_size(artifact);
        if self.weight - before + after > MAX_CONTENT || index.is_none() && self.tracked.len() == MAX_ARTIFACTS {
            tracing::warn!(artifact = %artifact.artifact_id, "the output of a remote agent exceeds the limit per task");
            return false;
        }
        self.weight = self.weight - before + after;
        let entry = TrackedArtifact { artifact: artifact.clone(), closed: false };
        match index {
            Some(index) => self.tracked[index] = entry,
            None => self.tracked.push(entry),
        }
        true
    }

    fn extend(&mut self, more: &Artifact<'static>) -> bool {
        if self.weight + content_size(&more.parts) > MAX_CONTENT {
            tracing::warn!(artifact = %more.artifact_id, "the output of a remote agent exceeds the limit per task");
            return false;
        }
        let Some(entry) = self.tracked.iter_mut().find(|entry| entry.artifact.artifact_id == more.artifact_id) else {
            return false;
        };
        self.weight += more.parts.iter().map(|part| append(&mut entry.artifact.parts, part)).sum::<usize>();
        true
    }

    fn close(&mut self, update: &TaskArtifactUpdateEvent<'_>) {
        for entry in &mut self.tracked {
            if entry.artifact.artifact_id == update.artifact.artifact_id {
                entry.closed = update.last_chunk;
            }
        }
    }
}

/// The whole text of an artifact.
pub(super) fn text(parts: &[Part<'_>]) -> String {
    parts.iter().filter_map(|part| part.text.as_deref()).collect()
}

/// Approximate size of an artifact in bytes, with its metadata.
fn artifact_size(artifact: &Artifact<'_>) -> usize {
    let text_len = [&artifact.name, &artifact.description].into_iter().flatten().map(|text| text.len()).sum::<usize>();
    let listed = artifact.extensions.iter().map(|text| 64 + text.len()).sum::<usize>();
    let metadata = artifact.metadata.as_ref().map_or(0, |json| json.as_str().len());
    artifact.artifact_id.len() + text_len + listed + metadata + content_size(&artifact.parts)
}

/// Approximate size of the content in bytes.
pub(super) fn content_size(parts: &[Part<'_>]) -> usize {
    let part = |part: &Part<'_>| {
        let texts = [&part.text, &part.raw, &part.url, &part.filename, &part.media_type];
        let texts = texts.into_iter().flatten().map(|text| text.len()).sum::<usize>();
        let json = [&part.data, &part.metadata].into_iter().flatten().map(|json| json.as_str().len()).sum::<usize>();
        // Empty parts count as well, so that their number is bounded.
        64 + texts + json
    };
    parts.iter().map(part).sum()
}

/// Whether the part is plain text.
pub(super) fn is_plain_text(part: &Part<'_>) -> bool {
    part.text.is_some()
        && part.raw.is_none()
        && part.url.is_none()
        && part.data.is_none()
        && part.metadata.is_none()
        && part.filename.is_none()
        && part.media_type.is_none()
}

/// Appends a part, merging consecutive plain text. Returns the added size.
fn append(parts: &mut Vec<Part<'static>>, part: &Part<'static>) -> usize {
    if let (Some(last), true) = (parts.last_mut(), is_plain_text(part))
        && is_plain_text(last)
        && let (Some(text), Some(more)) = (&mut last.text, &part.text)
    {
        text.to_mut().push_str(more);
        return more.len();
    }
    parts.push(part.clone());
    content_size(std::slice::from_ref(part))
}

/// The same content with consecutive text merged.
pub(super) fn merge_text(parts: &[Part<'static>]) -> Vec<Part<'static>> {
    let mut merged = Vec::with_capacity(parts.len().min(16));
    for part in parts {
        append(&mut merged, part);
    }
    merged
}

fn change(old: &[Part<'static>], new: &[Part<'static>]) -> ContentChange {
    let (old, new) = (merge_text(old), merge_text(new));
    if old == new {
        return ContentChange::None;
    }
    let Some((last, before)) = old.split_last() else { return ContentChange::Grown(new) };
    if !new.starts_with(before) {
        return ContentChange::Replaced;
    }
    let rest = &new[before.len()..];
    let Some((first, after)) = rest.split_first() else { return ContentChange::Replaced };
    if first == last {
        return ContentChange::Grown(after.to_vec());
    }
    match (&first.text, &last.text) {
        (Some(text), Some(prefix)) if is_plain_text(first) && is_plain_text(last) => match text.strip_prefix(&**prefix)
        {
            Some(more) => {
                let mut grown = vec![Part::text(more.to_owned())];
                grown.extend_from_slice(after);
                ContentChange::Grown(grown)
            }
            None => ContentChange::Replaced,
        },
        _ => ContentChange::Replaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<Part<'static>> {
        texts.iter().map(|text| Part::text((*text).to_owned())).collect()
    }

    #[test]
    fn text_comparison_ignores_part_boundaries() {
        for (old, new, expected) in [
            (texts(&["a", "b"]), texts(&["ab"]), ContentChange::None),
            (texts(&["a"]), texts(&["a", "b"]), ContentChange::Grown(texts(&["b"]))),
            (texts(&["ab"]), texts(&["a", "bc", "d"]), ContentChange::Grown(texts(&["cd"]))),
            (texts(&["ab"]), texts(&["a"]), ContentChange::Replaced),
            (texts(&["ab"]), texts(&["xb"]), ContentChange::Replaced),
            (texts(&[]), texts(&["a"]), ContentChange::Grown(texts(&["a"]))),
        ] {
            assert_eq!(change(&old, &new), expected, "{old:?} to {new:?}");
        }
        let file = Part { url: Some("https://example.com/x".into()), ..Part::default() };
        let grown = [texts(&["a"]), vec![file.clone()]].concat();
        assert_eq!(change(&texts(&["a"]), &grown), ContentChange::Grown(vec![file]));
        assert_eq!(change(&grown, &texts(&["a"])), ContentChange::Replaced);
    }

    fn update(artifact: Artifact<'static>, append: bool) -> TaskArtifactUpdateEvent<'static> {
        TaskArtifactUpdateEvent { artifact, append, ..TaskArtifactUpdateEvent::default() }
    }

    /// Whether an artifact is stored, and whether a second one of the same size is stored too.
    fn is_stored_twice(one: &Artifact<'static>, append: bool) -> [bool; 2] {
        let mut artifacts = ReceivedArtifacts::default();
        let mut other = one.clone();
        if !append {
            other.artifact_id = format!("{}'", one.artifact_id).into();
        }
        let mut taken = |update| !matches!(artifacts.apply_new(&update), ArtifactDelta::Unchanged);
        [taken(update(one.clone(), false)), taken(update(other, append))]
    }

    #[test]
    fn every_artifact_field_counts_toward_the_limit() {
        let big = || "x".repeat(MAX_CONTENT / 2);
        let named = |part| Artifact { artifact_id: "a".into(), parts: vec![part], ..Artifact::default() };
        for part in [
            Part::text(big()),
            Part { filename: Some(big().into()), ..Part::text("") },
            Part { media_type: Some(big().into()), ..Part::text("") },
        ] {
            for append in [false, true] {
                assert_eq!(is_stored_twice(&named(part.clone()), append), [true, false]);
            }
        }
        let plain = named(Part::text(""));
        for artifact in [
            Artifact { artifact_id: big().into(), ..plain.clone() },
            Artifact { name: Some(big().into()), ..plain.clone() },
            Artifact { description: Some(big().into()), ..plain.clone() },
            Artifact { metadata: Some(baton_types::Json::string(&big())), ..plain.clone() },
            Artifact { extensions: vec![big().into()], ..plain.clone() },
        ] {
            assert_eq!(is_stored_twice(&artifact, false), [true, false]);
        }
    }

    #[test]
    fn small_text_chunks_cost_no_more_than_one_text() {
        let mut artifacts = ReceivedArtifacts::default();
        let piece = Artifact { artifact_id: "a".into(), parts: texts(&["abcd"]), ..Artifact::default() };
        let pieces = MAX_CONTENT / 8;
        for count in 0..pieces {
            assert!(
                !matches!(artifacts.apply_new(&update(piece.clone(), count > 0)), ArtifactDelta::Unchanged),
                "piece {count}"
            );
        }
        assert_eq!(text(&artifacts.get("a").unwrap().parts).len(), pieces * 4);
    }
}

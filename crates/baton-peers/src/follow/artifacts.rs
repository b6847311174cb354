//! Received artifacts of a task, and the difference that a new version makes.

use super::{MAX_ARTIFACTS, MAX_CONTENT};
use baton_wire::a2a::v1::{Artifact, Part, TaskArtifactUpdateEvent};

/// Received artifacts of a task, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Artifacts {
    kept: Vec<Kept>,
    weight: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    artifact: Artifact<'static>,
    closed: bool,
}

/// Relation of new content to the received content.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    None,
    Grown(Vec<Part<'static>>),
    Replaced,
}

/// Effect of an update.
pub(super) enum Update {
    /// No change, or over the size limit.
    Old,
    /// Extends the received content.
    Grown(Vec<Part<'static>>),
    /// Replaces the whole artifact.
    Whole,
}

impl Artifacts {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Artifact<'static>> {
        self.kept.iter().map(|kept| &kept.artifact)
    }

    pub(super) fn get(&self, id: &str) -> Option<&Artifact<'static>> {
        self.iter().find(|artifact| artifact.artifact_id == id)
    }

    /// Applies an update with an event id that proves it is new.
    pub(super) fn take_new(&mut self, update: &TaskArtifactUpdateEvent<'static>) -> Update {
        let known = self.get(&update.artifact.artifact_id).is_some();
        let taken = if update.append && known { self.extend(&update.artifact) } else { self.put(&update.artifact) };
        if !taken {
            return Update::Old;
        }
        self.close(update);
        if update.append && known {
            Update::Grown(update.artifact.parts.clone())
        } else {
            Update::Whole
        }
    }

    /// Applies an update that may be a repetition.
    pub(super) fn take(&mut self, update: &TaskArtifactUpdateEvent<'static>) -> Update {
        let Some(kept) = self.kept.iter().find(|kept| kept.artifact.artifact_id == update.artifact.artifact_id)
        else {
            return self.take_new(update);
        };
        if update.append {
            return self.take_new(update);
        }
        let closes = update.last_chunk && !kept.closed;
        match change(&kept.artifact.parts, &update.artifact.parts) {
            Change::None if closes => self.take_new(update),
            Change::None => Update::Old,
            Change::Grown(parts) => {
                let more = Artifact { parts: parts.clone(), ..update.artifact.clone() };
                if !self.extend(&more) {
                    return Update::Old;
                }
                self.close(update);
                Update::Grown(parts)
            }
            Change::Replaced => self.take_new(update),
        }
    }

    /// Removes the artifacts that are not in `truth`; returns their ids.
    pub(super) fn keep_only(&mut self, truth: &[Artifact<'_>]) -> Vec<String> {
        let gone =
            |kept: &Kept| truth.iter().all(|artifact| artifact.artifact_id != kept.artifact.artifact_id);
        let forgotten: Vec<Kept> = self.kept.extract_if(.., |kept| gone(kept)).collect();
        self.weight -= forgotten.iter().map(|kept| whole_weight(&kept.artifact)).sum::<usize>();
        forgotten.into_iter().map(|kept| kept.artifact.artifact_id.into_owned()).collect()
    }

    fn put(&mut self, artifact: &Artifact<'static>) -> bool {
        let place = self.kept.iter().position(|kept| kept.artifact.artifact_id == artifact.artifact_id);
        let before = place.map_or(0, |place| whole_weight(&self.kept[place].artifact));
        let after = whole_weight(artifact);
        if self.weight - before + after > MAX_CONTENT || place.is_none() && self.kept.len() == MAX_ARTIFACTS {
            tracing::warn!(artifact = %artifact.artifact_id, "the output of a remote agent exceeds the limit per task");
            return false;
        }
        self.weight = self.weight - before + after;
        let kept = Kept { artifact: artifact.clone(), closed: false };
        match place {
            Some(place) => self.kept[place] = kept,
            None => self.kept.push(kept),
        }
        true
    }

    fn extend(&mut self, more: &Artifact<'static>) -> bool {
        if self.weight + weight(&more.parts) > MAX_CONTENT {
            tracing::warn!(artifact = %more.artifact_id, "the output of a remote agent exceeds the limit per task");
            return false;
        }
        let Some(kept) = self.kept.iter_mut().find(|kept| kept.artifact.artifact_id == more.artifact_id) else {
            return false;
        };
        self.weight += more.parts.iter().map(|part| append(&mut kept.artifact.parts, part)).sum::<usize>();
        true
    }

    fn close(&mut self, update: &TaskArtifactUpdateEvent<'_>) {
        for kept in &mut self.kept {
            if kept.artifact.artifact_id == update.artifact.artifact_id {
                kept.closed = update.last_chunk;
            }
        }
    }
}

/// The whole text of an artifact.
pub(super) fn text(parts: &[Part<'_>]) -> String {
    parts.iter().filter_map(|part| part.text.as_deref()).collect()
}

/// Approximate size of an artifact in bytes, with its metadata.
fn whole_weight(artifact: &Artifact<'_>) -> usize {
    let said = [&artifact.name, &artifact.description].into_iter().flatten().map(|text| text.len()).sum::<usize>();
    let listed = artifact.extensions.iter().map(|text| 64 + text.len()).sum::<usize>();
    let metadata = artifact.metadata.as_ref().map_or(0, |json| json.as_str().len());
    artifact.artifact_id.len() + said + listed + metadata + weight(&artifact.parts)
}

/// Approximate size of the content in bytes.
pub(super) fn weight(parts: &[Part<'_>]) -> usize {
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
    weight(std::slice::from_ref(part))
}

/// The same content with consecutive text merged.
pub(super) fn merged(parts: &[Part<'static>]) -> Vec<Part<'static>> {
    let mut whole = Vec::with_capacity(parts.len().min(16));
    for part in parts {
        append(&mut whole, part);
    }
    whole
}

fn change(old: &[Part<'static>], new: &[Part<'static>]) -> Change {
    let (old, new) = (merged(old), merged(new));
    if old == new {
        return Change::None;
    }
    let Some((last, before)) = old.split_last() else { return Change::Grown(new) };
    if !new.starts_with(before) {
        return Change::Replaced;
    }
    let rest = &new[before.len()..];
    let Some((first, after)) = rest.split_first() else { return Change::Replaced };
    if first == last {
        return Change::Grown(after.to_vec());
    }
    match (&first.text, &last.text) {
        (Some(text), Some(prefix)) if is_plain_text(first) && is_plain_text(last) => match text.strip_prefix(&**prefix)
        {
            Some(more) => {
                let mut grown = vec![Part::text(more.to_owned())];
                grown.extend_from_slice(after);
                Change::Grown(grown)
            }
            None => Change::Replaced,
        },
        _ => Change::Replaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<Part<'static>> {
        texts.iter().map(|text| Part::text((*text).to_owned())).collect()
    }

    #[test]
    fn pieces_of_text_make_no_difference() {
        for (old, new, expected) in [
            (texts(&["a", "b"]), texts(&["ab"]), Change::None),
            (texts(&["a"]), texts(&["a", "b"]), Change::Grown(texts(&["b"]))),
            (texts(&["ab"]), texts(&["a", "bc", "d"]), Change::Grown(texts(&["cd"]))),
            (texts(&["ab"]), texts(&["a"]), Change::Replaced),
            (texts(&["ab"]), texts(&["xb"]), Change::Replaced),
            (texts(&[]), texts(&["a"]), Change::Grown(texts(&["a"]))),
        ] {
            assert_eq!(change(&old, &new), expected, "{old:?} to {new:?}");
        }
        let file = Part { url: Some("https://example.com/x".into()), ..Part::default() };
        let grown = [texts(&["a"]), vec![file.clone()]].concat();
        assert_eq!(change(&texts(&["a"]), &grown), Change::Grown(vec![file]));
        assert_eq!(change(&grown, &texts(&["a"])), Change::Replaced);
    }

    fn update(artifact: Artifact<'static>, append: bool) -> TaskArtifactUpdateEvent<'static> {
        TaskArtifactUpdateEvent { artifact, append, ..TaskArtifactUpdateEvent::default() }
    }

    /// Whether an output is kept, and whether a second one like it still is.
    fn kept_twice(one: &Artifact<'static>, append: bool) -> [bool; 2] {
        let mut artifacts = Artifacts::default();
        let mut other = one.clone();
        if !append {
            other.artifact_id = format!("{}'", one.artifact_id).into();
        }
        let mut taken = |update| !matches!(artifacts.take_new(&update), Update::Old);
        [taken(update(one.clone(), false)), taken(update(other, append))]
    }

    #[test]
    fn whatever_an_output_carries_counts() {
        let big = || "x".repeat(MAX_CONTENT / 2);
        let named = |part| Artifact { artifact_id: "a".into(), parts: vec![part], ..Artifact::default() };
        for part in [
            Part::text(big()),
            Part { filename: Some(big().into()), ..Part::text("") },
            Part { media_type: Some(big().into()), ..Part::text("") },
        ] {
            for append in [false, true] {
                assert_eq!(kept_twice(&named(part.clone()), append), [true, false]);
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
            assert_eq!(kept_twice(&artifact, false), [true, false]);
        }
    }

    #[test]
    fn the_pieces_of_a_text_cost_no_more_than_the_text() {
        let mut artifacts = Artifacts::default();
        let piece = Artifact { artifact_id: "a".into(), parts: texts(&["abcd"]), ..Artifact::default() };
        let pieces = MAX_CONTENT / 8;
        for count in 0..pieces {
            assert!(
                !matches!(artifacts.take_new(&update(piece.clone(), count > 0)), Update::Old),
                "piece {count}"
            );
        }
        assert_eq!(text(&artifacts.get("a").unwrap().parts).len(), pieces * 4);
    }
}

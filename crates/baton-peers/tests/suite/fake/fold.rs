//! State of a stream after its items, as a client would fold it.

use baton_wire::a2a::v1::{Part, StreamResponse, TaskState};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fold {
    pub(crate) artifacts: Vec<(String, String)>,
    pub(crate) state: TaskState,
    pub(crate) message: Option<String>,
}

impl Fold {
    pub(crate) fn of<'a>(items: impl IntoIterator<Item = &'a StreamResponse<'static>>) -> Self {
        let mut fold = Self::default();
        for item in items {
            fold.take(item);
        }
        fold
    }

    pub(crate) fn take(&mut self, item: &StreamResponse<'static>) {
        if let Some(task) = &item.task {
            self.state = task.status.state;
            for artifact in task.artifacts.iter().flatten() {
                self.put(&artifact.artifact_id, text(&artifact.parts), false);
            }
        }
        if let Some(update) = &item.status_update {
            self.state = update.status.state;
            self.message = update.status.message.as_ref().map(|message| text(&message.parts));
        }
        if let Some(update) = &item.artifact_update {
            self.put(&update.artifact.artifact_id, text(&update.artifact.parts), update.append);
        }
    }

    fn put(&mut self, id: &str, text: String, append: bool) {
        match self.artifacts.iter_mut().find(|(known, _)| known == id) {
            Some((_, held)) if append => held.push_str(&text),
            Some((_, held)) => *held = text,
            None => {
                assert!(!append, "nothing can be appended to {id}, which was never shown");
                self.artifacts.push((id.to_owned(), text));
            }
        }
    }

    /// Artifacts with text, sorted by id: their order of creation is not specified.
    pub(crate) fn outputs(&self) -> Vec<(String, String)> {
        let mut outputs: Vec<_> = self.artifacts.iter().filter(|(_, text)| !text.is_empty()).cloned().collect();
        outputs.sort();
        outputs
    }
}

pub(crate) fn text(parts: &[Part<'_>]) -> String {
    parts.iter().filter_map(|part| part.text.as_deref()).collect()
}

//! Events of a scripted task.

use super::fold::text;
use baton_types::Timestamp;
use baton_wire::a2a::v1::{
    Artifact, Message, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};

/// Events of a task after its creation.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) events: Vec<Event>,
}

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) item: StreamResponse<'static>,
    /// Text in progress: servers with a journal neither number nor store it.
    pub(crate) live: bool,
}

pub(crate) fn status(number: usize, state: TaskState, words: Option<&str>) -> StreamResponse<'static> {
    let message = words.map(|words| Message {
        message_id: format!("m{number}").into(),
        role: Role::Agent,
        parts: vec![Part::text(words.to_owned())],
        ..Message::default()
    });
    let at = Timestamp::from_millis(1_700_000_000_000 + i64::try_from(number).expect("a small number"));
    let status = TaskStatus { state, message, timestamp: Some(at) };
    TaskStatusUpdateEvent { status, ..TaskStatusUpdateEvent::default() }.into()
}

pub(crate) fn chunk(id: &str, text: &str, append: bool) -> StreamResponse<'static> {
    let artifact =
        Artifact { artifact_id: id.to_owned().into(), parts: vec![Part::text(text.to_owned())], ..Artifact::default() };
    TaskArtifactUpdateEvent { artifact, append, ..TaskArtifactUpdateEvent::default() }.into()
}

pub(crate) fn whole(id: &str, text: &str) -> StreamResponse<'static> {
    let mut item = chunk(id, text, false);
    if let Some(update) = &mut item.artifact_update {
        update.last_chunk = true;
    }
    item
}

impl Script {
    /// A task of this many events: notes, artifacts that grow and are replaced, a streamed and then stored answer.
    pub(crate) fn long(events: usize) -> Self {
        let mut made: Vec<Event> = Vec::with_capacity(events);
        let kept = |item| Event { item, live: false };
        made.push(kept(status(0, TaskState::Working, None)));
        let mut open: Option<(String, String)> = None;
        while made.len() + 3 < events {
            let number = made.len();
            match number % 10 {
                3 => made.push(kept(status(number, TaskState::Working, Some(&format!("step {number}"))))),
                7 => {
                    // The text so far becomes a stored artifact.
                    let (id, text) = open.take().unwrap_or_else(|| (format!("a{number}"), format!("only {number}")));
                    made.push(kept(whole(&id, &text)));
                }
                9 => made.push(kept(whole("report", &format!("report as of {number}")))),
                _ => {
                    let begins = open.is_none();
                    let (id, text) = open.get_or_insert_with(|| (format!("a{number}"), String::new()));
                    // The same text repeatedly, so that content alone does not identify an event.
                    let more = ["ha ", "ha ", "ho "][number % 3];
                    text.push_str(more);
                    made.push(Event { item: chunk(id, more, !begins), live: true });
                }
            }
        }
        if let Some((id, text)) = open.take() {
            made.push(kept(whole(&id, &text)));
        }
        while made.len() + 2 < events {
            made.push(kept(status(made.len(), TaskState::Working, None)));
        }
        made.push(kept(whole("answer", "the answer")));
        made.push(kept(status(made.len(), TaskState::Completed, Some("the answer"))));
        Self { events: made }
    }

    /// The smallest task: accepted, answered, completed.
    pub(crate) fn short() -> Self {
        Self::of(vec![
            status(0, TaskState::Working, None),
            chunk("answer", "forty", false),
            chunk("answer", "-two", true),
            whole("answer", "forty-two"),
            status(4, TaskState::Completed, Some("forty-two")),
        ])
    }

    pub(crate) fn of(items: Vec<StreamResponse<'static>>) -> Self {
        Self { events: items.into_iter().map(|item| Event { item, live: false }).collect() }
    }

    /// The task after the first `count` events; a journal omits live text.
    pub(crate) fn snapshot(&self, count: usize, journal: bool) -> Task<'static> {
        let mut task = Task { artifacts: Some(Vec::new()), ..Task::default() };
        task.status.state = TaskState::Submitted;
        for event in self.events[..count].iter().filter(|event| !(journal && event.live)) {
            if let Some(update) = &event.item.status_update {
                task.status = update.status.clone();
            }
            let Some(update) = &event.item.artifact_update else { continue };
            let artifacts = task.artifacts.get_or_insert_default();
            match artifacts.iter_mut().find(|known| known.artifact_id == update.artifact.artifact_id) {
                Some(known) if update.append => known.parts.extend(update.artifact.parts.iter().cloned()),
                Some(known) => known.parts = update.artifact.parts.clone(),
                None => artifacts.push(update.artifact.clone()),
            }
        }
        task
    }

    /// The unfinished text after the first `count` events, and its artifact id.
    pub(crate) fn open_text(&self, count: usize) -> Option<(String, String)> {
        let last = self.events[..count].last().filter(|event| event.live)?;
        let id = last.item.artifact_update.as_ref()?.artifact.artifact_id.to_string();
        let task = self.snapshot(count, false);
        let artifact = task.artifacts?.into_iter().find(|artifact| artifact.artifact_id == id)?;
        Some((id, text(&artifact.parts)))
    }
}

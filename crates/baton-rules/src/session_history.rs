//! What was said in a conversation, message by message.

use crate::{Illegal, Task, calls_in, results_in, results_part, seen::seen_entry};
use baton_types::{
    CallId, Compaction, Message, MessageId, Part, PartContent, RequestContext, Role, SessionEntry, TaskEvent, TaskId,
    TaskState, Timestamp, ToolResult, Usage,
};
use std::collections::{BTreeMap, BTreeSet};

/// What was said in one task, folded from its events: what its model was given, as far as callers see it, and notices about
/// how it ended.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    task: Option<Task>,
    entries: Vec<(SessionEntry, u64)>,
    said: BTreeMap<MessageId, Timestamp>,
    chosen: Option<RequestContext>,
}

impl Transcript {
    /// Takes the next event of the task.
    pub fn take(&mut self, id: &TaskId, at: Timestamp, event: &TaskEvent) -> Result<(), Illegal> {
        let known = self.task.as_ref().map_or(0, |task| task.history.len());
        let task = match self.task.take() {
            None => Task::submitted(id.clone(), at, event)?,
            Some(mut task) => {
                task.apply(at, event)?;
                task
            }
        };
        let mut used: Option<Usage> = None;
        match event {
            TaskEvent::Said { message, .. } => {
                self.said.insert(message.id.clone(), at);
            }
            TaskEvent::ContextChosen { request, .. } => self.chosen = Some(request.clone()),
            TaskEvent::ToolsCalled { usage, .. } | TaskEvent::Answered { usage, .. } => used = Some(*usage),
            _ => {}
        }
        for message in task.history.iter().skip(known) {
            let is_reply = message.role == Role::Agent;
            let answers = is_reply && matches!(event, TaskEvent::Answered { .. });
            // What was said while the agent was busy joins later than it was said.
            let entry = SessionEntry {
                request: if answers { self.chosen.take() } else { None },
                usage: used.filter(|_| is_reply),
                ..SessionEntry::new(self.said.get(&message.id).copied().unwrap_or(at), message.clone())
            };
            self.entries.push((entry, task.version));
        }
        if let TaskEvent::Compacted { compaction } = event {
            let notice = SessionEntry { notice: true, ..SessionEntry::new(at, compacted(&task, compaction)) };
            // Callers of an autonomous task see its result, and not how it came about.
            self.entries.extend((!task.autonomous).then_some((notice, task.version)));
        }
        if let TaskEvent::StatusChanged { state, message: Some(message), .. } = event
            && is_told_apart(*state, message)
        {
            let notice = SessionEntry { notice: true, ..SessionEntry::new(at, message.clone()) };
            self.entries.push((notice, task.version));
        }
        self.task = Some(task);
        Ok(())
    }

    /// The entries, each with the number of the event that it stands in the task since; what the agent has yet to hear
    /// comes last.
    pub fn into_entries(self) -> Vec<(SessionEntry, u64)> {
        let Self { task, mut entries, said, .. } = self;
        if task.as_ref().is_some_and(|task| task.autonomous) {
            entries = entries.into_iter().filter_map(|(entry, number)| Some((seen_entry(entry)?, number))).collect();
        }
        for message in task.iter().flat_map(|task| &task.waiting) {
            let (at, number) = task.as_ref().map(|task| (task.created_at, task.version)).unwrap_or_default();
            let at = said.get(&message.id).copied().unwrap_or(at);
            entries.push((SessionEntry::new(at, message.clone()), number));
        }
        entries
    }
}

/// What people read where the model is given less from then on.
fn compacted(task: &Task, compaction: &Compaction) -> Message {
    let text = format!(
        "From here on the model is given older parts of the conversation in short: about {} tokens instead of {}.",
        compaction.tokens_after, compaction.tokens_before
    );
    let id = format!("{}-compacted-{}", task.id, task.version).into();
    Message::new(id, Role::Agent, vec![Part::text(text)]).within(&task.context, &task.id)
}

/// Whether people should read how a task ended, because no answer of the model says it.
fn is_told_apart(state: TaskState, message: &Message) -> bool {
    match state {
        TaskState::Failed | TaskState::Canceled | TaskState::Rejected => true,
        TaskState::Completed => message.task.is_none(),
        _ => false,
    }
}

/// The same conversation in which every call has its results and every result its call, and how many entries were left
/// out or cut for that: models take nothing else.
pub fn whole(entries: Vec<SessionEntry>) -> (Vec<SessionEntry>, usize) {
    let answered = answered_calls(&entries);
    let mut kept = Vec::with_capacity(entries.len());
    let mut changed = 0;
    let mut open: BTreeSet<CallId> = BTreeSet::new();
    for (index, mut entry) in entries.into_iter().enumerate() {
        if entry.notice {
            kept.push(entry);
            continue;
        }
        if entry.message.role == Role::Agent {
            let calls = calls_in(&entry.message);
            open = calls.iter().map(|call| call.id.clone()).collect();
            let is_whole = answered.get(&index).is_none_or(|answered| open.iter().all(|call| answered.contains(call)));
            if calls.is_empty() || is_whole && open.len() == calls.len() {
                kept.push(entry);
            } else {
                open.clear();
                changed += 1;
            }
            continue;
        }
        let before = entry.message.parts.clone();
        entry.message.parts = before.iter().filter_map(|part| fitting(part, &mut open)).collect();
        if entry.message.parts == before {
            kept.push(entry);
            continue;
        }
        changed += 1;
        if entry.message.parts.iter().any(|part| !matches!(&part.content, PartContent::Text(text) if text.is_empty())) {
            kept.push(entry);
        }
    }
    (kept, changed)
}

/// The calls that have results before the agent speaks again, by the entry that called.
fn answered_calls(entries: &[SessionEntry]) -> BTreeMap<usize, BTreeSet<CallId>> {
    let mut answered: BTreeMap<usize, BTreeSet<CallId>> = BTreeMap::new();
    let mut caller = None;
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.notice) {
        if entry.message.role == Role::Agent {
            caller = Some(index);
            answered.insert(index, BTreeSet::new());
        } else if let Some(answered) = caller.and_then(|caller| answered.get_mut(&caller)) {
            let results = entry.message.parts.iter().filter_map(results_of).flatten();
            answered.extend(results.map(|result| result.call));
        }
    }
    answered
}

/// The part with results of open calls only, each once; none when nothing is left.
fn fitting(part: &Part, open: &mut BTreeSet<CallId>) -> Option<Part> {
    let Some(results) = results_of(part) else { return Some(part.clone()) };
    let count = results.len();
    let fitting: Vec<ToolResult> = results.into_iter().filter(|result| open.remove(&result.call)).collect();
    match fitting.len() {
        0 => None,
        all if all == count => Some(part.clone()),
        _ => Some(Part { content: results_part(&fitting).content, ..part.clone() }),
    }
}

/// The results in a part; none when it is something else, and none that could be used when they are malformed.
pub(crate) fn results_of(part: &Part) -> Option<Vec<ToolResult>> {
    let PartContent::Data(data) = &part.content else { return None };
    if !data.as_str().contains("\"tool_results\"") {
        return None;
    }
    match results_in(&Message::new("".into(), Role::User, vec![part.clone()])) {
        Ok(results) if results.is_empty() => None,
        results => Some(results.unwrap_or_default()),
    }
}

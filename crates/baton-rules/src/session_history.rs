//! Transcript of a conversation.

use crate::{
    IllegalTransition, TaskRecord, parse_tool_calls, parse_tool_results, results_part, visibility::visible_entry,
};
use baton_types::{
    CallId, Compaction, Message, MessageId, Part, PartContent, RequestContext, Role, SessionEntry, TaskEvent, TaskId,
    TaskState, Timestamp, ToolResult, Usage,
};
use std::collections::{BTreeMap, BTreeSet};

/// Transcript of one task, folded from its events: messages as visible to callers, and notices about its end.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    task: Option<TaskRecord>,
    entries: Vec<(SessionEntry, u64)>,
    received_at: BTreeMap<MessageId, Timestamp>,
    context: Option<RequestContext>,
}

impl Transcript {
    /// Applies the next event of the task.
    pub fn apply(&mut self, id: &TaskId, at: Timestamp, event: &TaskEvent) -> Result<(), IllegalTransition> {
        let previous_len = self.task.as_ref().map_or(0, |task| task.history.len());
        let task = match self.task.take() {
            None => TaskRecord::from_submission(id.clone(), at, event)?,
            Some(mut task) => {
                task.apply(at, event)?;
                task
            }
        };
        let mut used: Option<Usage> = None;
        match event {
            TaskEvent::MessageReceived { message, .. } => {
                self.received_at.insert(message.id.clone(), at);
            }
            TaskEvent::ContextSelected { request, .. } => self.context = Some(request.clone()),
            TaskEvent::ToolsCalled { usage, .. } | TaskEvent::Answered { usage, .. } => used = Some(*usage),
            _ => {}
        }
        for message in task.history.iter().skip(previous_len) {
            let is_reply = message.role == Role::Agent;
            let answers = is_reply && matches!(event, TaskEvent::Answered { .. });
            // A message that arrived while the agent was busy joins the history later than its timestamp.
            let entry = SessionEntry {
                request: if answers { self.context.take() } else { None },
                usage: used.filter(|_| is_reply),
                ..SessionEntry::new(self.received_at.get(&message.id).copied().unwrap_or(at), message.clone())
            };
            self.entries.push((entry, task.version));
        }
        if let TaskEvent::Compacted { compaction } = event {
            let notice = SessionEntry { notice: true, ..SessionEntry::new(at, compaction_notice(&task, compaction)) };
            // Callers of an autonomous task see its result, not the intermediate steps.
            self.entries.extend((!task.autonomous).then_some((notice, task.version)));
        }
        if let TaskEvent::StatusChanged { state, message: Some(message), .. } = event
            && needs_notice(*state, message)
        {
            let notice = SessionEntry { notice: true, ..SessionEntry::new(at, message.clone()) };
            self.entries.push((notice, task.version));
        }
        self.task = Some(task);
        Ok(())
    }

    /// Entries with the number of the event that added each; messages that the agent has not processed yet are last.
    pub fn into_entries(self) -> Vec<(SessionEntry, u64)> {
        let Self { task, mut entries, received_at, .. } = self;
        if task.as_ref().is_some_and(|task| task.autonomous) {
            entries = entries.into_iter().filter_map(|(entry, number)| Some((visible_entry(entry)?, number))).collect();
        }
        for message in task.iter().flat_map(|task| &task.waiting) {
            let (at, number) = task.as_ref().map(|task| (task.created_at, task.version)).unwrap_or_default();
            let at = received_at.get(&message.id).copied().unwrap_or(at);
            entries.push((SessionEntry::new(at, message.clone()), number));
        }
        entries
    }
}

/// Notice that the conversation was compacted.
fn compaction_notice(task: &TaskRecord, compaction: &Compaction) -> Message {
    let text = format!(
        "The conversation was compacted for the model: about {} tokens instead of {}.",
        compaction.tokens_after, compaction.tokens_before
    );
    let id = format!("{}-compacted-{}", task.id, task.version).into();
    Message::new(id, Role::Agent, vec![Part::text(text)]).with_task(&task.context, &task.id)
}

/// Whether the end of the task needs a notice, because no answer of the model reports it.
fn needs_notice(state: TaskState, message: &Message) -> bool {
    match state {
        TaskState::Failed | TaskState::Canceled | TaskState::Rejected => true,
        TaskState::Completed => message.task.is_none(),
        _ => false,
    }
}

/// Removes calls without results and results without calls, which models reject. Returns the entries, and the number of
/// removed or shortened ones.
pub fn repair_transcript(entries: Vec<SessionEntry>) -> (Vec<SessionEntry>, usize) {
    let answered = answered_calls(&entries);
    let mut repaired = Vec::with_capacity(entries.len());
    let mut changed = 0;
    let mut open: BTreeSet<CallId> = BTreeSet::new();
    for (index, mut entry) in entries.into_iter().enumerate() {
        if entry.notice {
            repaired.push(entry);
            continue;
        }
        if entry.message.role == Role::Agent {
            let calls = parse_tool_calls(&entry.message);
            open = calls.iter().map(|call| call.id.clone()).collect();
            let is_complete =
                answered.get(&index).is_none_or(|answered| open.iter().all(|call| answered.contains(call)));
            if calls.is_empty() || is_complete && open.len() == calls.len() {
                repaired.push(entry);
            } else {
                open.clear();
                changed += 1;
            }
            continue;
        }
        let before = entry.message.parts.clone();
        entry.message.parts = before.iter().filter_map(|part| retain_open_results(part, &mut open)).collect();
        if entry.message.parts == before {
            repaired.push(entry);
            continue;
        }
        changed += 1;
        if entry.message.parts.iter().any(|part| !matches!(&part.content, PartContent::Text(text) if text.is_empty())) {
            repaired.push(entry);
        }
    }
    (repaired, changed)
}

/// Calls with results before the next message of the agent, by the index of the calling entry.
fn answered_calls(entries: &[SessionEntry]) -> BTreeMap<usize, BTreeSet<CallId>> {
    let mut answered: BTreeMap<usize, BTreeSet<CallId>> = BTreeMap::new();
    let mut caller = None;
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.notice) {
        if entry.message.role == Role::Agent {
            caller = Some(index);
            answered.insert(index, BTreeSet::new());
        } else if let Some(answered) = caller.and_then(|caller| answered.get_mut(&caller)) {
            let results = entry.message.parts.iter().filter_map(part_results).flatten();
            answered.extend(results.map(|result| result.call));
        }
    }
    answered
}

/// Part with results of open calls only, each once; none if nothing remains.
fn retain_open_results(part: &Part, open: &mut BTreeSet<CallId>) -> Option<Part> {
    let Some(results) = part_results(part) else { return Some(part.clone()) };
    let count = results.len();
    let fitting: Vec<ToolResult> = results.into_iter().filter(|result| open.remove(&result.call)).collect();
    match fitting.len() {
        0 => None,
        all if all == count => Some(part.clone()),
        _ => Some(Part { content: results_part(&fitting).content, ..part.clone() }),
    }
}

/// Results in a part; none for other parts, empty for malformed results.
pub(crate) fn part_results(part: &Part) -> Option<Vec<ToolResult>> {
    let PartContent::Data(data) = &part.content else { return None };
    if !data.as_str().contains("\"tool_results\"") {
        return None;
    }
    match parse_tool_results(&Message::new("".into(), Role::User, vec![part.clone()])) {
        Ok(results) if results.is_empty() => None,
        results => Some(results.unwrap_or_default()),
    }
}

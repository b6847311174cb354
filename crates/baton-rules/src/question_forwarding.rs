//! Questions forwarded from child tasks to the caller, and answers forwarded back.
//!
//! A question of a child is repeated by the waiting task, entry by entry, with the id of the asking task added: a
//! waiting call is identified by its task and its id at any depth. An answer is routed down by the same address, one
//! handoff at a time.

use crate::{MessageRejection, PendingHandoff, TaskRecord, error_codes};
use baton_types::{AgentName, CallId, Json, Message, MessageId, Part, PartContent, Role, SessionGrant, TaskId};
use serde_json::{Map, Value, json};

/// Members of data parts with requests.
const REQUEST_MEMBERS: [&str; 2] = ["input_requests", "tool_calls"];

/// Members of data parts with answers.
const ANSWER_MEMBERS: [&str; 2] = ["input_responses", "tool_results"];

/// Member with the task of an entry, if it differs from the task that shows it.
const TASK_MEMBER: &str = "task_id";

/// Member with the remote agent through which an entry was received.
const VIA_MEMBER: &str = "via";

/// Marks messages in the history that were forwarded to child tasks.
const FORWARDED_MEMBER: &str = "passed_down";

/// Message for one child task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardedAnswer {
    /// Waiting call.
    pub call: CallId,
    /// Child task.
    pub child: TaskId,
    /// Message for the child.
    pub message: Message,
    /// Permissions that it grants for the rest of the session.
    pub grants: Vec<SessionGrant>,
}

/// Parts that show a child's question, addressed to the child.
pub fn forwarded_question_parts(child: &TaskId, message: &Message) -> Vec<Part> {
    let mut parts = Vec::new();
    for part in &message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        let Value::Object(mut members) = data.to_value() else { continue };
        members.retain(|name, entries| REQUEST_MEMBERS.contains(&name.as_str()) && entries.is_array());
        for entry in members.values_mut().filter_map(Value::as_array_mut).flatten().filter_map(Value::as_object_mut) {
            entry.entry(TASK_MEMBER).or_insert_with(|| child.as_str().into());
        }
        if !members.is_empty() {
            parts.push(Part::data(Value::Object(members).into()));
        }
    }
    if parts.is_empty() {
        let question = json!({ "input_requests": [{ TASK_MEMBER: child.as_str(), "message": message.text() }] });
        parts.push(Part::data(question.into()));
    }
    parts
}

/// Marks a question of a remote agent. The origin that it claims is unverified, so a session-wide approval must apply
/// to that agent only.
#[must_use]
pub fn mark_remote_question(mut message: Message, agent: &AgentName) -> Message {
    for part in &mut message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        let Value::Object(mut members) = data.to_value() else { continue };
        let Some(Value::Array(entries)) = members.get_mut(REQUEST_MEMBERS[0]) else { continue };
        for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
            entry.insert(VIA_MEMBER.to_owned(), agent.as_str().into());
        }
        part.content = PartContent::Data(Value::Object(members).into());
    }
    message
}

/// Entries of these members, at any address.
fn data_entries(message: &Message, members: [&str; 2]) -> Vec<Map<String, Value>> {
    let mut all = Vec::new();
    for part in &message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        let Value::Object(mut data) = data.to_value() else { continue };
        for member in members {
            let Some(Value::Array(entries)) = data.remove(member) else { continue };
            all.extend(entries.into_iter().filter_map(|entry| match entry {
                Value::Object(entry) => Some(entry),
                _ => None,
            }));
        }
    }
    all
}

fn string_member<'a>(entry: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    entry.get(member).and_then(Value::as_str)
}

/// A child with an open question.
struct ChildQuestion<'a> {
    call: &'a CallId,
    pending: &'a PendingHandoff,
    entries: Vec<Map<String, Value>>,
}

impl ChildQuestion<'_> {
    /// Whether an answer entry is for this child or one of its descendants.
    fn is_addressed_by(&self, entry: &Map<String, Value>) -> bool {
        let (task, call) = (string_member(entry, TASK_MEMBER), string_member(entry, "call_id"));
        match (task, call) {
            (Some(task), _) if task == self.pending.child.as_str() => true,
            (Some(task), _) => self.entries.iter().any(|request| string_member(request, TASK_MEMBER) == Some(task)),
            (None, Some(call)) => self.entries.iter().any(|request| string_member(request, "call_id") == Some(call)),
            (None, None) => false,
        }
    }

    fn grant(&self, entry: &Map<String, Value>) -> Option<SessionGrant> {
        let for_session = string_member(entry, "action") == Some("accept_for_session")
            || matches!(string_member(entry, "decision"), Some("allow_session" | "allow-session"));
        let requesting_task = |request: &Map<String, Value>| {
            string_member(request, TASK_MEMBER).unwrap_or(self.pending.child.as_str()).to_owned()
        };
        let same = |request: &&Map<String, Value>| {
            string_member(request, "call_id") == string_member(entry, "call_id")
                && string_member(entry, TASK_MEMBER).is_none_or(|task| task == requesting_task(request))
        };
        let request = self.entries.iter().find(same).filter(|_| for_session)?;
        let (agent, tool) = (
            string_member(request, VIA_MEMBER).or_else(|| string_member(request, "agent"))?,
            string_member(request, "tool")?,
        );
        Some(SessionGrant { agent: AgentName::from(agent), tool: tool.to_owned() })
    }
}

/// The only child that an answer entry is for, directly or through a descendant. Call ids are chosen by the calling
/// agent, so two children may use the same id: approval of one must not count for the other.
fn find_addressee(
    children: &[ChildQuestion<'_>],
    entry: &Map<String, Value>,
) -> Result<Option<usize>, MessageRejection> {
    let task = string_member(entry, TASK_MEMBER);
    if let Some(direct) = children.iter().position(|child| task == Some(child.pending.child.as_str())) {
        return Ok(Some(direct));
    }
    let sole = children.len() == 1 && task.is_none() && string_member(entry, "call_id").is_none();
    let mut all = (0..children.len()).filter(|at| sole || children[*at].is_addressed_by(entry));
    match (all.next(), all.next()) {
        (Some(_), Some(_)) => Err(MessageRejection {
            code: error_codes::ANSWER_INVALID,
            field: "message.parts.task_id".to_owned(),
            detail: format!(
                "several agents wait for an answer to call '{}'; set task_id to one of: {}",
                string_member(entry, "call_id").unwrap_or_default(),
                children.iter().map(|child| child.pending.child.as_str()).collect::<Vec<_>>().join(", ")
            ),
        }),
        (child, _) => Ok(child),
    }
}

/// Removes the entries for child tasks from a message; the rest is for the task itself.
pub(crate) fn forward_answers(
    task: &TaskRecord,
    message: &mut Message,
) -> Result<Vec<ForwardedAnswer>, MessageRejection> {
    let children: Vec<ChildQuestion<'_>> = task
        .pending_handoffs()
        .filter_map(|(call, pending)| {
            let (question, _) = pending.asked.as_ref()?;
            Some(ChildQuestion { call: &call.id, pending, entries: data_entries(question, REQUEST_MEMBERS) })
        })
        .collect();
    let own = |entry: &Map<String, Value>| match (string_member(entry, TASK_MEMBER), string_member(entry, "call_id")) {
        (Some(id), _) => id == task.id.as_str(),
        (None, Some(call)) => {
            task.open_calls().any(|state| state.call.id.as_str() == call && !state.stage.is_handed_off())
        }
        (None, None) => children.is_empty(),
    };
    let mut child_entries: Vec<Vec<(&'static str, Map<String, Value>)>> = vec![Vec::new(); children.len()];
    for part in &mut message.parts {
        let PartContent::Data(data) = &part.content else { continue };
        let Value::Object(mut members) = data.to_value() else { continue };
        let mut changed = false;
        for member in ANSWER_MEMBERS {
            let Some(Value::Array(all)) = members.get_mut(member) else { continue };
            let mut remaining = Vec::new();
            for entry in std::mem::take(all) {
                let Value::Object(mut entry) = entry else {
                    remaining.push(entry);
                    continue;
                };
                if own(&entry) {
                    changed |= entry.remove(TASK_MEMBER).is_some();
                    remaining.push(Value::Object(entry));
                    continue;
                }
                let addressee = find_addressee(&children, &entry)?;
                match addressee {
                    Some(at) => child_entries[at].push((member, entry)),
                    None if string_member(&entry, TASK_MEMBER).is_some() => {
                        return Err(unknown_task_rejection(task, &children, &entry));
                    }
                    // The reader of the entry reports the error.
                    None => remaining.push(Value::Object(entry)),
                }
                changed |= addressee.is_some();
            }
            *all = remaining;
        }
        if changed {
            part.content = PartContent::Data(Value::Object(members).into());
        }
    }
    let text = message.text();
    let mut forwarded: Vec<ForwardedAnswer> = Vec::new();
    for (child, entries) in children.iter().zip(child_entries).filter(|(_, entries)| !entries.is_empty()) {
        forwarded.push(answer_for_child(message, child, &entries));
    }
    let own_question = task.open_calls().any(|state| !state.stage.is_handed_off());
    if let ([child], true, false, false) =
        (children.as_slice(), forwarded.is_empty(), own_question, text.trim().is_empty())
    {
        let message = child_message(message, child, vec![Part::text(text)]);
        forwarded.push(ForwardedAnswer {
            call: child.call.clone(),
            child: child.pending.child.clone(),
            message,
            grants: Vec::new(),
        });
    }
    if !forwarded.is_empty() {
        let calls: Vec<&str> = forwarded.iter().map(|answer| answer.call.as_str()).collect();
        message.parts.push(Part::data(json!({ FORWARDED_MEMBER: calls }).into()));
    }
    Ok(forwarded)
}

/// Whether the message was forwarded to child tasks.
pub(crate) fn is_forwarded(data: &Json) -> bool {
    data.as_str().contains(FORWARDED_MEMBER) && data.to_value().get(FORWARDED_MEMBER).is_some()
}

fn answer_for_child(
    original: &Message,
    child: &ChildQuestion<'_>,
    entries: &[(&'static str, Map<String, Value>)],
) -> ForwardedAnswer {
    let grants = entries.iter().filter_map(|(_, entry)| child.grant(entry)).collect();
    let mut parts = Vec::new();
    for member in ANSWER_MEMBERS {
        let mut of_member = Vec::new();
        for (_, mut entry) in entries.iter().filter(|(name, _)| *name == member).cloned() {
            if string_member(&entry, TASK_MEMBER) == Some(child.pending.child.as_str()) {
                entry.remove(TASK_MEMBER);
            }
            // A question asked as text is answered as text.
            let plain = !["call_id", "key", TASK_MEMBER].iter().any(|name| entry.contains_key(*name));
            match entry.get("content").and_then(|content| content.get("text")).and_then(Value::as_str) {
                Some(text) if plain => parts.push(Part::text(text)),
                _ => of_member.push(Value::Object(entry)),
            }
        }
        if !of_member.is_empty() {
            parts.push(Part::data(json!({ member: of_member }).into()));
        }
    }
    let message = child_message(original, child, parts);
    ForwardedAnswer { call: child.call.clone(), child: child.pending.child.clone(), message, grants }
}

/// Message with a deterministic id that includes the question: a caller that reuses one message id has answered only
/// this question.
fn child_message(original: &Message, child: &ChildQuestion<'_>, parts: Vec<Part>) -> Message {
    let question = child.pending.asked.as_ref().map_or("", |(message, _)| message.id.as_str());
    Message::new(MessageId::from(format!("{}.{}.{question}", original.id, child.call)), Role::User, parts)
}

fn unknown_task_rejection(
    task: &TaskRecord,
    children: &[ChildQuestion<'_>],
    entry: &Map<String, Value>,
) -> MessageRejection {
    let descendants = children
        .iter()
        .flat_map(|child| child.entries.iter().filter_map(|request| string_member(request, TASK_MEMBER)));
    let direct = children.iter().map(|child| child.pending.child.as_str());
    let mut open_tasks: Vec<&str> = std::iter::once(task.id.as_str()).chain(direct).chain(descendants).collect();
    open_tasks.dedup();
    MessageRejection {
        code: error_codes::ANSWER_INVALID,
        field: "message.parts.task_id".to_owned(),
        detail: format!(
            "task '{}' has no open question here; tasks with open questions: {}",
            string_member(entry, TASK_MEMBER).unwrap_or_default(),
            open_tasks.join(", ")
        ),
    }
}

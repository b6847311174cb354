//! JSON file format of exported sessions.

use super::{invalid, invalid_field, item, items};
use crate::error_codes;
use baton_api::{
    ApiError, SESSION_FORMAT, SessionContextItem, SessionFile, SessionMessage, SessionSettingsBody, SessionUsage,
};
use baton_engine::{ImportSession, SessionLine, SessionView};
use baton_types::{
    AgentName, ContextId, IncludedItem, RequestContext, SessionEntry, Thousandths, Timestamp, Usage, Violations,
};
use baton_wire::a2a::v1::Message;

/// A message of a transcript.
pub(super) fn message(line: &SessionLine) -> SessionMessage<Message<'_>> {
    let SessionEntry { at, message, request, usage, notice } = &line.entry;
    SessionMessage {
        at: Some(*at),
        event: line.place.as_ref().map(|(_, event)| *event),
        notice: *notice,
        message: Message::from(message),
        request_context: request.as_ref().map(|request| request.items.iter().map(write_used_item).collect()),
        usage: usage.map(|usage| SessionUsage { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens }),
    }
}

fn write_used_item(item: &IncludedItem) -> SessionContextItem {
    let IncludedItem { kind, name, server, include, score } = item.clone();
    SessionContextItem { kind, name, server, include, score: score.map(Thousandths::get) }
}

/// Session file. Task and event references of messages are omitted, because the tasks are not exported.
pub(super) fn write(view: &SessionView) -> SessionFile<Message<'_>> {
    let record = view.record.as_ref();
    let exported = |line| {
        let mut exported = message(line);
        exported.event = None;
        (exported.message.context_id, exported.message.task_id) = (None, None);
        exported.message.reference_task_ids.clear();
        exported
    };
    SessionFile {
        format: SESSION_FORMAT.to_owned(),
        agent: view.conversation.agent.to_string(),
        context_id: Some(view.conversation.context.to_string()),
        title: record.and_then(|record| record.title.clone()),
        settings: record.map(|record| SessionSettingsBody::from(&record.settings)).unwrap_or_default(),
        included: record.map(|record| items(&record.included)).unwrap_or_default(),
        excluded: record.map(|record| items(&record.excluded)).unwrap_or_default(),
        messages: view.lines.iter().map(exported).collect(),
    }
}

/// Converts a session file to an import. `agent` takes precedence over the agent in the file. Messages without a
/// timestamp get `now`.
pub(super) fn read(
    file: SessionFile<Message<'_>>,
    agent: Option<AgentName>,
    context: Option<ContextId>,
    now: Timestamp,
) -> Result<ImportSession, ApiError> {
    if file.format != SESSION_FORMAT {
        let message = format!("format is '{}', and must be {SESSION_FORMAT}", truncate_text(&file.format));
        return Err(invalid(message).with_code(error_codes::SESSION_INVALID));
    }
    let agent = agent.unwrap_or_else(|| AgentName::from(file.agent));
    let settings = file.settings.check().map_err(|name| invalid_field(name, "is out of range".to_owned()))?;
    let mut violations = Violations::default();
    let mut history = Vec::with_capacity(file.messages.len());
    for (index, session_message) in file.messages.into_iter().enumerate() {
        history.extend(entry(session_message, index, now, &mut violations));
    }
    let wrong = |violations| ApiError::invalid_params(violations).with_code(error_codes::SESSION_INVALID);
    let history = violations.into_result(history).map_err(wrong)?;
    Ok(ImportSession {
        agent,
        context,
        original_context: file.context_id,
        title: file.title,
        settings,
        included: file.included.into_iter().map(item).collect(),
        excluded: file.excluded.into_iter().map(item).collect(),
        history,
    })
}

fn entry(
    session_message: SessionMessage<Message<'_>>,
    index: usize,
    now: Timestamp,
    violations: &mut Violations,
) -> Option<SessionEntry> {
    let SessionMessage { at, event: _, notice, mut message, request_context, usage } = session_message;
    if message.message_id.is_empty() {
        message.message_id = format!("imported-{}", index + 1).into();
    }
    let message = message.check(&format!("messages[{index}].message"), violations)?;
    let request =
        request_context.map(|items| RequestContext { items: items.into_iter().map(read_used_item).collect() });
    Some(SessionEntry {
        at: at.unwrap_or(now),
        message,
        request,
        usage: usage.map(|usage| Usage::new(usage.input_tokens, usage.output_tokens)),
        notice,
    })
}

fn read_used_item(item: SessionContextItem) -> IncludedItem {
    let SessionContextItem { kind, name, server, include, score } = item;
    IncludedItem { kind, name, server, include, score: score.and_then(Thousandths::from_f64) }
}

fn truncate_text(text: &str) -> String {
    text.chars().take(64).collect()
}

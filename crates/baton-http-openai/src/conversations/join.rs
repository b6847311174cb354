//! Continuing a conversation.

use super::{
    super::{request::ResponsesRequest, turn},
    ConversationEntry, ConversationRecord,
    items::all_items,
};
use baton_responses::{HistoryEntry as Said, OpenAiError, ParsedInput, ResponseId, read_items};
use baton_rules::{Access, parse_tool_calls};
use baton_types::{AgentSpec, ContextId, Json, SessionEntry, TaskId, TaskState};

/// A conversation that a request continues.
pub(in super::super) struct ConversationContinuation {
    pub(in super::super) context: ContextId,
    pub(in super::super) point: ContinuationPoint,
    /// History to send with the message.
    pub(in super::super) history: Vec<SessionEntry>,
    /// System messages of the conversation.
    pub(in super::super) system: Vec<String>,
    /// Ids of the input items.
    pub(in super::super) input: Vec<String>,
    agent: String,
}

/// Point at which a request continues a conversation.
#[derive(Debug)]
pub(in super::super) enum ContinuationPoint {
    /// In a waiting task.
    Waiting {
        task: TaskId,
        /// Last event of the task.
        version: u64,
        /// Pending calls.
        open: Vec<String>,
    },
    /// In the context of the conversation.
    SameContext,
    /// In a separate context, because the required history differs from the history of the conversation's context.
    SeparateContext,
}

/// Determines where a request continues a conversation; `apart` if the request brings additional history.
pub(in super::super) async fn continue_conversation(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    id: &str,
    apart: bool,
) -> Result<ConversationContinuation, OpenAiError> {
    let record = ConversationRecord::find(request, id, Access::Read).await?;
    record.check_room()?;
    let entries = record.entries();
    let agent = spec.name.to_string();
    let is_ours = |entry: &ConversationEntry| matches!(entry, ConversationEntry::Response { agent: of, natural: true, .. } if *of == agent);
    let responses = entries.iter().filter(|entry| matches!(entry, ConversationEntry::Response { .. })).count();
    let first = entries.iter().take_while(|entry| matches!(entry, ConversationEntry::Items(_))).count();
    let mut joined = ConversationContinuation {
        context: record.context.clone(),
        point: ContinuationPoint::SameContext,
        history: Vec::new(),
        system: Vec::new(),
        input: Vec::new(),
        agent: agent.clone(),
    };
    let last = match entries.iter().rev().find_map(|entry| match entry {
        ConversationEntry::Response { id, .. } => Some(id),
        ConversationEntry::Items(_) => None,
    }) {
        Some(id) => turn::find(request, id).await.ok(),
        None => None,
    };
    if last.as_ref().is_some_and(|last| last.end.is_none()) {
        let message = "a response is in progress in this conversation; wait for its end, or cancel it";
        let locked = OpenAiError::invalid("conversation_locked", "conversation", message);
        return Err(OpenAiError { status: 409, kind: "conflict", ..locked });
    }
    // Items before the first response were sent as history of the first task.
    let is_natural = !apart && !record.has_removed_items() && entries[first..].iter().all(is_ours);
    if responses > 0 && is_natural {
        let Some(last) = last else { return Ok(joined) };
        joined.system = last.note.system;
        if last.view.state == TaskState::InputRequired && last.end == Some(last.view.version) {
            let open = last.view.status_message.as_ref().map(parse_tool_calls).unwrap_or_default();
            let open = open.into_iter().map(|call| call.id.to_string()).collect();
            joined.point = ContinuationPoint::Waiting { task: last.view.id.clone(), version: last.view.version, open };
        }
        return Ok(joined);
    }
    if responses > 0 {
        joined.point = ContinuationPoint::SeparateContext;
    }
    let items = Json::from_serializable(&all_items(request, &record).await?).unwrap_or_else(|_| Json::string(""));
    let (ParsedInput { history, current: last, system }, _) =
        read_items(&items, &mut || request.shared.engine.fresh_id())?;
    let now = request.shared.engine.now();
    let messages = history.into_iter().filter_map(|entry| match entry {
        Said::Message(message) => Some(message),
        Said::Reference { .. } => None,
    });
    joined.history = messages.chain(last.message).map(|message| SessionEntry::new(now, message)).collect();
    joined.system = system;
    Ok(joined)
}

/// Records a response in its conversation.
pub(in super::super) async fn record_response(
    request: &ResponsesRequest,
    joined: Option<ConversationContinuation>,
    id: &ResponseId,
) -> Result<(), OpenAiError> {
    let Some(joined) = joined else { return Ok(()) };
    let natural = !matches!(joined.point, ContinuationPoint::SeparateContext);
    let entry = ConversationEntry::response(id.to_string(), joined.agent, natural, joined.input);
    ConversationRecord::add_response(request, &joined.context, &entry).await
}

//! Builds messages from items, in the order that models require: results directly after their calls.

use super::{CallScope, CurrentInput, HistoryEntry, McpApprovalAnswer, ParsedInput};
use crate::parts::{approvals_part, calls_part, results_part};
use baton_types::{CallId, Json, Message, Part, Role, ToolCall, ToolResult};
use std::collections::HashMap;

/// Placeholder for a missing tool result, because models reject a call without a result.
const NO_RESULT: &str = "The caller gave no result.";

/// Tool results in order of arrival; a second result of a call replaces the first.
#[derive(Default)]
struct ResultList {
    entries: Vec<Option<ToolResult>>,
    positions: HashMap<CallId, usize>,
}

impl ResultList {
    fn put(&mut self, result: ToolResult) {
        if let Some(earlier) = self.positions.insert(result.call.clone(), self.entries.len()) {
            self.entries[earlier] = None;
        }
        self.entries.push(Some(result));
    }

    fn contains(&self, call: &CallId) -> bool {
        self.positions.contains_key(call)
    }

    fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &ToolResult> {
        self.entries.iter().flatten()
    }

    fn into_results(self) -> Vec<ToolResult> {
        self.entries.into_iter().flatten().collect()
    }
}

/// Builds a conversation from input items.
pub(super) struct ConversationBuilder<'f> {
    reach: CallScope,
    fresh: &'f mut dyn FnMut() -> String,
    history: Vec<HistoryEntry>,
    system: Vec<String>,
    /// The agent's last message and its calls, while more may follow.
    agent: Option<(Message, Vec<ToolCall>)>,
    /// Calls of the agent's last message.
    open_calls: Vec<ToolCall>,
    /// Tool names of all calls so far, by call id.
    names: HashMap<String, String>,
    /// User messages since the agent's last message.
    user_messages: Vec<Message>,
    files: Vec<Part>,
    results: ResultList,
    approvals: Vec<McpApprovalAnswer>,
}

impl<'f> ConversationBuilder<'f> {
    pub(super) fn new(reach: CallScope, fresh: &'f mut dyn FnMut() -> String) -> Self {
        Self {
            reach,
            fresh,
            history: Vec::new(),
            system: Vec::new(),
            agent: None,
            open_calls: Vec::new(),
            names: HashMap::new(),
            user_messages: Vec::new(),
            files: Vec::new(),
            results: ResultList::default(),
            approvals: Vec::new(),
        }
    }

    pub(super) fn new_message(&mut self, role: Role, mut parts: Vec<Part>) -> Message {
        if parts.is_empty() {
            parts.push(Part::text(""));
        }
        Message::new((self.fresh)().into(), role, parts)
    }

    /// Adds a user message.
    pub(super) fn push_user_message(&mut self, message: Message) {
        self.finish_agent_message();
        self.user_messages.push(message);
    }

    /// Adds an agent message.
    pub(super) fn push_agent_message(&mut self, message: Message) {
        self.finish_user_turn();
        self.finish_agent_message();
        self.flush_results();
        self.agent = Some((message, Vec::new()));
    }

    /// Adds a client tool call of the agent; it belongs to the preceding agent message.
    pub(super) fn push_call(&mut self, call: ToolCall) {
        self.finish_user_turn();
        self.names.insert(call.id.to_string(), call.name.clone());
        if self.agent.is_none() {
            let message = self.new_message(Role::Agent, Vec::new());
            self.agent = Some((message, Vec::new()));
        }
        if let Some((_, calls)) = &mut self.agent {
            calls.push(call);
        }
    }

    /// Adds a call that the agent ran, with its result.
    pub(super) fn push_completed_call(&mut self, call: ToolCall, result: ToolResult) {
        self.push_call(call);
        self.finish_agent_message();
        self.push_result(result, Vec::new());
        self.finish_user_turn();
    }

    /// Adds complete messages.
    pub(super) fn push_messages(&mut self, messages: Vec<Message>) {
        self.finish_user_turn();
        self.finish_agent_message();
        self.flush_results();
        self.history.extend(messages.into_iter().map(HistoryEntry::Message));
    }

    pub(super) fn push_reference(&mut self, id: &str, param: &str) {
        // Reasoning is stored with its message.
        if !id.starts_with("rs_") {
            self.finish_user_turn();
            self.finish_agent_message();
            self.reach = CallScope::Conversation;
            self.history.push(HistoryEntry::Reference { id: id.to_owned(), param: param.to_owned() });
        }
    }

    pub(super) fn push_system_text(&mut self, text: String) {
        self.system.push(text);
    }

    /// The name of the called tool; `None` for an unknown call.
    pub(super) fn tool_name(&self, id: &str) -> Option<String> {
        let name = self.names.get(id).cloned();
        name.or_else(|| (self.reach == CallScope::Conversation).then(String::new))
    }

    pub(super) fn push_result(&mut self, result: ToolResult, files: Vec<Part>) {
        self.finish_agent_message();
        self.results.put(result);
        self.files.extend(files);
    }

    pub(super) fn push_approval(&mut self, approval: McpApprovalAnswer) {
        self.finish_agent_message();
        self.approvals.push(approval);
    }

    /// Completes the agent's message.
    fn finish_agent_message(&mut self) {
        let Some((mut message, calls)) = self.agent.take() else { return };
        if !calls.is_empty() {
            message.parts.push(calls_part(&calls));
        }
        self.open_calls = calls;
        self.history.push(HistoryEntry::Message(message));
    }

    /// Ends the user's turn: moves its messages and results into the history.
    fn finish_user_turn(&mut self) {
        if self.user_messages.is_empty() && self.results.is_empty() && self.approvals.is_empty() {
            return;
        }
        self.flush_results();
        self.approvals.clear();
        self.history.extend(self.user_messages.drain(..).map(HistoryEntry::Message));
    }

    /// Moves the results so far into the history; a call without a result gets a placeholder.
    fn flush_results(&mut self) {
        if let Some(parts) = self.take_results() {
            let message = self.new_message(Role::User, parts);
            self.history.push(HistoryEntry::Message(message));
        }
    }

    /// Results of all open calls, and the files that belong to them.
    fn take_results(&mut self) -> Option<Vec<Part>> {
        for call in std::mem::take(&mut self.open_calls) {
            if !self.results.contains(&call.id) {
                let (call, name, output) = (call.id, call.name, Json::string(NO_RESULT));
                self.results.put(ToolResult { call, name, output, is_error: true });
            }
        }
        if self.results.is_empty() {
            return None;
        }
        let mut parts = vec![Part::text("")];
        parts.append(&mut self.files);
        parts.push(results_part(&std::mem::take(&mut self.results).into_results()));
        Some(parts)
    }

    pub(super) fn finish(mut self) -> ParsedInput {
        self.finish_agent_message();
        let call_ids: Vec<String> = self.results.iter().map(|result| result.call.to_string()).collect();
        let has_content = !self.user_messages.is_empty() || !call_ids.is_empty() || !self.approvals.is_empty();
        let mut parts = if has_content { self.take_results() } else { None };
        if !self.approvals.is_empty() {
            parts.get_or_insert_with(|| vec![Part::text("")]).push(approvals_part(&self.approvals));
        }
        let message = match parts {
            // Text and results form one message: the task waits for all of it.
            Some(data) => {
                let user_parts = std::mem::take(&mut self.user_messages).into_iter().flat_map(|message| message.parts);
                let mut parts: Vec<Part> = user_parts.collect();
                let skipped = usize::from(!parts.is_empty());
                parts.extend(data.into_iter().skip(skipped));
                Some(self.new_message(Role::User, parts))
            }
            None => self.user_messages.pop(),
        };
        self.history.extend(self.user_messages.drain(..).map(HistoryEntry::Message));
        let last = CurrentInput { message, results: call_ids, approvals: self.approvals };
        ParsedInput { history: self.history, current: last, system: self.system }
    }
}

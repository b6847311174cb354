//! Items put together as messages, in the order that models want: results directly after their calls.

use super::{Approval, Input, Last, Reach, Turn};
use crate::parts::{approvals_part, calls_part, results_part};
use baton_types::{CallId, Json, Message, Part, Role, ToolCall, ToolResult};
use std::collections::HashMap;

/// What stands for the result of a call that has none, because models refuse a call without one.
const NO_RESULT: &str = "The caller gave no result.";

/// Results in the order in which they came; a second result of a call replaces the first.
#[derive(Default)]
struct ResultList {
    entries: Vec<Option<ToolResult>>,
    places: HashMap<CallId, usize>,
}

impl ResultList {
    fn put(&mut self, result: ToolResult) {
        if let Some(earlier) = self.places.insert(result.call.clone(), self.entries.len()) {
            self.entries[earlier] = None;
        }
        self.entries.push(Some(result));
    }

    fn contains(&self, call: &CallId) -> bool {
        self.places.contains_key(call)
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &ToolResult> {
        self.entries.iter().flatten()
    }

    fn into_results(self) -> Vec<ToolResult> {
        self.entries.into_iter().flatten().collect()
    }
}

/// The conversation while its items are read.
pub(super) struct Conversation<'f> {
    reach: Reach,
    fresh: &'f mut dyn FnMut() -> String,
    history: Vec<Turn>,
    system: Vec<String>,
    /// The agent's last message and its calls, while more may come.
    agent: Option<(Message, Vec<ToolCall>)>,
    /// Calls of the agent's last message.
    open: Vec<ToolCall>,
    /// Names of all calls so far.
    names: HashMap<String, String>,
    /// What came since the agent had the word.
    words: Vec<Message>,
    files: Vec<Part>,
    results: ResultList,
    approvals: Vec<Approval>,
}

impl<'f> Conversation<'f> {
    pub(super) fn new(reach: Reach, fresh: &'f mut dyn FnMut() -> String) -> Self {
        Self {
            reach,
            fresh,
            history: Vec::new(),
            system: Vec::new(),
            agent: None,
            open: Vec::new(),
            names: HashMap::new(),
            words: Vec::new(),
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

    /// The user said something.
    pub(super) fn heard(&mut self, message: Message) {
        self.settle();
        self.words.push(message);
    }

    /// The agent said something.
    pub(super) fn spoke(&mut self, message: Message) {
        self.answer();
        self.settle();
        self.give_up_open();
        self.agent = Some((message, Vec::new()));
    }

    /// The agent called a tool of the caller's; what it said just before belongs to it.
    pub(super) fn called(&mut self, call: ToolCall) {
        self.answer();
        self.names.insert(call.id.to_string(), call.name.clone());
        if self.agent.is_none() {
            let message = self.new_message(Role::Agent, Vec::new());
            self.agent = Some((message, Vec::new()));
        }
        if let Some((_, calls)) = &mut self.agent {
            calls.push(call);
        }
    }

    /// The agent called a tool of its own.
    pub(super) fn ran(&mut self, call: ToolCall, result: ToolResult) {
        self.called(call);
        self.settle();
        self.result(result, Vec::new());
        self.answer();
    }

    /// Messages that were put together before.
    pub(super) fn said(&mut self, messages: Vec<Message>) {
        self.answer();
        self.settle();
        self.give_up_open();
        self.history.extend(messages.into_iter().map(Turn::Said));
    }

    pub(super) fn reference(&mut self, id: &str, param: &str) {
        // What a model thought is kept with what it said.
        if !id.starts_with("rs_") {
            self.answer();
            self.settle();
            self.reach = Reach::Further;
            self.history.push(Turn::Reference { id: id.to_owned(), param: param.to_owned() });
        }
    }

    pub(super) fn instructed(&mut self, words: String) {
        self.system.push(words);
    }

    /// The name of the tool that was called; nothing for a call that nobody made.
    pub(super) fn name_of(&self, id: &str) -> Option<String> {
        let known = self.names.get(id).cloned();
        known.or_else(|| (self.reach == Reach::Further).then(String::new))
    }

    pub(super) fn result(&mut self, result: ToolResult, files: Vec<Part>) {
        self.settle();
        self.results.put(result);
        self.files.extend(files);
    }

    pub(super) fn approve(&mut self, approval: Approval) {
        self.settle();
        self.approvals.push(approval);
    }

    /// The agent's message is complete.
    fn settle(&mut self) {
        let Some((mut message, calls)) = self.agent.take() else { return };
        if !calls.is_empty() {
            message.parts.push(calls_part(&calls));
        }
        self.open = calls;
        self.history.push(Turn::Said(message));
    }

    /// The agent has the word again: what the caller said is part of the history.
    fn answer(&mut self) {
        if self.words.is_empty() && self.results.is_empty() && self.approvals.is_empty() {
            return;
        }
        self.give_up_open();
        self.approvals.clear();
        self.history.extend(self.words.drain(..).map(Turn::Said));
    }

    /// Puts the results so far into the history; a call that has none gets one that says so.
    fn give_up_open(&mut self) {
        if let Some(parts) = self.gathered() {
            let message = self.new_message(Role::User, parts);
            self.history.push(Turn::Said(message));
        }
    }

    /// Results of all open calls, and files that came with them.
    fn gathered(&mut self) -> Option<Vec<Part>> {
        for call in std::mem::take(&mut self.open) {
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

    pub(super) fn finish(mut self) -> Input {
        self.settle();
        let given: Vec<String> = self.results.iter().map(|result| result.call.to_string()).collect();
        let has_word = !self.words.is_empty() || !given.is_empty() || !self.approvals.is_empty();
        let mut parts = if has_word { self.gathered() } else { None };
        if !self.approvals.is_empty() {
            parts.get_or_insert_with(|| vec![Part::text("")]).push(approvals_part(&self.approvals));
        }
        let message = match parts {
            // Words beside results are one message with them: the task waits for all of it.
            Some(data) => {
                let said = std::mem::take(&mut self.words).into_iter().flat_map(|message| message.parts);
                let mut parts: Vec<Part> = said.collect();
                let skipped = usize::from(!parts.is_empty());
                parts.extend(data.into_iter().skip(skipped));
                Some(self.new_message(Role::User, parts))
            }
            None => self.words.pop(),
        };
        self.history.extend(self.words.drain(..).map(Turn::Said));
        let last = Last { message, results: given, approvals: self.approvals };
        Input { history: self.history, last, system: self.system }
    }
}

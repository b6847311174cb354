//! The history as models know it, with what they are given beside it.

use super::{
    brief::output_in_short,
    files::{Reader, carried},
    words::{are_heard, is_told, text_of},
};
use baton_ports::{ChatMessage, Model};
use baton_rules::{Task, answers_tools, calls_in, results_in, without_mentions};
use baton_types::{
    AgentSpec, CallId, ItemKind, Knowledge, Message, MessageId, Reasoning, RequestContext, Role, ToolCall, ToolResult,
};

/// The least that is kept aside; a shorter text would hardly be shorter in short.
const LEAST_SPILL: usize = 1_024;

/// A result that is kept aside is given with so much of its beginning and end.
const PREVIEW: usize = 4 * 1_024;

/// Old results that are given in short have so much left.
pub(super) const SHORT: usize = 400;

/// Who is given a history, and in which form.
pub(super) struct Listener<'a> {
    knowledge: &'a Knowledge,
    reader: Reader<'a>,
    model: &'a str,
    reasoning: &'a [(MessageId, Reasoning)],
    /// Results beyond this are given in short.
    spill: usize,
    /// Results that are given in short whatever their length.
    pub(super) shortened: &'a [CallId],
}

impl<'a> Listener<'a> {
    pub(super) fn new(spec: &'a AgentSpec, model: &'a dyn Model, task: &'a Task) -> Self {
        let looks = model.about().images != Some(false);
        Self {
            knowledge: &spec.knowledge,
            reader: Reader { modes: &spec.input_modes, looks },
            model: model.name(),
            reasoning: &task.reasoning,
            spill: usize::try_from(spec.limits.spill_bytes).unwrap_or(usize::MAX).max(LEAST_SPILL),
            shortened: &[],
        }
    }

    /// What this model itself thought before it called; another's thoughts are not for it.
    fn thought(&self, message: &MessageId) -> Option<Reasoning> {
        let found = self.reasoning.iter().rev().find(|(of, _)| of == message).map(|(_, reasoning)| reasoning);
        found.filter(|reasoning| reasoning.model == self.model).cloned()
    }

    fn output(&self, result: &ToolResult) -> baton_types::Json {
        let limit = if self.shortened.contains(&result.call) {
            SHORT
        } else if result.output.as_str().len() > self.spill {
            PREVIEW.min(self.spill / 2)
        } else {
            return result.output.clone();
        };
        output_in_short(&result.output, &result.call, limit).unwrap_or_else(|| result.output.clone())
    }
}

/// The history with nothing dropped: the results of a turn stand right behind its calls, whatever else the caller said
/// meanwhile comes after them. Mentions of what the agent has are no words for the model.
pub(super) fn conversation<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    listener: &Listener<'_>,
) -> Vec<ChatMessage> {
    let mut chat = Vec::new();
    let mut said = Vec::new();
    let mut called: Vec<ToolCall> = Vec::new();
    for message in history {
        if message.role == Role::Agent {
            chat.append(&mut said);
            called = calls_in(message);
            let reasoning = if called.is_empty() { None } else { listener.thought(&message.id) };
            chat.push(ChatMessage::Assistant { text: message.text(), calls: called.clone(), reasoning });
            continue;
        }
        // A caller need not repeat which tool a result is of.
        let name_of = |result: &ToolResult| {
            let call = called.iter().find(|call| call.id == result.call);
            call.map_or_else(|| result.name.clone(), |call| call.name.clone())
        };
        let results = results_in(message).unwrap_or_default();
        let for_tools = answers_tools(message);
        let words = if for_tools { String::new() } else { text_of(message, &message.text(), results.is_empty()) };
        chat.extend(results.iter().map(|result| ChatMessage::Tool {
            name: name_of(result),
            call: result.call.clone(),
            output: listener.output(result),
            is_error: result.is_error,
            said: is_told(result, &words).then(|| message.id.clone()),
        }));
        if !for_tools && are_heard(&words, &results) {
            let text = message.text();
            let own = without_mentions(&text, listener.knowledge);
            let (told, files) = carried(message, results.is_empty(), listener.reader);
            let lines: Vec<&str> = [&*own].into_iter().chain(told.iter().map(String::as_str)).collect();
            let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
            said.push(ChatMessage::User { id: message.id.clone(), text: lines.join("\n"), files });
        }
    }
    chat.append(&mut said);
    chat
}

/// Puts what was chosen for a request right before what is asked: references, then rules, each as words of the user.
pub(super) fn place(chat: &mut Vec<ChatMessage>, request: &RequestContext, knowledge: &Knowledge) {
    let at = chat.iter().rposition(|message| matches!(message, ChatMessage::User { .. })).unwrap_or(chat.len());
    let items = request.items.iter().filter_map(|used| {
        let title = match used.kind {
            ItemKind::Reference => "Reference",
            ItemKind::Rule => "Rule",
            ItemKind::Tool => return None,
        };
        // A definition that changed since may lack it.
        let item = knowledge.items(used.kind).iter().find(|item| item.name == used.name)?;
        let id = format!("{}:{}", used.kind.as_str(), item.name).into();
        Some(ChatMessage::User { id, text: format!("{title}: {}", item.text), files: Vec::new() })
    });
    chat.splice(at..at, items.collect::<Vec<_>>());
}

//! Converts the history into chat messages for a model.

use super::{
    current_request::{is_passed_to_model, message_text, result_equals_text},
    files::{FileSupport, extract_files},
    shorten::shorten_output,
};
use baton_ports::{ChatMessage, Model};
use baton_rules::{TaskRecord, is_tool_answer, parse_tool_calls, parse_tool_results, without_mentions};
use baton_types::{
    AgentSpec, CallId, ItemKind, Knowledge, Message, MessageId, ReasoningBlock, RequestContext, Role, ToolCall,
    ToolResult,
};

/// Minimum spill threshold; shorter results would hardly get shorter.
const MIN_SPILL_BYTES: usize = 1_024;

/// Preview size of a spilled result.
const PREVIEW_BYTES: usize = 4 * 1_024;

/// Size of a shortened old result.
pub(super) const SHORTENED_BYTES: usize = 400;

/// Format of the history for one model.
pub(super) struct HistoryFormat<'a> {
    knowledge: &'a Knowledge,
    reader: FileSupport<'a>,
    model: &'a str,
    reasoning: &'a [(MessageId, ReasoningBlock)],
    /// Results above this size are shortened.
    spill: usize,
    /// Results that are shortened regardless of their size.
    pub(super) shortened: &'a [CallId],
}

impl<'a> HistoryFormat<'a> {
    pub(super) fn new(spec: &'a AgentSpec, model: &'a dyn Model, task: &'a TaskRecord) -> Self {
        let looks = model.model_info().images != Some(false);
        Self {
            knowledge: &spec.knowledge,
            reader: FileSupport { modes: &spec.input_modes, accepts_files: looks },
            model: model.name(),
            reasoning: &task.reasoning,
            spill: usize::try_from(spec.limits.spill_bytes).unwrap_or(usize::MAX).max(MIN_SPILL_BYTES),
            shortened: &[],
        }
    }

    /// Reasoning of this model before the call; reasoning of another model is not included.
    fn own_reasoning(&self, message: &MessageId) -> Option<ReasoningBlock> {
        let found = self.reasoning.iter().rev().find(|(of, _)| of == message).map(|(_, reasoning)| reasoning);
        found.filter(|reasoning| reasoning.model == self.model).cloned()
    }

    fn output(&self, result: &ToolResult) -> baton_types::Json {
        let limit = if self.shortened.contains(&result.call) {
            SHORTENED_BYTES
        } else if result.output.as_str().len() > self.spill {
            PREVIEW_BYTES.min(self.spill / 2)
        } else {
            return result.output.clone();
        };
        shorten_output(&result.output, &result.call, limit).unwrap_or_else(|| result.output.clone())
    }
}

/// Converts the whole history. The results of a turn follow its calls directly; other messages received meanwhile come
/// after them. Mentions of known items are removed from the text.
pub(super) fn conversation<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    format: &HistoryFormat<'_>,
) -> Vec<ChatMessage> {
    let mut chat = Vec::new();
    let mut user_messages = Vec::new();
    let mut called: Vec<ToolCall> = Vec::new();
    for message in history {
        if message.role == Role::Agent {
            chat.append(&mut user_messages);
            called = parse_tool_calls(message);
            let reasoning = if called.is_empty() { None } else { format.own_reasoning(&message.id) };
            chat.push(ChatMessage::Assistant { text: message.text(), calls: called.clone(), reasoning });
            continue;
        }
        // A caller may omit the tool name of a result.
        let name_of = |result: &ToolResult| {
            let call = called.iter().find(|call| call.id == result.call);
            call.map_or_else(|| result.name.clone(), |call| call.name.clone())
        };
        let results = parse_tool_results(message).unwrap_or_default();
        let for_tools = is_tool_answer(message);
        let content =
            if for_tools { String::new() } else { message_text(message, &message.text(), results.is_empty()) };
        chat.extend(results.iter().map(|result| ChatMessage::Tool {
            name: name_of(result),
            call: result.call.clone(),
            output: format.output(result),
            is_error: result.is_error,
            answer_message: result_equals_text(result, &content).then(|| message.id.clone()),
        }));
        if !for_tools && is_passed_to_model(&content, &results) {
            let text = message.text();
            let own = without_mentions(&text, format.knowledge);
            let (file_lines, files) = extract_files(message, results.is_empty(), format.reader);
            let lines: Vec<&str> = [&*own].into_iter().chain(file_lines.iter().map(String::as_str)).collect();
            let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
            user_messages.push(ChatMessage::User { id: message.id.clone(), text: lines.join("\n"), files });
        }
    }
    chat.append(&mut user_messages);
    chat
}

/// Inserts the selected context before the request: references, then rules, each as a user message.
pub(super) fn insert_context(chat: &mut Vec<ChatMessage>, request: &RequestContext, knowledge: &Knowledge) {
    let at = chat.iter().rposition(|message| matches!(message, ChatMessage::User { .. })).unwrap_or(chat.len());
    let items = request.items.iter().filter_map(|used| {
        let title = match used.kind {
            ItemKind::Reference => "Reference",
            ItemKind::Rule => "Rule",
            ItemKind::Tool => return None,
        };
        // The definition may have changed since.
        let item = knowledge.items(used.kind).iter().find(|item| item.name == used.name)?;
        let id = format!("{}:{}", used.kind.as_str(), item.name).into();
        Some(ChatMessage::User { id, text: format!("{title}: {}", item.text), files: Vec::new() })
    });
    chat.splice(at..at, items.collect::<Vec<_>>());
}

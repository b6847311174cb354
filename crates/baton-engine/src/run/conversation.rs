//! The history as models know it, with what they are given beside it.

use super::words::{are_heard, is_told, text_of};
use baton_ports::ChatMessage;
use baton_rules::{answers_tools, calls_in, results_in, without_mentions};
use baton_types::{ItemKind, Knowledge, Message, RequestContext, Role, ToolCall, ToolResult};

/// The history with nothing dropped: the results of a turn stand right behind its calls, whatever else the caller said
/// meanwhile comes after them. Mentions of what the agent has are no words for the model.
pub(super) fn conversation<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    knowledge: &Knowledge,
) -> Vec<ChatMessage> {
    let mut chat = Vec::new();
    let mut said = Vec::new();
    let mut called: Vec<ToolCall> = Vec::new();
    for message in history {
        if message.role == Role::Agent {
            chat.append(&mut said);
            called = calls_in(message);
            chat.push(ChatMessage::Assistant { text: message.text(), calls: called.clone(), reasoning: None });
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
            output: result.output.clone(),
            is_error: result.is_error,
            said: is_told(result, &words).then(|| message.id.clone()),
        }));
        if !for_tools && are_heard(&words, &results) {
            let text = text_of(message, &without_mentions(&message.text(), knowledge), results.is_empty());
            said.push(ChatMessage::User { id: message.id.clone(), text, files: Vec::new() });
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

//! Text and reasoning of the agent, live and complete.

use super::ResponseProjector;
use crate::{
    ContentPart, ItemStatus, OutputItem, StreamEvent, StreamEventBody, SummaryPart, item_id::item_id,
    parts::message_text,
};
use baton_types::{Message, MessageId, ReasoningBlock};
use serde::Deserialize;

/// A model call that may still produce text.
#[derive(Clone, Debug)]
pub(super) struct TextAttempt {
    message: MessageId,
    number: u32,
    text: String,
    /// Output index of its item, once it has text.
    item: Option<usize>,
}

impl TextAttempt {
    fn item_id(&self, task: &str) -> String {
        match self.number {
            0 | 1 => item_id("msg", task, self.message.as_str()),
            further => item_id("msg", task, &format!("{}_{further}", self.message)),
        }
    }
}

/// Role of a text in the turn.
#[derive(Clone, Copy)]
pub(super) enum TextRole {
    /// Text before tool calls.
    Commentary,
    /// The answer.
    Answer,
    /// The answer, truncated by a limit.
    TruncatedAnswer,
    /// The reason for a refusal.
    Refusal,
}

#[derive(Default, Deserialize)]
struct AnswerMetadata {
    #[serde(default)]
    finish: Option<String>,
}

impl ResponseProjector {
    pub(super) fn begin_attempt(&mut self, out: &mut Vec<StreamEvent>, message: &MessageId, number: u32) {
        self.abandon(out);
        self.attempt = Some(TextAttempt { message: message.clone(), number, text: String::new(), item: None });
    }

    /// Adds text of an attempt; text that was already shown is skipped, and text after a gap is not shown before the
    /// complete message.
    pub(super) fn append_text(
        &mut self,
        out: &mut Vec<StreamEvent>,
        message: &MessageId,
        number: u32,
        offset: usize,
        text: &str,
    ) {
        let Some(mut attempt) = self.attempt.take() else { return };
        let is_current = attempt.message == *message && attempt.number == number && !self.autonomous;
        let new = attempt.text.len().checked_sub(offset).and_then(|start| text.get(start..));
        if let Some(new) = new.filter(|new| is_current && !new.is_empty()) {
            self.write(out, &mut attempt, new);
        }
        self.attempt = Some(attempt);
    }

    fn write(&mut self, out: &mut Vec<StreamEvent>, attempt: &mut TextAttempt, new: &str) {
        let item_id = attempt.item_id(&self.task);
        let output_index = match attempt.item {
            Some(output_index) => output_index,
            None => {
                let output_index = self.add(out, message_item(&item_id, ItemStatus::InProgress, Vec::new(), None));
                self.open_part(out, &item_id, output_index, output_text(""));
                *attempt.item.insert(output_index)
            }
        };
        attempt.text.push_str(new);
        if let Some(OutputItem::Message { content, .. }) = self.response.output.get_mut(output_index)
            && let Some(ContentPart::OutputText { text, .. }) = content.first_mut()
        {
            text.push_str(new);
        }
        let body =
            StreamEventBody::TextDelta { item_id, output_index, content_index: 0, delta: new.to_owned(), logprobs: [] };
        self.emit(out, "response.output_text.delta", body);
    }

    fn open_part(&mut self, out: &mut Vec<StreamEvent>, item_id: &str, output_index: usize, part: ContentPart) {
        if let Some(OutputItem::Message { content, .. }) = self.response.output.get_mut(output_index) {
            content.push(part.clone());
        }
        let body = StreamEventBody::Part { item_id: item_id.to_owned(), output_index, content_index: 0, part };
        self.emit(out, "response.content_part.added", body);
    }

    /// Closes the item of a failed attempt. The journal does not record whether its text was shown, so the item always
    /// exists and is empty; if the journal has the text, the item contains it.
    pub(super) fn abandon(&mut self, out: &mut Vec<StreamEvent>) {
        let Some(attempt) = self.attempt.take() else { return };
        if self.autonomous || self.ignores_live_text && attempt.item.is_none() {
            return;
        }
        let item_id = attempt.item_id(&self.task);
        let output_index = match attempt.item {
            Some(output_index) => output_index,
            None => self.add(out, message_item(&item_id, ItemStatus::InProgress, Vec::new(), None)),
        };
        let mut content = Vec::new();
        if self.ignores_live_text {
            let part = output_text(&attempt.text);
            self.close_text(out, &item_id, output_index, &attempt.text);
            self.close_part(out, &item_id, output_index, part.clone());
            content.push(part);
        }
        self.close(out, output_index, message_item(&item_id, ItemStatus::Incomplete, content, None));
    }

    /// Handles tool calls of the model; accompanying text is commentary.
    pub(super) fn emit_commentary(&mut self, out: &mut Vec<StreamEvent>, message: &Message) {
        if !self.autonomous && !message_text(message).is_empty() {
            self.emit_message(out, message, TextRole::Commentary);
        } else if self.attempt.as_ref().is_some_and(|attempt| attempt.message == message.id && attempt.item.is_none()) {
            self.attempt = None;
        } else {
            self.abandon(out);
        }
        self.shown_messages.push(message.id.clone());
        self.emit_reasoning(out);
    }

    /// Handles the model's answer.
    pub(super) fn answer(&mut self, out: &mut Vec<StreamEvent>, message: &Message) {
        let metadata: AnswerMetadata = message.metadata.as_ref().and_then(|json| json.read().ok()).unwrap_or_default();
        let role = match metadata.finish.as_deref() {
            Some("refusal") => TextRole::Refusal,
            Some("length") => TextRole::TruncatedAnswer,
            _ => TextRole::Answer,
        };
        self.is_truncated = matches!(role, TextRole::TruncatedAnswer);
        self.emit_message(out, message, role);
        self.emit_reasoning(out);
    }

    /// Shows a complete message, or the rest of one that is being streamed.
    pub(super) fn emit_message(&mut self, out: &mut Vec<StreamEvent>, message: &Message, role: TextRole) {
        if self.attempt.as_ref().is_some_and(|attempt| attempt.message != message.id) {
            self.abandon(out);
        }
        self.shown_messages.push(message.id.clone());
        let text = message_text(message);
        let attempt = self.attempt.take();
        let new = || TextAttempt { message: message.id.clone(), number: 1, text: String::new(), item: None };
        let mut attempt = attempt.unwrap_or_else(new);
        let item_id = attempt.item_id(&self.task);
        let (status, phase) = match role {
            TextRole::Commentary => (ItemStatus::Completed, Some("commentary")),
            TextRole::Answer | TextRole::Refusal => (ItemStatus::Completed, Some("final_answer")),
            TextRole::TruncatedAnswer => (ItemStatus::Incomplete, Some("final_answer")),
        };
        let (output_index, part) = match role {
            TextRole::Refusal => self.refuse(out, &attempt, &item_id, &text),
            TextRole::Commentary | TextRole::Answer | TextRole::TruncatedAnswer => {
                // If other text was shown, the closing events replace it.
                let rest = text.strip_prefix(attempt.text.as_str()).unwrap_or_default();
                if !rest.is_empty() || attempt.item.is_none() {
                    self.write(out, &mut attempt, rest);
                }
                let output_index = attempt.item.unwrap_or_default();
                self.close_text(out, &item_id, output_index, &text);
                (output_index, output_text(&text))
            }
        };
        self.close_part(out, &item_id, output_index, part.clone());
        self.close(out, output_index, message_item(&item_id, status, vec![part], phase));
    }

    fn refuse(
        &mut self,
        out: &mut Vec<StreamEvent>,
        attempt: &TextAttempt,
        item_id: &str,
        text: &str,
    ) -> (usize, ContentPart) {
        let (item_id, content_index) = (item_id.to_owned(), 0);
        let output_index = match attempt.item {
            Some(output_index) => output_index,
            None => {
                let output_index = self.add(out, message_item(&item_id, ItemStatus::InProgress, Vec::new(), None));
                self.open_part(out, &item_id, output_index, ContentPart::Refusal { refusal: String::new() });
                let (item_id, delta) = (item_id.clone(), text.to_owned());
                let body = StreamEventBody::RefusalDelta { item_id, output_index, content_index, delta };
                self.emit(out, "response.refusal.delta", body);
                output_index
            }
        };
        let refusal = text.to_owned();
        let body = StreamEventBody::RefusalDone { item_id, output_index, content_index, refusal: refusal.clone() };
        self.emit(out, "response.refusal.done", body);
        (output_index, ContentPart::Refusal { refusal })
    }

    fn close_text(&mut self, out: &mut Vec<StreamEvent>, item_id: &str, output_index: usize, text: &str) {
        let (item_id, text) = (item_id.to_owned(), text.to_owned());
        let body = StreamEventBody::TextDone { item_id, output_index, content_index: 0, text, logprobs: [] };
        self.emit(out, "response.output_text.done", body);
    }

    fn close_part(&mut self, out: &mut Vec<StreamEvent>, item_id: &str, output_index: usize, part: ContentPart) {
        let body = StreamEventBody::Part { item_id: item_id.to_owned(), output_index, content_index: 0, part };
        self.emit(out, "response.content_part.done", body);
    }

    /// Handles reasoning: its item precedes that of the text. If text was shown live before, the item follows it, and
    /// the journal records this, so that the order of items does not depend on live subscribers.
    pub(super) fn record_reasoning(
        &mut self,
        out: &mut Vec<StreamEvent>,
        message: &MessageId,
        reasoning: &ReasoningBlock,
    ) {
        let ReasoningBlock { text, after_text, .. } = reasoning;
        if self.autonomous || text.is_empty() || self.reasoned_messages.contains(message) {
            return;
        }
        self.pending_reasoning = Some((message.clone(), text.clone()));
        if self.ignores_live_text || !after_text {
            self.emit_reasoning(out);
        }
    }

    pub(super) fn emit_reasoning(&mut self, out: &mut Vec<StreamEvent>) {
        let Some((message, text)) = self.pending_reasoning.take() else { return };
        let (item_id, summary_index) = (item_id("rs", &self.task, message.as_str()), 0);
        self.reasoned_messages.push(message);
        let open = OutputItem::Reasoning { id: item_id.clone(), status: ItemStatus::InProgress, summary: Vec::new() };
        let output_index = self.add(out, open);
        let part = |text: &str| SummaryPart::SummaryText { text: text.to_owned() };
        let body =
            StreamEventBody::SummaryPart { item_id: item_id.clone(), output_index, summary_index, part: part("") };
        self.emit(out, "response.reasoning_summary_part.added", body);
        let body = StreamEventBody::SummaryDelta {
            item_id: item_id.clone(),
            output_index,
            summary_index,
            delta: text.clone(),
        };
        self.emit(out, "response.reasoning_summary_text.delta", body);
        let body =
            StreamEventBody::SummaryDone { item_id: item_id.clone(), output_index, summary_index, text: text.clone() };
        self.emit(out, "response.reasoning_summary_text.done", body);
        let body =
            StreamEventBody::SummaryPart { item_id: item_id.clone(), output_index, summary_index, part: part(&text) };
        self.emit(out, "response.reasoning_summary_part.done", body);
        let (status, summary) = (ItemStatus::Completed, vec![part(&text)]);
        self.close(out, output_index, OutputItem::Reasoning { id: item_id, status, summary });
    }
}

fn message_item(id: &str, status: ItemStatus, content: Vec<ContentPart>, phase: Option<&'static str>) -> OutputItem {
    OutputItem::Message { id: id.to_owned(), status, role: "assistant", content, phase }
}

fn output_text(text: &str) -> ContentPart {
    ContentPart::OutputText { text: text.to_owned(), annotations: Vec::new(), logprobs: Vec::new() }
}

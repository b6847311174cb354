//! Summarises the older part of a conversation that no longer fits the window.

use super::{Driver, Halt, recalled_history::RecalledHistory, shorten::shorten};
use baton_ports::{ChatMessage, Model, ModelCall, ModelError, ModelEvent, OutputFormat, ToolChoice};
use baton_rules::WindowBudget;
use baton_types::{AgentSpec, BudgetUsage, GenerationSettings, Usage};
use futures_util::StreamExt;
use std::pin::pin;

/// Text for the model in place of a missing summary.
const OMISSION_NOTICE: &str =
    "Part of the conversation is left out here, because not all of it fits. It is kept on record.";

/// System prompt of the summary call.
const SUMMARY_PROMPT: &str = "You keep the notes of a conversation between a user and an assistant whose older part no longer fits. \
    Write down what the assistant must still know to go on as if it had read all of it: instructions and wishes of the \
    user that still hold, facts and names and numbers that were established, what was done with which result, what is \
    decided, what is open. Leave out greetings and detours. Write plain notes, not a dialogue, and nothing else.";

/// Maximum bytes per message that a summary is written from.
const MAX_MESSAGE_BYTES: usize = 4 * 1_024;

/// A summary and the usage of writing it.
pub(super) struct HistorySummary {
    pub(super) text: String,
    pub(super) usage: Usage,
}

impl Driver {
    /// Summarises the first pieces of a conversation and the previous summary. A failed model call does not stop the
    /// run: the older part is then replaced by a notice.
    pub(super) async fn summarise(
        &self,
        spec: &AgentSpec,
        model: &dyn Model,
        recall: &RecalledHistory,
        cut: usize,
        room: &WindowBudget,
    ) -> Result<HistorySummary, Halt> {
        let left_out = |usage| HistorySummary { text: OMISSION_NOTICE.to_owned(), usage };
        if model.name() == "playbook" {
            return Ok(left_out(Usage::default()));
        }
        let omitted = recall.pieces[..cut].iter().flat_map(|piece| &piece.chat);
        let lines: Vec<String> = recall.summary.iter().chain(omitted).map(line).collect();
        let text = shorten_to_tokens(model, lines.join("\n\n"), room.budget / 3 * 2);
        let message = ChatMessage::User { id: self.inner.ports.ids.next_id().into(), text, files: Vec::new() };
        // Reasoning counts towards the same limit.
        let max_output_tokens = u32::try_from(room.summary.saturating_mul(2).max(1_024)).unwrap_or(u32::MAX);
        let call = ModelCall {
            agent: spec.name.clone(),
            system: SUMMARY_PROMPT.to_owned(),
            messages: vec![message],
            tools: Vec::new(),
            tool_choice: ToolChoice::None,
            format: OutputFormat::Text,
            writing: GenerationSettings {
                max_output_tokens: Some(max_output_tokens),
                stop: Vec::new(),
                ..spec.writing.clone()
            },
            parallel_calls: false,
            turn: 1,
            attempt: 1,
            message_id: self.inner.ports.ids.next_id().into(),
            metadata: None,
        };
        self.reserve_model_budget(spec, model, &call).await?;
        let result = self.write_summary(model, call).await?;
        if let Ok(HistorySummary { usage, .. }) = &result {
            self.add_usage(spec, BudgetUsage::from_model_call(*usage, 0));
        }
        match result {
            Ok(HistorySummary { text, usage }) if text.trim().is_empty() => Ok(left_out(usage)),
            Ok(HistorySummary { text, usage }) => {
                Ok(HistorySummary { text: shorten_to_tokens(model, text.trim().to_owned(), room.summary), usage })
            }
            Err(error) => {
                tracing::warn!(task = %self.live.id, %error, "no summary could be written");
                Ok(left_out(Usage::default()))
            }
        }
    }

    /// Reads the model stream without publishing it.
    async fn write_summary(
        &self,
        model: &dyn Model,
        call: ModelCall,
    ) -> Result<Result<HistorySummary, ModelError>, Halt> {
        self.flush();
        let listen = async {
            let mut stream = model.call(call);
            let mut text = String::new();
            while let Some(event) = stream.next().await {
                match event? {
                    ModelEvent::Text(more) if text.len() < MAX_MESSAGE_BYTES * 16 => text.push_str(&more),
                    ModelEvent::Done { mut usage, answered_by: by, .. } => {
                        if usage.micro_dollars == 0 {
                            let by = by.unwrap_or_else(|| model.name().to_owned());
                            usage.micro_dollars = model.price_for(&by, usage).unwrap_or(0);
                        }
                        return Ok(HistorySummary { text, usage });
                    }
                    _ => {}
                }
            }
            Err(ModelError::Interrupted("the stream ended before the summary was complete".to_owned()))
        };
        let mut deadline = pin!(self.until_deadline());
        tokio::select! {
            biased;
            () = self.live.cancel.cancelled() => Err(Halt::Changed),
            () = self.inner.stopping.cancelled() => Err(Halt::Stopping),
            result = listen => Ok(result),
            () = &mut deadline => Err(Halt::Changed),
        }
    }
}

/// A message as input of the summary.
fn line(message: &ChatMessage) -> String {
    let (author, text) = match message {
        ChatMessage::User { text, .. } => ("User".to_owned(), text.clone()),
        ChatMessage::Assistant { text, calls, .. } => {
            let called = calls.iter().map(|call| format!("[calls {} with {}]", call.name, call.arguments.as_str()));
            let content = Some(text.clone()).filter(|text| !text.is_empty());
            ("Assistant".to_owned(), content.into_iter().chain(called).collect::<Vec<_>>().join("\n"))
        }
        ChatMessage::Tool { name, output, .. } => (format!("Result of {name}"), output.to_plain_text()),
    };
    let text = shorten(&text, MAX_MESSAGE_BYTES, "").unwrap_or(text);
    format!("{author}: {text}")
}

/// Shortens the middle of a text until it fits the token limit.
fn shorten_to_tokens(model: &dyn Model, text: String, max_tokens: u64) -> String {
    let mut short = text;
    // Each round removes more than the estimate requires, so few rounds suffice.
    for _ in 0..16 {
        let tokens = model.tokens(&short);
        if tokens <= max_tokens || short.len() < 64 {
            break;
        }
        let share = u128::from(max_tokens) * short.len() as u128 * 9 / 10 / u128::from(tokens.max(1));
        let limit = usize::try_from(share).unwrap_or(0).saturating_sub(48).max(48);
        match shorten(&short, limit, "") {
            Some(less) if less.len() < short.len() => short = less,
            _ => break,
        }
    }
    short
}

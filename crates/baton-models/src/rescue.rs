//! Recovery of tool calls that a model wrote as text.
//!
//! Small models often choose the right tool but write the call as JSON in the answer text. Such an answer is recognized
//! only if it contains nothing else, and only for available tools.

mod plausible;
mod read;

use crate::layers::as_inner;
use async_stream::stream;
use baton_ports::{FinishReason, Model, ModelCall, ModelEvent, ModelStream, OutputFormat, ToolChoice};
use baton_types::{CallId, Json, ModelNote, ToolCall};
use futures_util::StreamExt;
use plausible::may_become_calls;
use std::sync::Arc;

/// Maximum size of buffered text; longer text is always an answer.
const MAX_BUFFERED_BYTES: usize = 64 * 1024;

/// Forms of written tool calls that are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecognizedForms {
    /// Any form.
    All,
    /// Only tagged calls, because the caller requested JSON output.
    Tagged,
}

/// A model whose tool calls written as text are converted to real ones.
pub struct RescueModel {
    inner: Arc<dyn Model>,
}

impl RescueModel {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn Model>) -> Self {
        Self { inner }
    }
}

impl Model for RescueModel {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let names: Vec<String> = match &call.tool_choice {
            ToolChoice::None => Vec::new(),
            ToolChoice::Named(name) => {
                call.tools.iter().map(|tool| &tool.name).filter(|n| *n == name).cloned().collect()
            }
            ToolChoice::Auto | ToolChoice::Required => call.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        if names.is_empty() {
            return self.inner.call(call);
        }
        let recognized = if call.format == OutputFormat::Text { RecognizedForms::All } else { RecognizedForms::Tagged };
        let (message, max_calls) = (call.message_id.clone(), if call.parallel_calls { usize::MAX } else { 1 });
        let mut answer = self.inner.call(call);
        Box::pin(stream! {
            // Text that may still become a tool call; `None` once the answer is certainly plain text.
            let mut held = Some(String::new());
            while let Some(event) = answer.next().await {
                match event {
                    Ok(ModelEvent::Text(text)) => match held.take() {
                        None => yield Ok(ModelEvent::Text(text)),
                        Some(mut so_far) => {
                            so_far.push_str(&text);
                            if may_become_calls(&so_far, recognized) {
                                held = Some(so_far);
                            } else {
                                yield Ok(ModelEvent::Text(so_far));
                            }
                        }
                    },
                    Ok(ModelEvent::ToolCall(call)) => {
                        // The model makes real tool calls, so its text is plain text.
                        if let Some(text) = held.take().filter(|text| !text.is_empty()) {
                            yield Ok(ModelEvent::Text(text));
                        }
                        yield Ok(ModelEvent::ToolCall(call));
                    }
                    Ok(ModelEvent::Done { usage, finish, answered_by }) => {
                        let text = held.take().unwrap_or_default();
                        let mut calls = read::parse_calls(&text, &names);
                        calls.truncate(max_calls);
                        if calls.is_empty() {
                            if !text.is_empty() {
                                yield Ok(ModelEvent::Text(text));
                            }
                            yield Ok(ModelEvent::Done { usage, finish, answered_by });
                            return;
                        }
                        let count = u32::try_from(calls.len()).unwrap_or(u32::MAX);
                        yield Ok(ModelEvent::Note(ModelNote::Rescued { calls: count }));
                        for (index, (name, arguments)) in calls.into_iter().enumerate() {
                            let id = CallId::from(format!("call-{message}-{index}"));
                            yield Ok(ModelEvent::ToolCall(ToolCall { id, name, arguments: Json::from(arguments) }));
                        }
                        yield Ok(ModelEvent::Done { usage, finish: FinishReason::ToolCalls, answered_by });
                        return;
                    }
                    // On an error the buffered text is discarded. It was never delivered, so the call can be retried.
                    other => yield other,
                }
            }
        })
    }
}

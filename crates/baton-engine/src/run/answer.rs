//! Structured answers: requests the agent's JSON schema and repairs answers that do not match it.

use super::{Driver, Halt, model::ModelOutput};
use crate::end::TaskEnd;
use baton_ports::{ChatMessage, ModelCall, OutputFormat};
use baton_rules::{AnswerRepair, parse_answer};
use baton_types::{AgentSpec, AnswerFormat, ErrorCode, FailureReason, Json, ModelNote, TaskEvent};

/// Maximum bytes of an invalid answer that are shown to the model again.
const MAX_SHOWN_ANSWER_BYTES: usize = 64 * 1024;

impl Driver {
    /// Adds the answer schema to the call, and the repair request after an invalid answer.
    pub(super) fn apply_answer_format(&self, spec: &AgentSpec, call: &mut ModelCall) {
        let Some(form) = &spec.answer else { return };
        call.format = OutputFormat::JsonSchema(form.schema.clone());
        let Some(AnswerRepair { answer, problem, .. }) = self.live.lock().task.repair.clone() else { return };
        if !answer.is_empty() {
            call.messages.push(ChatMessage::Assistant { text: answer, calls: Vec::new(), reasoning: None });
        }
        let text = format!("That cannot be used: {problem}. Answer again, with nothing but JSON that fits the schema.");
        call.messages.push(ChatMessage::User { id: self.inner.ports.ids.next_id().into(), text, files: Vec::new() });
    }

    /// Parses the answer as JSON of the agent's schema; the error describes the mismatch.
    pub(super) fn parse_answer(&self, form: &AnswerFormat, answer: &str) -> Result<Json, String> {
        let form = self.inner.schemas.get_or_parse(&form.schema).map_err(|error| error.to_string())?;
        parse_answer(&form, answer)
    }

    /// Records an invalid answer. The model retries while repairs are left; otherwise the task fails.
    pub(super) async fn repair(&self, form: &AnswerFormat, output: ModelOutput, problem: String) -> Result<(), Halt> {
        let answer = output.text[..output.text.floor_char_boundary(MAX_SHOWN_ANSWER_BYTES)].to_owned();
        let note = ModelNote::Repaired { problem: problem.clone(), answer, usage: output.usage };
        self.buffer_events(|_| vec![TaskEvent::ModelNoted { note }])?;
        let tried = self.live.lock().task.repair.as_ref().map_or(0, |repair| repair.count);
        if tried <= form.repairs {
            return Ok(());
        }
        let tries = if tried == 1 { "repairs are disabled".to_owned() } else { format!("{tried} answers were tried") };
        let reason = FailureReason::new(ErrorCode::ANSWER_FORM.code, format!("{problem}; {tries}"));
        Ok(Box::pin(self.inner.end(&self.live, TaskEnd::Failed(reason))).await?)
    }
}

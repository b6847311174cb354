//! Structured answers: requests the agent's JSON schema and repairs answers that do not match it.

use super::{Driver, Halt, model::Said};
use crate::end::Ending;
use baton_ports::{ChatMessage, ModelCall, OutputFormat};
use baton_rules::{Repair, answer_in_form};
use baton_types::{AgentSpec, AnswerForm, ErrorCode, Json, ModelNote, Reason, TaskEvent};

/// Maximum bytes of an invalid answer that are shown to the model again.
const SHOWN: usize = 64 * 1024;

impl Driver {
    /// Adds the answer schema to the call, and the repair request after an invalid answer.
    pub(super) fn shape(&self, spec: &AgentSpec, call: &mut ModelCall) {
        let Some(form) = &spec.answer else { return };
        call.format = OutputFormat::JsonSchema(form.schema.clone());
        let Some(Repair { answer, problem, .. }) = self.live.lock().task.repair.clone() else { return };
        if !answer.is_empty() {
            call.messages.push(ChatMessage::Assistant { text: answer, calls: Vec::new(), reasoning: None });
        }
        let text = format!("That cannot be used: {problem}. Answer again, with nothing but JSON that fits the schema.");
        call.messages.push(ChatMessage::User { id: self.inner.ports.ids.fresh().into(), text, files: Vec::new() });
    }

    /// Parses the answer as JSON of the agent's schema; the error describes the mismatch.
    pub(super) fn in_form(&self, form: &AnswerForm, answer: &str) -> Result<Json, String> {
        let form = self.inner.forms.of(&form.schema).map_err(|error| error.to_string())?;
        answer_in_form(&form, answer)
    }

    /// Records an invalid answer. The model retries while repairs are left; otherwise the task fails.
    pub(super) async fn repair(&self, form: &AnswerForm, said: Said, problem: String) -> Result<(), Halt> {
        let answer = said.text[..said.text.floor_char_boundary(SHOWN)].to_owned();
        let note = ModelNote::Repaired { problem: problem.clone(), answer, usage: said.usage };
        self.hold(|_| vec![TaskEvent::ModelNoted { note }])?;
        let tried = self.live.lock().task.repair.as_ref().map_or(0, |repair| repair.count);
        if tried <= form.repairs {
            return Ok(());
        }
        let tries =
            if tried == 1 { "repairs are disabled".to_owned() } else { format!("{tried} answers were tried") };
        let reason = Reason::new(ErrorCode::ANSWER_FORM.code, format!("{problem}; {tries}"));
        Ok(self.inner.end(&self.live, Ending::Failed(reason)).await?)
    }
}

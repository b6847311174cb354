//! Errors tracked by a task: an answer that needs repair, and tool failures.

use crate::{AnswerRepair, TaskRecord, ToolFailures};
use baton_types::{ModelNote, ToolResult};

/// Maximum stored characters of a tool's last error.
const MAX_ERROR_CHARS: usize = 500;

impl TaskRecord {
    pub(crate) fn apply_note(&mut self, note: &ModelNote) {
        match note {
            ModelNote::Repaired { problem, answer, usage } => {
                self.add_usage(*usage);
                let count = self.repair.as_ref().map_or(0, |repair| repair.count).saturating_add(1);
                self.repair = Some(AnswerRepair { answer: answer.clone(), problem: problem.clone(), count });
            }
            ModelNote::Used { usage, .. } => self.add_usage(*usage),
            ModelNote::Retried { .. } | ModelNote::FellBack { .. } | ModelNote::Rescued { .. } => {}
        }
    }

    pub(crate) fn count_failure(&mut self, result: &ToolResult) {
        let Some(run) = self.run.as_mut().filter(|_| result.is_error) else { return };
        let ToolFailures { count, last } = run.failures.entry(result.name.clone()).or_default();
        *count = count.saturating_add(1);
        *last = truncate(&result.output.to_plain_text());
    }
}

fn truncate(text: &str) -> String {
    match text.char_indices().nth(MAX_ERROR_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

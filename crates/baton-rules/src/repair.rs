//! Errors tracked by a task: an answer that needs repair, and tool failures.

use crate::{Failures, Repair, Task};
use baton_types::{ModelNote, ToolResult};

/// Maximum stored characters of a tool's last error.
const KEPT_ERROR: usize = 500;

impl Task {
    pub(crate) fn noted(&mut self, note: &ModelNote) {
        match note {
            ModelNote::Repaired { problem, answer, usage } => {
                self.count(*usage);
                let count = self.repair.as_ref().map_or(0, |repair| repair.count).saturating_add(1);
                self.repair = Some(Repair { answer: answer.clone(), problem: problem.clone(), count });
            }
            ModelNote::Used { usage, .. } => self.count(*usage),
            ModelNote::Retried { .. } | ModelNote::FellBack { .. } | ModelNote::Rescued { .. } => {}
        }
    }

    pub(crate) fn count_failure(&mut self, result: &ToolResult) {
        let Some(run) = self.run.as_mut().filter(|_| result.is_error) else { return };
        let Failures { count, last } = run.failures.entry(result.name.clone()).or_default();
        *count = count.saturating_add(1);
        *last = brief(&result.output.to_plain_text());
    }
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(KEPT_ERROR) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

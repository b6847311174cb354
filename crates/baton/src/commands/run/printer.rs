//! Output during a run.

use crate::{
    follow::StepObserver,
    screen::{Screen, escape_for_terminal},
    step_text::sentence,
    steps::{OutputChunk, TaskStep},
};
use baton_client::ClientError;
use baton_wire::a2a::v1::TaskState;
use std::io::{self, IsTerminal};

/// Prints steps to stderr and the answer to stdout.
pub(super) struct RunPrinter {
    pub(super) screen: Screen,
    quiet: bool,
    pub(super) answer: AnswerPrinter,
    /// Root task, once it is known.
    pub(super) task: Option<String>,
    /// Whether the root task waits for an answer.
    pub(super) waits_for_answer: bool,
}

impl RunPrinter {
    /// Creates a printer for this screen.
    pub(super) fn new(screen: Screen, quiet: bool) -> Self {
        let live = !screen.is_json() && io::stdout().is_terminal();
        let quiet = quiet || screen.is_json();
        let answer = AnswerPrinter { screen, live, id: String::new(), text: String::new(), open: false };
        Self { screen, quiet, answer, task: None, waits_for_answer: false }
    }
}

impl StepObserver for RunPrinter {
    fn on_step(&mut self, agent: &str, depth: usize, step: &TaskStep) {
        if let (TaskStep::Text(piece), 0) = (step, depth) {
            self.answer.print_piece(piece);
        }
        if let (TaskStep::Snapshot { task, .. }, 0) = (step, depth) {
            self.task = Some(task.clone());
        }
        if let (TaskStep::Snapshot { status, .. } | TaskStep::StatusChange(status), 0) = (step, depth) {
            self.waits_for_answer = status.state == TaskState::InputRequired && status.calls.is_empty();
        }
        // A question of a delegated agent is repeated by its caller, so it is not printed here.
        let asks = matches!(step, TaskStep::StatusChange(status) if status.state == TaskState::InputRequired);
        let ended = matches!(step, TaskStep::StatusChange(_)) && depth == 0;
        if self.quiet || ended || asks {
            return;
        }
        let paint = self.screen.stderr_paint();
        if let Some(sentence) = sentence(step, paint) {
            self.answer.end_line();
            let name = paint.name(agent);
            self.screen.print_stderr(&format!("{}{name}: {sentence}", "  ".repeat(depth)));
        }
    }

    fn on_disconnect(&mut self, error: &ClientError) {
        self.answer.end_line();
        self.screen.print_stderr(&format!("{error}; retrying"));
    }
}

/// Prints the answer to stdout. A terminal gets the text as it is streamed. A file or pipe gets only the final text,
/// because retracted text cannot be removed from it.
pub(super) struct AnswerPrinter {
    screen: Screen,
    live: bool,
    id: String,
    text: String,
    open: bool,
}

impl AnswerPrinter {
    fn print_piece(&mut self, piece: &OutputChunk) {
        if !piece.is_answer() || !self.live {
            return;
        }
        if piece.is_retraction() {
            self.end_line();
            self.id.clear();
            return;
        }
        let is_same_piece = self.id == piece.id;
        let news = match piece.append {
            true => piece.text.as_str(),
            false if is_same_piece && piece.text.starts_with(&self.text) => &piece.text[self.text.len()..],
            false => {
                self.end_line();
                self.text.clear();
                &piece.text
            }
        };
        self.screen.stream(&escape_for_terminal(news));
        self.open |= !news.is_empty();
        self.id.clone_from(&piece.id);
        self.text.push_str(news);
    }

    /// Ends an open line.
    pub(super) fn end_line(&mut self) {
        if std::mem::take(&mut self.open) {
            self.screen.stream("\n");
        }
    }

    /// Prints the final text unless it has been printed already.
    pub(super) fn complete(&mut self, answer: &str) {
        self.end_line();
        if !self.live {
            self.screen.print(answer);
        } else if self.text != answer && !answer.is_empty() {
            self.screen.print(&escape_for_terminal(answer));
        }
    }
}

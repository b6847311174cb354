//! Output of the demo.

use crate::{
    events,
    follow::StepObserver,
    screen::{Paint, Screen, escape_for_terminal, one_line},
    step_text::sentence,
    steps::{OutputChunk, TaskStep},
};
use baton_api::EventEntry;
use baton_client::ClientError;
use baton_types::AgentListing;
use baton_wire::a2a::v1::Task;
use serde::Serialize;
use std::{sync::Arc, time::Instant};

/// Prints the demo to stdout. With `--json` it prints to stderr, and stdout gets the task.
pub(super) struct DemoPrinter {
    screen: Screen,
    url: String,
    started: Instant,
    width: usize,
    /// Id of the output that is being printed, and the number of bytes printed.
    open: Option<(String, usize)>,
}

impl DemoPrinter {
    pub(super) fn new(screen: Screen, url: String) -> Self {
        Self { screen, url, started: Instant::now(), width: 0, open: None }
    }

    fn paint(&self) -> Paint {
        if self.screen.is_json() { self.screen.stderr_paint() } else { self.screen.stdout_paint() }
    }

    fn line(&self, line: &str) {
        if self.screen.is_json() { self.screen.print_stderr(line) } else { self.screen.print(line) }
    }

    fn piece(&self, text: &str) {
        if self.screen.is_json() { self.screen.prompt(text) } else { self.screen.stream(text) }
    }

    /// Prints the list of agents.
    pub(super) fn print_agents(&mut self, agents: &[Arc<AgentListing>]) {
        let paint = self.paint();
        self.width = agents.iter().map(|agent| agent.name.as_str().len()).max().unwrap_or(0);
        let width = self.width;
        self.line(&paint.strong(&format!("Baton serves {} agents at {}", agents.len(), self.url)));
        self.line("");
        for agent in agents {
            let name = paint.name(&format!("{:<width$}", agent.name.as_str()));
            self.line(&format!("  {name}  {}", one_line(&agent.description, 90)));
        }
        self.line("");
        self.line("  They use the built-in playbook: fixed rules in a file, not an AI model.");
        self.line("  Real AI: export OPENAI_API_KEY=... | ANTHROPIC_API_KEY=... | GEMINI_API_KEY=..., or start Ollama; then baton up.");
        self.line("");
    }

    /// Prints the question and starts the clock.
    pub(super) fn print_question(&mut self, agent: &str, question: &str) {
        let paint = self.paint();
        self.started = Instant::now();
        self.line(&format!("{} {} \"{question}\"", paint.strong("You ask"), paint.name(agent)));
        self.line("");
    }

    /// Prints the answer.
    pub(super) fn print_answer(&self, answer: &str) {
        let paint = self.paint();
        self.line("");
        self.line(&format!("{} {}", paint.strong("Answer:"), paint.good(&escape_for_terminal(answer))));
        self.line("");
    }

    /// Prints the journal events of the task.
    pub(super) fn print_events(&self, task: &str, entries: &[EventEntry]) {
        let paint = self.paint();
        self.line(&format!("{} task {task}", paint.strong("In the journal, synced to disk:")));
        self.line("");
        let rows: Vec<_> = entries.iter().map(events::row).collect();
        for row in events::table(&rows) {
            self.line(&row);
        }
        self.line("");
    }

    /// Prints commands to try next.
    pub(super) fn print_next_steps(&self, agent: &str, task: &str) {
        let paint = self.paint();
        let base = &self.url;
        let program = program();
        let call = |agent: &str, method: &str, params: &str| {
            format!(
                "  curl -s {base}/agents/{agent}/ -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\\n    \
                 -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}'"
            )
        };
        let message =
            r#"{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"Is it sunny in Lisbon?"}]}}"#;
        self.line(&paint.strong("Try next, in another terminal"));
        for (description, command) in [
            ("ask the weather agent", call("weather", "SendMessage", message)),
            ("read the task above", call(agent, "GetTask", &format!(r#"{{"id":"{task}"}}"#))),
            ("read a card", format!("  curl -s {base}/agents/{agent}/.well-known/agent-card.json")),
            ("create and serve your own agent", format!("  {program} new helper && {program} up helper --port 0")),
        ] {
            self.line("");
            self.line(&paint.faint(&format!("  # {description}")));
            self.line(&command);
        }
        self.line("");
    }

    /// Prints the task and its events as JSON.
    pub(super) fn print_json<'a>(&'a self, task: &'a Task<'a>, events: &'a [EventEntry]) {
        #[derive(Serialize)]
        struct DemoResult<'a> {
            url: &'a str,
            task: &'a Task<'a>,
            events: &'a [EventEntry],
        }
        if self.screen.is_json()
            && let Ok(data) = serde_json::to_string(&DemoResult { url: &self.url, task, events })
        {
            self.screen.print(&data);
        }
    }

    /// Prints the closing line before the server keeps running.
    pub(super) fn print_serving(&self) {
        let paint = self.paint();
        self.line(&format!("Serving at {} until Ctrl-C.", paint.strong(&self.url)));
    }

    /// Prints the closing line of `--once`.
    pub(super) fn print_done(&self) {
        self.line("Done. Run without --once to keep the server running and try the commands above.");
    }

    fn prefix(&self, agent: &str, depth: usize) -> String {
        let paint = self.paint();
        let elapsed = paint.faint(&format!("{:>6.2}s", self.started.elapsed().as_secs_f32()));
        let name = paint.name(&format!("{agent:<width$}", width = self.width));
        format!("{elapsed}  {name}  {}", "  ".repeat(depth))
    }

    fn text(&mut self, agent: &str, depth: usize, piece: &OutputChunk) {
        if piece.is_retraction() {
            self.end_line();
            return;
        }
        let shown = match &self.open {
            Some((id, shown)) if *id == piece.id => *shown,
            _ if piece.text.is_empty() => return,
            _ => {
                self.end_line();
                self.piece(&format!("{}says ", self.prefix(agent, depth)));
                0
            }
        };
        // The last piece repeats the complete text; only the part that was not printed yet is printed.
        let news = if piece.append { Some(piece.text.as_str()) } else { piece.text.get(shown..) };
        let news = news.unwrap_or_default();
        self.piece(&escape_for_terminal(news).replace('\n', " "));
        self.open = Some((piece.id.clone(), shown + news.len()));
        if piece.last {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        if self.open.take().is_some() {
            self.piece("\n");
        }
    }
}

impl StepObserver for DemoPrinter {
    fn on_step(&mut self, agent: &str, depth: usize, step: &TaskStep) {
        if let TaskStep::Text(piece) = step {
            self.text(agent, depth, piece);
            return;
        }
        let Some(sentence) = sentence(step, self.paint()) else { return };
        self.end_line();
        self.line(&format!("{}{sentence}", self.prefix(agent, depth)));
    }

    fn on_disconnect(&mut self, error: &ClientError) {
        self.end_line();
        self.line(&format!("  {error}; retrying"));
    }
}

/// Program name as it was invoked, so that the printed commands can be copied.
fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "baton".to_owned())
}

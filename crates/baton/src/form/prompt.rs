//! Prompts in the terminal, field by field.

use super::{
    fields::{FormField, InputForm},
    read::FormValues,
};
use crate::screen::Screen;
use baton_types::Json;
use std::io::{self, IsTerminal};

/// Result of a prompt.
#[derive(Debug)]
pub(crate) enum PromptResult<T> {
    Answered(T),
    /// The terminal was closed.
    Closed,
}

/// Whether prompts are possible: they are written to stderr and answered on stdin.
pub(crate) fn is_interactive(screen: Screen) -> bool {
    !screen.is_json() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Reads a line from the terminal; none if it is closed.
pub(crate) async fn read_line(screen: Screen, prompt: &str) -> Option<String> {
    screen.prompt(prompt);
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
    });
    let line = line.await.ok()?.ok()?;
    if line.is_none() {
        // Later output must not continue the prompt's line.
        screen.print_stderr("");
    }
    Some(line?.trim().to_owned())
}

impl InputForm {
    /// Prompts for required fields without a value.
    pub(crate) async fn ask_missing(&self, mut values: FormValues, screen: Screen) -> PromptResult<Json> {
        let missing: Vec<FormField> = self.missing(&values).into_iter().cloned().collect();
        for field in missing {
            match field.ask(screen).await {
                PromptResult::Answered(Some(value)) => values.put(&field.name, value),
                PromptResult::Answered(None) => {}
                PromptResult::Closed => return PromptResult::Closed,
            }
        }
        PromptResult::Answered(values.object(self))
    }

    /// Prompts for all fields without a value.
    pub(crate) async fn ask_all(&self, mut values: FormValues, screen: Screen) -> PromptResult<Json> {
        for field in &self.fields {
            if values.has(&field.name) {
                continue;
            }
            match field.ask(screen).await {
                PromptResult::Answered(Some(value)) => values.put(&field.name, value),
                PromptResult::Answered(None) => {}
                PromptResult::Closed => return PromptResult::Closed,
            }
        }
        PromptResult::Answered(values.object(self))
    }
}

impl FormField {
    /// Prompts until the input is valid; none for an optional field that is skipped.
    async fn ask(&self, screen: Screen) -> PromptResult<Option<Json>> {
        loop {
            let Some(text) = read_line(screen, &format!("{}\n> ", self.prompt())).await else {
                return PromptResult::Closed;
            };
            let wrong = match (text.is_empty(), &self.default) {
                (true, Some(default)) => return PromptResult::Answered(Some(default.clone())),
                (true, None) if !self.required => return PromptResult::Answered(None),
                _ => match self.read(&text) {
                    Ok(value) => return PromptResult::Answered(Some(value)),
                    Err(expected) => expected,
                },
            };
            screen.print_stderr(&format!("  it must be {wrong}"));
        }
    }
}

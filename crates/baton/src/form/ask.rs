//! Prompts in the terminal, field by field.

use super::{
    fields::{Field, Form},
    read::Given,
};
use crate::screen::Screen;
use baton_types::Json;
use std::io::{self, IsTerminal};

/// Result of a prompt.
#[derive(Debug)]
pub(crate) enum Asked<T> {
    Answered(T),
    /// The terminal was closed.
    Closed,
}

/// Whether prompts are possible: they are written to stderr and answered on stdin.
pub(crate) fn someone_is_there(screen: Screen) -> bool {
    !screen.is_json() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Reads a line from the terminal; none if it is closed.
pub(crate) async fn line(screen: Screen, prompt: &str) -> Option<String> {
    screen.ask(prompt);
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
    });
    let line = line.await.ok()?.ok()?;
    if line.is_none() {
        // Later output must not continue the prompt's line.
        screen.say("");
    }
    Some(line?.trim().to_owned())
}

impl Form {
    /// Prompts for required fields without a value.
    pub(crate) async fn ask_missing(&self, mut given: Given, screen: Screen) -> Asked<Json> {
        let missing: Vec<Field> = self.missing(&given).into_iter().cloned().collect();
        for field in missing {
            match field.ask(screen).await {
                Asked::Answered(Some(value)) => given.put(&field.name, value),
                Asked::Answered(None) => {}
                Asked::Closed => return Asked::Closed,
            }
        }
        Asked::Answered(given.object(self))
    }

    /// Prompts for all fields without a value.
    pub(crate) async fn ask_all(&self, mut given: Given, screen: Screen) -> Asked<Json> {
        for field in &self.fields {
            if given.has(&field.name) {
                continue;
            }
            match field.ask(screen).await {
                Asked::Answered(Some(value)) => given.put(&field.name, value),
                Asked::Answered(None) => {}
                Asked::Closed => return Asked::Closed,
            }
        }
        Asked::Answered(given.object(self))
    }
}

impl Field {
    /// Prompts until the input is valid; none for an optional field that is skipped.
    async fn ask(&self, screen: Screen) -> Asked<Option<Json>> {
        loop {
            let Some(text) = line(screen, &format!("{}\n> ", self.prompt())).await else { return Asked::Closed };
            let wrong = match (text.is_empty(), &self.default) {
                (true, Some(default)) => return Asked::Answered(Some(default.clone())),
                (true, None) if !self.required => return Asked::Answered(None),
                _ => match self.read(&text) {
                    Ok(value) => return Asked::Answered(Some(value)),
                    Err(wanted) => wanted,
                },
            };
            screen.say(&format!("  it must be {wrong}"));
        }
    }
}

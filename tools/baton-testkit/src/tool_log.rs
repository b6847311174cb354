//! What the tools themselves recorded, whatever the server believes.

use anyhow::{Context as _, Result};
use baton_types::CallId;
use std::path::Path;

/// One time that a tool began to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Which tool.
    pub tool: String,
    /// For which call.
    pub call: CallId,
    /// The process that started it; another one's id when that had died before the tool's first line.
    pub server: u32,
}

impl Execution {
    /// Reads lines of `TOOL CALL PARENT`.
    pub fn parse_log(text: &str) -> Result<Vec<Self>> {
        text.lines().map(|line| Self::parse(line).with_context(|| format!("not an execution: {line:?}"))).collect()
    }

    /// Reads the log; there is none when no tool ever ran.
    pub fn read_log(path: &Path) -> Result<Vec<Self>> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse_log(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (tool, call, server) = (words.next()?, words.next()?, words.next()?.parse().ok()?);
        words.next().is_none().then(|| Self { tool: tool.to_owned(), call: call.into(), server })
    }
}

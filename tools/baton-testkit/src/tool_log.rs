//! Executions recorded by the tools themselves, independent of the server.

use anyhow::{Context as _, Result};
use baton_types::CallId;
use std::path::Path;

/// One start of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Tool name.
    pub tool: String,
    /// Call id.
    pub call: CallId,
    /// Process id of the parent; another process's id if the server died before the tool's first line.
    pub server: u32,
}

impl Execution {
    /// Parses lines of `TOOL CALL PARENT`.
    pub fn parse_log(text: &str) -> Result<Vec<Self>> {
        text.lines().map(|line| Self::parse(line).with_context(|| format!("not an execution: {line:?}"))).collect()
    }

    /// Reads the log; it does not exist if no tool ever ran.
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

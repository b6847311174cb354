//! Which kind of agent directory this is.

use std::collections::BTreeMap;

/// The ways to write an agent down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `agent.yaml` with `prompt.md` and `playbook.yaml` beside it.
    Native,
}

impl Format {
    /// The format of these files; `None` when they are no agent at all.
    pub fn of(files: &BTreeMap<String, Vec<u8>>) -> Option<Self> {
        files.contains_key(crate::AGENT_FILE).then_some(Self::Native)
    }
}

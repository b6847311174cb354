//! Which form an agent is written in, and which file makes it one.

use crate::{AGENT_FILE, PLAYBOOK_FILE, mcp::TEAMSPARK_FILE};
use std::collections::BTreeMap;

/// The one file of a TeamSpark agent of today.
pub const TSAGENT_FILE: &str = "tsagent.yaml";
/// The file of a TeamSpark agent that was a directory for the last time.
pub const TSAGENT_JSON_FILE: &str = "tsagent.json";
/// The files that make a directory an agent; of several in one directory the first counts.
pub const DEFINITION_FILES: [&str; 5] = [AGENT_FILE, TSAGENT_FILE, "tsagent.yml", TSAGENT_JSON_FILE, TEAMSPARK_FILE];

/// The ways to write an agent down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// `agent.yaml` with `prompt.md`, `playbook.yaml`, `rules/` and `references/` beside it.
    Native,
    /// TeamSpark's first: `tspark.json` with `prompt.md`, `rules/` and `refs/` beside it.
    Tspark,
    /// TeamSpark's second: the same under the name `tsagent.json`.
    TsagentJson,
    /// TeamSpark's third: everything in one YAML file of any name.
    Tsagent,
}

impl Format {
    /// The format of these files; `None` when they are no agent at all.
    pub fn of(files: &BTreeMap<String, Vec<u8>>) -> Option<Self> {
        Self::found(files).map(|(format, _)| format)
    }

    /// The format of these files, and the one among them that says so.
    pub fn found(files: &BTreeMap<String, Vec<u8>>) -> Option<(Self, &str)> {
        let usual = DEFINITION_FILES.iter().find_map(|name| files.get_key_value(*name));
        if let Some((name, bytes)) = usual {
            let format = match name.as_str() {
                AGENT_FILE if is_tsagent(bytes) && !has_key(bytes, "name") => Self::Tsagent,
                AGENT_FILE => Self::Native,
                TEAMSPARK_FILE => Self::Tspark,
                TSAGENT_JSON_FILE => Self::TsagentJson,
                _ => Self::Tsagent,
            };
            return Some((format, name));
        }
        let (name, _) = files.iter().find(|(name, bytes)| is_yaml(name) && is_tsagent(bytes))?;
        Some((Self::Tsagent, name))
    }

    /// The word for it on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Tspark => "tspark",
            Self::TsagentJson => "tsagent-json",
            Self::Tsagent => "tsagent",
        }
    }

    /// Whether it is one of TeamSpark's, with names in words and without tools of its own.
    pub fn is_foreign(self) -> bool {
        self != Self::Native
    }
}

/// Whether a file directly in a directory may hold an agent of TeamSpark's third form.
fn is_yaml(name: &str) -> bool {
    !name.contains('/') && name != PLAYBOOK_FILE && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

fn is_tsagent(bytes: &[u8]) -> bool {
    has_key(bytes, "metadata")
}

/// Whether a line begins with the key, as it does at the top of a YAML file.
fn has_key(bytes: &[u8], key: &str) -> bool {
    let is_it = |line: &[u8]| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b":"));
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.split(|byte| *byte == b'\n').any(is_it)
}

/// Whether a file of this path inside an agent's directory can be part of its definition.
pub fn is_definition_path(path: &str) -> bool {
    match path.split_once('/') {
        None => {
            DEFINITION_FILES.contains(&path)
                || crate::MCP_FILES.contains(&path)
                || [crate::PROMPT_FILE, PLAYBOOK_FILE, crate::GUIDE_FILE, crate::provider::VARIABLES_FILE]
                    .contains(&path)
        }
        Some(_) => crate::item::is_item_path(path),
    }
}

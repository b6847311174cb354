//! Detects the format of an agent and its definition file.

use crate::{AGENT_FILE, PLAYBOOK_FILE, mcp::TEAMSPARK_FILE};
use std::collections::BTreeMap;

/// The single file of an agent in TeamSpark's current format.
pub const TSAGENT_FILE: &str = "tsagent.yaml";
/// The definition file of TeamSpark's last directory format.
pub const TSAGENT_JSON_FILE: &str = "tsagent.json";
/// Files that make a directory an agent, in order of precedence.
pub const DEFINITION_FILES: [&str; 5] = [AGENT_FILE, TSAGENT_FILE, "tsagent.yml", TSAGENT_JSON_FILE, TEAMSPARK_FILE];

/// Formats of an agent definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// `agent.yaml` next to `prompt.md`, `playbook.yaml`, `rules/` and `references/`.
    Native,
    /// TeamSpark's first format: `tspark.json` next to `prompt.md`, `rules/` and `refs/`.
    Tspark,
    /// TeamSpark's second format: the same with the name `tsagent.json`.
    TsagentJson,
    /// TeamSpark's third format: everything in one YAML file of any name.
    Tsagent,
}

impl Format {
    /// The format of these files; `None` if they are not an agent.
    pub fn detect(files: &BTreeMap<String, Vec<u8>>) -> Option<Self> {
        Self::detect_file(files).map(|(format, _)| format)
    }

    /// The format of these files and the definition file that determines it.
    pub fn detect_file(files: &BTreeMap<String, Vec<u8>>) -> Option<(Self, &str)> {
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

    /// Name of the format on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Tspark => "tspark",
            Self::TsagentJson => "tsagent-json",
            Self::Tsagent => "tsagent",
        }
    }

    /// Whether this is a TeamSpark format: agents have free-text names and no command or HTTP tools.
    pub fn is_foreign(self) -> bool {
        self != Self::Native
    }
}

/// Whether a file directly in a directory may hold an agent in TeamSpark's third format.
fn is_yaml(name: &str) -> bool {
    !name.contains('/') && name != PLAYBOOK_FILE && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

fn is_tsagent(bytes: &[u8]) -> bool {
    has_key(bytes, "metadata")
}

/// Whether a line starts with the key, as a top-level key of a YAML file does.
fn has_key(bytes: &[u8], key: &str) -> bool {
    let is_it = |line: &[u8]| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b":"));
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.split(|byte| *byte == b'\n').any(is_it)
}

/// Whether a file with this path in an agent's directory can be part of its definition.
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

//! Initial files of a new agent.

use std::collections::BTreeMap;

const FILES: [(&str, &str); 3] = [
    (crate::AGENT_FILE, include_str!("../scaffold/agent.yaml")),
    (crate::PROMPT_FILE, include_str!("../scaffold/prompt.md")),
    (crate::PLAYBOOK_FILE, include_str!("../scaffold/playbook.yaml")),
];

/// Files that `baton new NAME` writes, by path inside the directory. The name must be a valid agent name.
pub fn scaffold(name: &str) -> BTreeMap<String, String> {
    FILES.into_iter().map(|(path, text)| (path.to_owned(), text.replace("{{name}}", name))).collect()
}

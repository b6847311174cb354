//! The files that a new agent starts from.

use std::collections::BTreeMap;

const FILES: [(&str, &str); 3] = [
    (crate::AGENT_FILE, include_str!("../scaffold/agent.yaml")),
    (crate::PROMPT_FILE, include_str!("../scaffold/prompt.md")),
    (crate::PLAYBOOK_FILE, include_str!("../scaffold/playbook.yaml")),
];

/// What `baton new FILE_NAME` writes: path inside the directory and content. The name has to be an agent name.
pub fn scaffold(name: &str) -> BTreeMap<String, String> {
    FILES.into_iter().map(|(path, text)| (path.to_owned(), text.replace("{{name}}", name))).collect()
}

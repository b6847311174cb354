//! Edits the system prompt.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    item::keep_outer_white_space,
    step::{keys, scalar},
    yaml::walk,
};
use crate::{Format, PROMPT_FILE};
use baton_document::NodeValue;

const KEY: &str = "systemPrompt";

/// Replaces the prompt in the file that holds it.
pub(super) fn set(subject: &EditSubject<'_>, text: &str) -> Result<AgentAmendment, EditError> {
    if text.trim().is_empty() {
        return Err(EditError::InvalidValue("a prompt cannot be empty"));
    }
    let is_said = subject.parsed.agent.as_ref().is_some_and(|agent| agent.prompt == text.trim_end());
    let path = keys(&[KEY]);
    let written = match subject.format {
        Format::Native => None,
        _ => match walk(&subject.tree()?, &path) {
            (node, []) => match &node.value {
                NodeValue::Text(written) => Some(written.clone()).filter(|written| !written.trim().is_empty()),
                _ => None,
            },
            _ => None,
        },
    };
    let is_embedded = subject.format == Format::Tsagent || written.is_some();
    if is_embedded {
        let text = match &written {
            Some(written) if is_said => written.clone(),
            // Leading white space is part of a prompt.
            Some(written) => format!("{}{}", text.trim_end(), &written[written.trim_end().len()..]),
            None => keep_outer_white_space("", text),
        };
        return subject.set_values(vec![(path, scalar(text))]);
    }
    let before = subject.text(PROMPT_FILE)?;
    let text = if is_said && !before.is_empty() { before.to_owned() } else { format!("{}\n", text.trim_end()) };
    Ok(AgentAmendment::write_file(PROMPT_FILE.to_owned(), text))
}

//! Files of a cloned agent.

use crate::{Definition, ManageError, definition::read, error_codes, manage_error, manager::apply_changes};
use baton_agentdir::{AGENT_FILE, Format, convert};
use baton_ports::AgentFiles;
use baton_rules::DefinitionEffects;
use baton_types::{AgentChange, AgentSpec, ErrorCode, MetadataChange, is_agent_name};

/// The same files with another name. In other programs' formats the name is the title, so the clone uses the native
/// format.
pub(crate) fn files(original: &Definition, name: &str, title: Option<&str>) -> Result<AgentFiles, ManageError> {
    if !is_agent_name(name) {
        let detail = "the copy needs a name of lower-case letters, digits and dashes, at most 64, such as weather-2";
        return Err(manage_error(ErrorCode::INVALID_REQUEST, detail));
    }
    let mut files = match original.form {
        Format::Native => original.files.clone(),
        _ => {
            let converted = convert(&original.files, Format::Native);
            converted.map_err(|error| manage_error(error_codes::AGENT_NOT_CHANGED, error.to_string()))?.files
        }
    };
    let before = read(&files)?;
    let text = files.get(AGENT_FILE).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    let renamed = replace_name(text, name);
    files.insert(AGENT_FILE.to_owned(), renamed.into_bytes());
    let after = read(&files);
    let is_named = after.as_ref().is_ok_and(|(agent, resources, _)| {
        let (old, new) = (
            DefinitionEffects::from_definition(&before.0, &before.1),
            DefinitionEffects::from_definition(agent, resources),
        );
        agent.name.as_str() == name && *resources == before.1 && old == new
    });
    if !is_named {
        let detail = format!("the name in {AGENT_FILE} cannot be changed automatically; copy the agent by hand");
        return Err(manage_error(error_codes::AGENT_NOT_CHANGED, detail));
    }
    // A title derived from the name follows the new name.
    let AgentSpec { title: old, .. } = before.0;
    let has_same_title = after.is_ok_and(|(agent, ..)| agent.title == old);
    let title = title.or((!has_same_title).then_some(old.as_str())).map(str::to_owned);
    let Some(title) = title else { return Ok(files) };
    let change = AgentChange::Metadata(MetadataChange { title: Some(title), ..MetadataChange::default() });
    Ok(apply_changes(&files, &[change])?.0)
}

/// Replaces the value of the first `name:` and keeps a trailing comment.
fn replace_name(text: &str, name: &str) -> String {
    let mut is_done = false;
    let line = |line: &str| match line.strip_prefix("name:") {
        Some(rest) if !is_done => {
            is_done = true;
            let remark = rest.find(" #").map(|at| &rest[at..]).unwrap_or_default();
            format!("name: {name}{remark}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

//! Edits MCP servers.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    apply::FileSyntax,
    change::find_entry,
    step::{EditPath, EditStep, keys},
    yaml::walk,
};
use crate::{MCP_FILES, mcp::SHARED_FILES};
use baton_document::{DocumentNode, NodeValue, read_json};
use baton_types::{Json, PermissionTarget};

const EMPTY: &str = "{\n  \"mcpServers\": {}\n}\n";

/// Sets or removes the server with this name.
pub(super) fn set(subject: &EditSubject<'_>, name: &str, entry: Option<&Json>) -> Result<AgentAmendment, EditError> {
    let scope = PermissionTarget::Server(name.to_owned());
    let existing = subject.parsed.resources.servers.iter().find(|server| server.name == name);
    let target = match existing {
        Some(server) => {
            let root = subject.read(&server.file)?;
            find_entry(&root, &server.file, &scope).map(|(path, _)| (server.file.clone(), root, path))
        }
        None => None,
    };
    let Some(entry) = entry else {
        let (file, _, path) = target.ok_or(EditError::Missing(scope))?;
        return subject.apply_steps(&file, &[EditStep::Remove(path)]);
    };
    let entry = read_json("", entry.as_str().as_bytes()).ok().filter(|node| matches!(node.value, NodeValue::Map(_)));
    let entry = entry.ok_or(EditError::InvalidValue("a server is a map of keys, as in mcp.json"))?;
    if let Some((file, root, path)) = target {
        let mut steps = Vec::new();
        merge(&mut steps, path.clone(), walk(&root, &path).0, &entry);
        return subject.apply_steps(&file, &steps);
    }
    let file = match subject.format.is_foreign() {
        true => subject.file,
        false => SHARED_FILES.into_iter().find(|file| subject.files.contains_key(*file)).unwrap_or(MCP_FILES[0]),
    };
    if !subject.files.contains_key(file) {
        let steps = [EditStep::Set(keys(&["mcpServers", name]), entry)];
        let text = FileSyntax::Json
            .apply_steps(EMPTY, &steps)
            .ok_or(EditError::InvalidValue("this is not a valid server name"))?;
        return Ok(AgentAmendment::write_file(file.to_owned(), text));
    }
    let root = subject.read(file)?;
    let has = |key: &str| walk(&root, &keys(&[key])).1.is_empty();
    let servers =
        if !has("mcpServers") && has("servers") && !subject.format.is_foreign() { "servers" } else { "mcpServers" };
    subject.apply_steps(file, &[EditStep::Set(keys(&[servers, name]), entry)])
}

/// Appends the steps that turn one value into another; equal parts stay untouched.
pub(super) fn merge(steps: &mut Vec<EditStep>, path: EditPath, old: &DocumentNode, new: &DocumentNode) {
    let below = |key: &str| path.iter().cloned().chain(keys(&[key])).collect::<EditPath>();
    match (&old.value, &new.value) {
        _ if old.to_json() == new.to_json() => {}
        (NodeValue::Map(before), NodeValue::Map(after)) if !after.is_empty() => {
            for entry in after {
                match before.iter().find(|old| old.key == entry.key) {
                    Some(old) => merge(steps, below(&entry.key), &old.node, &entry.node),
                    None => steps.push(EditStep::Set(below(&entry.key), entry.node.clone())),
                }
            }
            let removed = before.iter().filter(|old| !after.iter().any(|entry| entry.key == old.key));
            steps.extend(removed.map(|old| EditStep::Remove(below(&old.key))));
        }
        _ => steps.push(EditStep::Set(path, new.clone())),
    }
}

//! Edits exported tools.

use super::{
    EditError,
    amend::{AgentAmendment, EditSubject},
    server::merge,
    step::{EditPath, EditStep, PathElement, keys, scalar},
    yaml::walk,
};
use crate::teamspark::to_teamspark_prompt;
use baton_document::{DocumentNode, NodeEntry, NodeValue, SourceLocation, read_json};
use baton_types::{ExportedTool, Json};

/// Sets or removes the exported tool with this name.
pub(super) fn set(subject: &EditSubject<'_>, name: &str, entry: Option<&Json>) -> Result<AgentAmendment, EditError> {
    let path = if subject.format.is_foreign() { keys(&["metadata", "tools"]) } else { keys(&["exports"]) };
    let root = subject.tree()?;
    let (found, missing) = walk(&root, &path);
    let nodes = match &found.value {
        NodeValue::List(nodes) if missing.is_empty() => nodes.as_slice(),
        _ => &[],
    };
    let is_it = |node: &DocumentNode| {
        let path = keys(&["name"]);
        let (named, missing) = walk(node, &path);
        missing.is_empty() && named.value == NodeValue::Text(name.to_owned())
    };
    let index = nodes.iter().position(is_it);
    let at = |index: usize| path.iter().cloned().chain([PathElement::Index(index)]).collect::<EditPath>();
    let Some(entry) = entry else {
        let index = index.ok_or_else(|| EditError::Absent { noun: "exported tool", name: name.to_owned() })?;
        return subject.apply_steps(subject.file, &[EditStep::Remove(at(index))]);
    };
    let entry = export_entry(subject, name, entry)?;
    let steps = match index.and_then(|index| Some((index, nodes.get(index)?))) {
        Some((index, old)) => {
            let mut steps = Vec::new();
            merge(&mut steps, at(index), old, &entry);
            // Unknown keys are not part of the entry and are kept.
            steps.retain(|step| !matches!(step, EditStep::Remove(path) if !is_ours(path)));
            steps
        }
        None => vec![EditStep::Add(path.clone(), entry)],
    };
    subject.apply_steps(subject.file, &steps)
}

fn is_ours(path: &[PathElement]) -> bool {
    let is_deep = path.iter().any(|at| *at == PathElement::Key("parameters".to_owned()));
    is_deep || matches!(path.last(), Some(PathElement::Key(key)) if key == "description")
}

/// The entry with its name first, and its prompt in the syntax of the format.
fn export_entry(subject: &EditSubject<'_>, name: &str, entry: &Json) -> Result<DocumentNode, EditError> {
    let node = read_json("", entry.as_str().as_bytes()).ok();
    let Some(DocumentNode { value: NodeValue::Map(entries), .. }) = node else {
        return Err(EditError::InvalidValue("an exported tool is a map with description, parameters and prompt"));
    };
    let mut all = vec![NodeEntry { key: "name".to_owned(), location: SourceLocation::START, node: scalar(name) }];
    all.extend(entries.into_iter().filter(|entry| entry.key != "name"));
    if subject.format.is_foreign() {
        let parameters = all.iter().find(|entry| entry.key == "parameters").map(|entry| entry.node.to_json());
        let prompt = all.iter_mut().find(|entry| entry.key == "prompt").map(|entry| &mut entry.node);
        if let Some(DocumentNode { value: NodeValue::Text(prompt), .. }) = prompt {
            let tool = ExportedTool {
                name: name.to_owned(),
                description: String::new(),
                parameters: Json::from(parameters.unwrap_or_default()),
                prompt: prompt.clone(),
            };
            let instead = "a brace in the prompt would become a placeholder there; write it without braces";
            let teamspark_prompt = to_teamspark_prompt(&tool);
            *prompt =
                teamspark_prompt.ok_or_else(|| EditError::Unsupported { file: subject.file.to_owned(), instead })?;
        }
    }
    Ok(DocumentNode { location: SourceLocation::START, value: NodeValue::Map(all) })
}

//! Edits exported tools.

use super::{
    EditError,
    amend::{Amended, Subject},
    server::merge,
    step::{At, Path, Step, keys, plain},
    yaml::walk,
};
use crate::{
    document::{Entry, Node, Place, Value, read_json},
    foreign::as_theirs,
};
use baton_types::{ExportedTool, Json};

/// Sets or removes the exported tool with this name.
pub(super) fn set(subject: &Subject<'_>, name: &str, entry: Option<&Json>) -> Result<Amended, EditError> {
    let path = if subject.format.is_foreign() { keys(&["metadata", "tools"]) } else { keys(&["exports"]) };
    let root = subject.tree()?;
    let (found, missing) = walk(&root, &path);
    let nodes = match &found.value {
        Value::List(nodes) if missing.is_empty() => nodes.as_slice(),
        _ => &[],
    };
    let is_it = |node: &Node| {
        let path = keys(&["name"]);
        let (named, missing) = walk(node, &path);
        missing.is_empty() && named.value == Value::Text(name.to_owned())
    };
    let index = nodes.iter().position(is_it);
    let at = |index: usize| path.iter().cloned().chain([At::Index(index)]).collect::<Path>();
    let Some(entry) = entry else {
        let index = index.ok_or_else(|| EditError::Absent { noun: "exported tool", name: name.to_owned() })?;
        return subject.carried_out(subject.file, &[Step::Remove(at(index))]);
    };
    let entry = written(subject, name, entry)?;
    let steps = match index.and_then(|index| Some((index, nodes.get(index)?))) {
        Some((index, old)) => {
            let mut steps = Vec::new();
            merge(&mut steps, at(index), old, &entry);
            // Unknown keys are not part of the entry and are kept.
            steps.retain(|step| !matches!(step, Step::Remove(path) if !is_ours(path)));
            steps
        }
        None => vec![Step::Add(path.clone(), entry)],
    };
    subject.carried_out(subject.file, &steps)
}

fn is_ours(path: &[At]) -> bool {
    let is_deep = path.iter().any(|at| *at == At::Key("parameters".to_owned()));
    is_deep || matches!(path.last(), Some(At::Key(key)) if key == "description")
}

/// The entry with its name first, and its prompt in the syntax of the format.
fn written(subject: &Subject<'_>, name: &str, entry: &Json) -> Result<Node, EditError> {
    let node = read_json("", entry.as_str().as_bytes()).ok();
    let Some(Node { value: Value::Map(entries), .. }) = node else {
        return Err(EditError::Unfit("an exported tool is a map with description, parameters and prompt"));
    };
    let mut all = vec![Entry { key: "name".to_owned(), place: Place::START, node: plain(name) }];
    all.extend(entries.into_iter().filter(|entry| entry.key != "name"));
    if subject.format.is_foreign() {
        let parameters = all.iter().find(|entry| entry.key == "parameters").map(|entry| entry.node.to_json());
        let prompt = all.iter_mut().find(|entry| entry.key == "prompt").map(|entry| &mut entry.node);
        if let Some(Node { value: Value::Text(prompt), .. }) = prompt {
            let tool = ExportedTool {
                name: name.to_owned(),
                description: String::new(),
                parameters: Json::from(parameters.unwrap_or_default()),
                prompt: prompt.clone(),
            };
            let instead = "a brace in the prompt would become a placeholder there; write it without braces";
            let theirs = as_theirs(&tool);
            *prompt = theirs.ok_or_else(|| EditError::NoWord { file: subject.file.to_owned(), instead })?;
        }
    }
    Ok(Node { place: Place::START, value: Value::Map(all) })
}

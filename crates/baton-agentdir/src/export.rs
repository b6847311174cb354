//! Tools that the agent exports.

use crate::{
    raw::{RawExport, RawTool},
    template::placeholders,
    tool::{DeclaredParameters, checked_description, parameters, tool_name},
};
use baton_document::DocumentReader;
use baton_types::{ExportedTool, Json};
use std::collections::BTreeSet;

/// All exports of the file; those with errors are skipped. Exports are listed together with the agent's tools, so their
/// names must not collide.
pub(crate) fn resolve_all(reader: &mut DocumentReader, raw: Vec<RawExport>, tools: &[RawTool]) -> Vec<ExportedTool> {
    let mut seen: BTreeSet<String> = tools.iter().filter_map(|tool| Some(tool.name.as_ref()?.value.clone())).collect();
    raw.into_iter().filter_map(|export| resolve(reader, &mut seen, export)).collect()
}

fn resolve(reader: &mut DocumentReader, seen: &mut BTreeSet<String>, raw: RawExport) -> Option<ExportedTool> {
    let name = raw.name.and_then(|name| tool_name(reader, seen, name));
    let parameters = parameters(reader, raw.parameters.as_ref());
    let prompt = raw.prompt?;
    let declared = DeclaredParameters(&parameters);
    let Some(names) = placeholders(&prompt.value) else {
        let hint = "write {name} for an argument, and {{ for a brace";
        reader.error(prompt.location, "a `{` in the prompt is not closed or encloses no valid name", hint);
        return None;
    };
    for argument in names.into_iter().filter(|name| !declared.has(name)) {
        let message = format!("the prompt uses the argument {argument:?}, which parameters do not declare");
        let hint = format!("add {argument} under parameters.properties, or write {{{{ for a brace");
        reader.error(prompt.location, message, hint);
    }
    if prompt.value.trim().is_empty() {
        reader.error(prompt.location, "the prompt is empty", "describe the task of the agent");
    }
    let name = name?;
    let description = checked_description(reader, raw.location, "export", &name, raw.description);
    Some(ExportedTool { name, description, parameters: Json::from(parameters), prompt: prompt.value })
}

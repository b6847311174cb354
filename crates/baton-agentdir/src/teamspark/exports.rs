//! `metadata.tools` of TeamSpark: exported tools, with TeamSpark's syntax for placeholders in prompts.

use super::value;
use crate::tool::{DeclaredParameters, parameters};
use baton_document::{DocumentNode, DocumentReader, Fields};
use baton_types::{BUILT_IN_TOOLS, ExportedTool, Json, is_tool_name};
use std::collections::BTreeSet;

/// All valid exports; the others are skipped with a warning.
pub(super) fn read(reader: &mut DocumentReader, node: Option<DocumentNode>) -> Vec<ExportedTool> {
    let nodes = node.map(|node| reader.list("tools", node)).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut exports = Vec::new();
    for node in nodes.into_iter().take(crate::raw::MAX_ENTRIES) {
        let mut own = DocumentReader::new(reader.file());
        let export = one(&mut own, &mut seen, node);
        let is_good = !own.has_errors();
        for remark in own.finish() {
            let softens = remark.is_error();
            reader.push(if softens { remark.into_warning("this exported tool is left out") } else { remark });
        }
        exports.extend(export.filter(|_| is_good));
    }
    exports
}

fn one(reader: &mut DocumentReader, seen: &mut BTreeSet<String>, node: DocumentNode) -> Option<ExportedTool> {
    let mut fields = Fields::open(reader, "an exported tool", node)?;
    let location = fields.location;
    let name = value::field(reader, &mut fields, "name");
    let description = value::field(reader, &mut fields, "description").unwrap_or_default();
    let written = fields.take("parameters");
    let parameters = parameters(reader, written.as_ref());
    let prompt = fields.take("prompt").and_then(|node| value::text(reader, "prompt", &node));
    fields.finish_lenient(reader);
    let (Some(name), Some(prompt)) = (name, prompt.filter(|prompt| !prompt.trim().is_empty())) else {
        reader.error(location, "an exported tool needs a name and a prompt", "add them, or remove the entry");
        return None;
    };
    if !is_tool_name(&name) || BUILT_IN_TOOLS.contains(&name.as_str()) || !seen.insert(name.clone()) {
        let hint = "use letters, digits, dashes and underscores, and a name that no other tool has";
        reader.error(location, "an exported tool cannot have this name", hint);
        return None;
    }
    let prompt = to_native_prompt(&prompt, &name, &DeclaredParameters(&parameters));
    Some(ExportedTool { name, description, parameters: Json::from(parameters), prompt })
}

/// The prompt with native placeholders. In TeamSpark's syntax only `{argument}` of a declared argument is a
/// placeholder, `{name}` is the tool name, and every other brace is literal.
fn to_native_prompt(prompt: &str, tool: &str, declared: &DeclaredParameters<'_>) -> String {
    let mut native = String::with_capacity(prompt.len());
    let mut rest = prompt;
    while let Some(at) = rest.find('{') {
        native.push_str(&rest[..at]);
        let inner = &rest[at + 1..];
        let name = inner.find('}').map(|end| &inner[..end]).filter(|name| is_placeholder(name));
        match name {
            Some(name) if declared.has(name) => {
                native.push_str(&rest[at..at + name.len() + 2]);
                rest = &inner[name.len() + 1..];
            }
            Some("name") => {
                native.push_str(tool);
                rest = &inner["name}".len()..];
            }
            _ => {
                native.push_str("{{");
                rest = inner;
            }
        }
    }
    native.push_str(rest);
    native
}

fn is_placeholder(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && name.chars().all(allowed)
}

/// The prompt with TeamSpark's placeholders; `None` if a literal brace would become a placeholder there.
pub(crate) fn to_teamspark_prompt(export: &ExportedTool) -> Option<String> {
    let prompt = export.prompt.replace("{{", "{");
    let parameters: serde_json::Value = serde_json::from_str(export.parameters.as_str()).ok()?;
    (to_native_prompt(&prompt, &export.name, &DeclaredParameters(&parameters)) == export.prompt).then_some(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn placeholders_are_converted_both_ways() {
        let parameters = json!({"properties": {"city": {}, "zip.code": {}}});
        for (theirs, ours) in [
            ("In {city}!", "In {city}!"),
            ("{zip.code} {zip} {city}", "{zip.code} {{zip} {city}"),
            ("as {\"days\": [{city}]}", "as {{\"days\": [{city}]}"),
            ("{{city}}", "{{{city}}"),
            ("{", "{{"),
            ("{} { city }", "{{} {{ city }"),
        ] {
            assert_eq!(to_native_prompt(theirs, "plan", &DeclaredParameters(&parameters)), ours, "{theirs}");
            let export = ExportedTool {
                name: "plan".to_owned(),
                description: String::new(),
                parameters: Json::from(parameters.clone()),
                prompt: ours.to_owned(),
            };
            assert_eq!(to_teamspark_prompt(&export).as_deref(), Some(theirs), "{ours}");
        }
        assert_eq!(to_native_prompt("{name}: {city}", "plan", &DeclaredParameters(&parameters)), "plan: {city}");
        let own_name = json!({"properties": {"name": {}}});
        assert_eq!(to_native_prompt("{name}", "plan", &DeclaredParameters(&own_name)), "{name}");
        let braces = ExportedTool {
            name: "plan".to_owned(),
            description: String::new(),
            parameters: Json::from(parameters),
            prompt: "{{city}".to_owned(),
        };
        assert_eq!(to_teamspark_prompt(&braces), None);
    }
}

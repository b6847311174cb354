//! Tools defined in `agent.yaml`: a fixed program inside the agent's directory, or a request to a fixed host.

mod http;

pub(crate) use http::{guard_request, is_authority};

use crate::{argv, mcp::McpDialect, permission, raw::RawTool, resolve::check_unique};
use baton_document::{DocumentNode, DocumentReader, LocatedValue, NodeValue, SourceLocation};
use baton_types::{
    BUILT_IN_TOOLS, CommandTool, Effects, GuardRunner, Json, Permission, PermissionRule, ToolRunner, ToolSpec,
    is_tool_name,
};
use serde_json::json;
use std::{collections::BTreeSet, time::Duration};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const DEFAULT_MAX_OUTPUT: usize = 64 << 10;

/// All tools of the file; those with errors are skipped.
pub(crate) fn resolve_all(reader: &mut DocumentReader, raw: Vec<RawTool>, base_directory: &str) -> Vec<ToolSpec> {
    let mut seen = BTreeSet::new();
    raw.into_iter().filter_map(|tool| resolve(reader, &mut seen, tool, base_directory)).collect()
}

fn resolve(
    reader: &mut DocumentReader,
    seen: &mut BTreeSet<String>,
    mut raw: RawTool,
    base_directory: &str,
) -> Option<ToolSpec> {
    let name = raw.name.take().and_then(|name| tool_name(reader, seen, name));
    let parameters = parameters(reader, raw.parameters.as_ref());
    let runner = runner(reader, &mut raw, &parameters, base_directory);
    let output = raw.output.as_ref().and_then(|node| match node.value {
        NodeValue::Map(_) => Some(Json::from(node.to_json())),
        _ => reader.report_expected("output", "a JSON Schema", node),
    });
    let rules = rules(reader, &mut raw, name.as_deref().unwrap_or_default());
    let name = name?;
    let description = checked_description(reader, raw.location, "tool", &name, raw.description);
    let (runner, effects) = runner?;
    Some(ToolSpec {
        name,
        description,
        parameters: Json::from(parameters),
        effects: raw.effects.unwrap_or(effects),
        runner,
        output,
        permission: raw.permission.unwrap_or_default(),
        rules,
        include: raw.include.unwrap_or_default(),
        sequential: raw.sequential.unwrap_or_default(),
    })
}

/// Rules for all calls of the tool, and for some of its calls.
fn rules(reader: &mut DocumentReader, raw: &mut RawTool, name: &str) -> Vec<PermissionRule> {
    let base_rule = raw.permission.map(|permission| PermissionRule::for_tool(name, permission));
    let argument_rules =
        raw.arguments.take().map(|node| permission::read_argument_rules(reader, McpDialect::Native, name, node));
    let mut rules: Vec<PermissionRule> = base_rule.into_iter().chain(argument_rules.into_iter().flatten()).collect();
    if raw.permission == Some(Permission::Deny) && rules.len() > 1 {
        permission::warn_overridden(reader, raw.location, name, name);
        rules.truncate(1);
    }
    rules
}

/// The runner of the tool, and its default effects.
fn runner(
    reader: &mut DocumentReader,
    raw: &mut RawTool,
    parameters: &serde_json::Value,
    base_directory: &str,
) -> Option<(ToolRunner, Effects)> {
    let declared = DeclaredParameters(parameters);
    match (raw.command.take(), raw.http.take()) {
        (Some(_), Some(http)) => {
            reader.error(http.location, "a tool has both command and http", "keep one of them");
            None
        }
        (None, Some(http)) => {
            if let Some(directory) = &raw.directory {
                reader.error(directory.location, "an http tool has no directory", "remove the key");
            }
            let (tool, effects) = http::resolve(reader, raw, http, &declared)?;
            Some((ToolRunner::Http(tool), effects))
        }
        (command, None) => {
            let argv = command.and_then(|command| checked_argv(reader, &command, &declared));
            let directory = directory(reader, raw.directory.as_ref(), base_directory);
            let tool = CommandTool {
                argv: argv?,
                directory: directory?,
                timeout: raw.timeout.unwrap_or(DEFAULT_TIMEOUT),
                max_output: raw.max_output.unwrap_or(DEFAULT_MAX_OUTPUT),
            };
            Some((ToolRunner::Command(tool), Effects::default()))
        }
    }
}

/// The program of a guardrail; it takes no call arguments.
pub(crate) fn guard_command(
    reader: &mut DocumentReader,
    command: &LocatedValue<Vec<LocatedValue<String>>>,
    base_directory: &str,
) -> Option<GuardRunner> {
    let argv = checked_argv(reader, command, &DeclaredParameters(&serde_json::Value::Null))?;
    Some(GuardRunner::Command { argv, directory: base_directory.to_owned() })
}

/// The description; a missing one is a warning.
pub(crate) fn checked_description(
    reader: &mut DocumentReader,
    location: SourceLocation,
    noun: &str,
    name: &str,
    description: Option<LocatedValue<String>>,
) -> String {
    let description = description.map(|text| text.value.trim().to_owned()).unwrap_or_default();
    if description.is_empty() {
        reader.warning(
            location,
            format!("the {noun} {name:?} has no description"),
            "say in one sentence what it does; models choose tools by it",
        );
    }
    description
}

/// The declared parameters of a tool.
pub(crate) struct DeclaredParameters<'a>(pub(crate) &'a serde_json::Value);

impl DeclaredParameters<'_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.get("properties").is_some_and(|all| all.get(name).is_some())
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        let list = self.0.get("required").and_then(serde_json::Value::as_array);
        list.is_some_and(|list| list.iter().any(|entry| entry == name))
    }
}

/// A valid tool name that is unique and not built in.
pub(crate) fn tool_name(
    reader: &mut DocumentReader,
    seen: &mut BTreeSet<String>,
    name: LocatedValue<String>,
) -> Option<String> {
    if !is_tool_name(&name.value) {
        let hint = "use letters, digits, dashes and underscores, at most 64, such as get_weather";
        reader.error(name.location, format!("a tool cannot be named {:?}", name.value), hint);
        return None;
    }
    if BUILT_IN_TOOLS.contains(&name.value.as_str()) {
        reader.error(
            name.location,
            format!("{:?} is a built-in tool", name.value),
            "choose another name; enable_handoff, settings.control_tools and settings.orchestration switch the built-in tools on",
        );
        return None;
    }
    check_unique(reader, seen, "tool", &name.value, name.location);
    Some(name.value)
}

/// A JSON Schema of an object; without properties if none is written.
pub(crate) fn parameters(reader: &mut DocumentReader, node: Option<&DocumentNode>) -> serde_json::Value {
    let empty = || json!({"type": "object", "properties": {}});
    let Some(node) = node else { return empty() };
    let NodeValue::Map(_) = node.value else {
        let _: Option<()> = reader.report_expected("parameters", "a JSON Schema", node);
        return empty();
    };
    let mut schema = node.to_json();
    let kind = schema.get("type").cloned();
    match kind.as_ref().map(serde_json::Value::as_str) {
        None => {
            if let Some(map) = schema.as_object_mut() {
                map.insert("type".to_owned(), "object".into());
            }
        }
        Some(Some("object")) => {}
        Some(_) => {
            let hint = "write `type: object` and name the arguments under `properties`";
            reader.error(node.location, "parameters must describe an object", hint);
            return empty();
        }
    }
    if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
        let hint = "write each argument as a key with its own schema";
        reader.error(node.location, "properties must be a map of keys", hint);
        return empty();
    }
    schema
}

fn checked_argv(
    reader: &mut DocumentReader,
    command: &LocatedValue<Vec<LocatedValue<String>>>,
    declared: &DeclaredParameters<'_>,
) -> Option<Vec<String>> {
    let Some(program) = command.value.first().filter(|program| !program.value.is_empty()) else {
        reader.error(command.location, "command is empty", "write the program and its arguments as a list");
        return None;
    };
    if program.value.contains("${") {
        let hint = "write the program's name; only its arguments may come from the model";
        reader.error(program.location, "the program cannot be chosen by the model", hint);
        return None;
    }
    for argument in &command.value {
        let names = match argv::argument_names(&argument.value) {
            Ok(names) => names,
            Err(error) => {
                reader.error(argument.location, error.to_string(), "write ${name}, or $${ for a literal ${");
                return None;
            }
        };
        for name in names {
            if !declared.has(name) {
                let message = format!("the command uses the argument {name:?}, which parameters do not declare");
                reader.error(argument.location, message, format!("add {name} under parameters.properties"));
            } else if !declared.requires(name) {
                let message = format!("the command uses the argument {name:?}, which is not required");
                reader.warning(argument.location, message, format!("add {name} to parameters.required"));
            }
        }
    }
    Some(command.value.iter().map(|argument| argument.value.clone()).collect())
}

fn directory(
    reader: &mut DocumentReader,
    relative: Option<&LocatedValue<String>>,
    base_directory: &str,
) -> Option<String> {
    let Some(relative) = relative else { return Some(base_directory.to_owned()) };
    let mut inside: Vec<&str> = Vec::new();
    for segment in relative.value.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." if inside.pop().is_some() => {}
            ".." => return escapes(reader, relative),
            _ => inside.push(segment),
        }
    }
    let absolute = relative.value.starts_with(['/', '\\', '~']) || relative.value.contains(':');
    if absolute || relative.value.contains('\0') {
        return escapes(reader, relative);
    }
    let mut path = base_directory.trim_end_matches('/').to_owned();
    for segment in inside {
        path.push('/');
        path.push_str(segment);
    }
    Some(path)
}

fn escapes(reader: &mut DocumentReader, relative: &LocatedValue<String>) -> Option<String> {
    reader.error(
        relative.location,
        format!("directory {:?} is outside the agent's directory", relative.value),
        "name a directory inside it, such as `directory: tools`",
    );
    None
}

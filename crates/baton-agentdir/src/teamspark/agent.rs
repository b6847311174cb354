//! Parses an agent from TeamSpark files.

use super::{
    exports,
    metadata::{TeamSparkMetadata, chat_skill},
    segment,
    settings::TeamSparkSettings,
};
use crate::{
    Format, PLAYBOOK_FILE, PROMPT_FILE, ParsedAgent,
    item::{self, ItemSources, ListedItems},
    mcp,
    parse::companion,
    provider,
};
use baton_document::{Diagnostic, DocumentNode, DocumentReader, Fields, NodeValue};
use baton_types::{
    AgentResources, AgentSpec, ControlTools, ItemKind, Knowledge, McpServer, McpTransport, ModelSpec, ToolExecution,
    ToolPolicy,
};
use std::collections::BTreeMap;

/// Default prompt of an agent without one.
const DEFAULT_PROMPT: &str = "You are a helpful assistant. Use your tools when they bring you nearer to what is asked.";
const DEFAULT_VERSION: &str = "1.0.0";

/// Values of the agent's definition file; embeddings are skipped.
pub(crate) fn tree(file: &str, bytes: &[u8]) -> Result<DocumentNode, Diagnostic> {
    if file.ends_with(".json") {
        baton_document::read_json_lean(file, bytes)
    } else {
        baton_document::read_lean(file, bytes)
    }
}

/// Parses an agent in one of TeamSpark's formats.
pub(crate) fn parse(
    format: Format,
    file: &str,
    files: &BTreeMap<String, Vec<u8>>,
    base_directory: &str,
) -> ParsedAgent {
    let mut fatal = DocumentReader::new(file);
    let mut soft = DocumentReader::new(file);
    let node = match tree(file, files.get(file).map_or(&[], Vec::as_slice)) {
        Ok(node) => node,
        Err(diagnostic) => return ParsedAgent::failed(vec![diagnostic]),
    };
    let Some(mut fields) = Fields::open(&mut fatal, "the agent", node) else {
        return ParsedAgent::failed(fatal.finish());
    };
    let skills = fields.take("skills");
    let metadata = TeamSparkMetadata::read(&mut fatal, &mut soft, fields.take("metadata"), skills);
    let settings = TeamSparkSettings::read(&mut soft, fields.take("settings"), fields.take("providers"));
    let exports = exports::read(&mut soft, metadata.tools);
    let listed = ListedItems {
        rules: item::read_all(&mut soft, ItemKind::Rule, fields.take("rules"), false),
        references: item::read_all(&mut soft, ItemKind::Reference, fields.take("references"), false),
    };
    let mut remarks = Vec::new();
    let prompt = prompt(&mut soft, &mut remarks, fields.take("systemPrompt"), format, files);
    if let Some(node) = fields.take("supervisors").filter(|node| node.value != NodeValue::List(Vec::new())) {
        let hint = "they stay in the file; Baton does not support them yet";
        soft.warning(node.location, "supervisors are not run", hint);
    }
    let mut servers = mcp::teamspark_servers(&mut soft, fields.take("mcpServers"), base_directory);
    fields.finish_lenient(&mut soft);
    set_default_path(&mut servers, settings.system_path.as_deref());
    let (servers, more) = mcp::merge_servers(servers, files, &mcp::SHARED_FILES, base_directory);
    let playbook = match files.contains_key(PLAYBOOK_FILE) {
        true => companion(files, PLAYBOOK_FILE, "add a rule, or remove the file").map(Some),
        false => Ok(None),
    };
    let sources = if format == Format::Tsagent { ItemSources::Shared } else { ItemSources::All };
    let items = item::gather(file, listed, files, sources);

    let failed = fatal.has_errors() || playbook.is_err();
    let mut diagnostics = fatal.finish();
    let softened = |remark: Diagnostic| if remark.is_error() { remark.into_warning("it is not used") } else { remark };
    diagnostics.extend(soft.finish().into_iter().map(softened));
    let (here, elsewhere): (Vec<_>, Vec<_>) = items.diagnostics.into_iter().partition(|remark| remark.file == file);
    diagnostics.extend(here);
    diagnostics.sort_by_key(|remark| (remark.line, remark.column));
    let rules = match playbook {
        Ok(rules) => rules,
        Err(error) => {
            diagnostics.push(error);
            None
        }
    };
    let (variables, unread) = provider::variables(files);
    let unread = unread.into_iter().map(softened);
    diagnostics.extend(remarks.into_iter().chain(more).chain(elsewhere).chain(unread));
    let Some(title) = metadata.name.filter(|_| !failed) else { return ParsedAgent::failed(diagnostics) };
    let is_autonomous = match format {
        // In this format an agent with skills was always autonomous.
        Format::Tspark => metadata.autonomous.unwrap_or(metadata.skills.is_some()),
        _ => metadata.autonomous.unwrap_or(false),
    };
    let agent = AgentSpec {
        name: segment(&title, base_directory),
        description: metadata.description.unwrap_or_else(|| title.clone()),
        title,
        version: metadata.version.unwrap_or_else(|| DEFAULT_VERSION.to_owned()),
        prompt,
        skills: metadata.skills.filter(|skills| !skills.is_empty()).unwrap_or_else(|| vec![chat_skill()]),
        input_modes: AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec(),
        knowledge: Knowledge { rules: items.rules, references: items.references, relevance: settings.relevance },
        about: metadata.about,
        writing: settings.writing,
        tools: Vec::new(),
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules },
        tool_execution: ToolExecution::Agent,
        limits: settings.limits,
        control_tools: ControlTools::default(),
        enable_handoff: true,
        handoffs: Vec::new(),
        policy: ToolPolicy { ask: settings.ask, rules: Vec::new() },
        autonomous: is_autonomous,
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
    };
    ParsedAgent {
        agent: Some(agent),
        resources: AgentResources { servers, exports, providers: settings.providers, variables },
        diagnostics,
    }
}

/// The prompt in the definition file, else the one in the prompt file, else the default.
fn prompt(
    reader: &mut DocumentReader,
    remarks: &mut Vec<Diagnostic>,
    node: Option<DocumentNode>,
    format: Format,
    files: &BTreeMap<String, Vec<u8>>,
) -> String {
    let written = node.and_then(|node| super::text(reader, "systemPrompt", &node));
    let prompt_file = files.get(PROMPT_FILE).filter(|_| format != Format::Tsagent);
    let prompt_file = prompt_file.and_then(|bytes| match baton_document::utf8(PROMPT_FILE, bytes) {
        Ok(text) => Some(text.to_owned()),
        Err(error) => {
            remarks.push(error.into_warning("the default prompt is used"));
            None
        }
    });
    let non_empty = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    non_empty(written)
        .or_else(|| non_empty(prompt_file))
        .map_or_else(|| DEFAULT_PROMPT.to_owned(), |text| text.trim_end().to_owned())
}

/// Sets `NOTIFICATIONS_PATH` in the environment of stdio servers that do not define it.
fn set_default_path(servers: &mut [McpServer], path: Option<&str>) {
    let Some(path) = path else { return };
    for server in servers {
        if let McpTransport::Stdio { env, .. } = &mut server.transport {
            env.entry("PATH".to_owned()).or_insert_with(|| path.to_owned());
        }
    }
}

//! `agent.yaml` as written: types are checked and unknown keys reported, but no defaults are filled in.

mod a2a;
mod about;
mod export;
mod http;
mod run_controls;
mod settings;

pub use a2a::read_a2a_settings;
pub(crate) use a2a::{ANSWER_PLACEMENT_KEYWORDS, TEXT_DELIVERY_KEYWORDS};
pub(crate) use about::{RawAbout, is_web_address};
pub(crate) use export::RawExport;
pub(crate) use http::{METHODS, RawHttp};
pub(crate) use run_controls::{
    EFFORTS, MAX_BUDGET_COUNT, MAX_DOLLARS, MAX_REPAIRS, ON_FAILURE, RawAnswer, RawGuardrail,
};
pub(crate) use settings::{MAX_FALLBACKS, MAX_SPILL, MAX_TOOL_ERRORS, RawContext, RawOrchestration, RawSettings};
pub(crate) use settings::{
    MAX_PARALLEL_TOOLS, MAX_STOP_BYTES, MAX_STOP_SEQUENCES, MAX_TOKENS, MAX_TOP_K, MAX_TOP_N, MAX_TURNS,
};

use crate::{
    handoff::RawHandoff,
    item::{self, ListedItems},
    permission::{INCLUSION_MODE_KEYWORDS, PERMISSION_KEYWORDS, RawRule, too_many},
};
use baton_document::{DocumentNode, DocumentReader, Fields, LocatedValue, NodeValue, SourceLocation};
use baton_types::{A2aSettings, Effects, InclusionMode, ItemKind, Permission};
use std::time::Duration;

const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
const MAX_OUTPUT: usize = 16 << 20;
pub(crate) const MAX_ENTRIES: usize = 256;

/// The file.
pub(crate) struct RawAgent {
    pub(crate) name: Option<LocatedValue<String>>,
    pub(crate) title: Option<LocatedValue<String>>,
    pub(crate) description: Option<LocatedValue<String>>,
    pub(crate) version: Option<LocatedValue<String>>,
    pub(crate) model: Option<LocatedValue<String>>,
    pub(crate) fallbacks: Vec<LocatedValue<String>>,
    pub(crate) providers: Option<DocumentNode>,
    pub(crate) answer: Option<RawAnswer>,
    pub(crate) guardrails: Vec<RawGuardrail>,
    pub(crate) a2a: A2aSettings,
    pub(crate) about: RawAbout,
    pub(crate) input_modes: Option<Vec<LocatedValue<String>>>,
    pub(crate) settings: RawSettings,
    pub(crate) skills: Vec<RawSkill>,
    pub(crate) tools: Vec<RawTool>,
    pub(crate) handoffs: Vec<RawHandoff>,
    pub(crate) enable_handoff: Option<LocatedValue<bool>>,
    pub(crate) autonomous: Option<LocatedValue<bool>>,
    pub(crate) permissions: Vec<RawRule>,
    pub(crate) exports: Vec<RawExport>,
    pub(crate) mcp_servers: Option<DocumentNode>,
    pub(crate) listed: ListedItems,
}

/// One entry of `skills`.
pub(crate) struct RawSkill {
    pub(crate) id: Option<LocatedValue<String>>,
    pub(crate) name: Option<LocatedValue<String>>,
    pub(crate) description: Option<LocatedValue<String>>,
    pub(crate) tags: Vec<LocatedValue<String>>,
    pub(crate) examples: Vec<LocatedValue<String>>,
}

/// One entry of `tools`.
pub(crate) struct RawTool {
    pub(crate) location: SourceLocation,
    pub(crate) name: Option<LocatedValue<String>>,
    pub(crate) description: Option<LocatedValue<String>>,
    pub(crate) parameters: Option<DocumentNode>,
    pub(crate) effects: Option<Effects>,
    pub(crate) command: Option<LocatedValue<Vec<LocatedValue<String>>>>,
    pub(crate) http: Option<LocatedValue<RawHttp>>,
    pub(crate) directory: Option<LocatedValue<String>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_output: Option<usize>,
    pub(crate) permission: Option<Permission>,
    pub(crate) include: Option<InclusionMode>,
    pub(crate) sequential: Option<bool>,
    pub(crate) arguments: Option<DocumentNode>,
    pub(crate) output: Option<DocumentNode>,
}

impl RawAgent {
    /// Reads the whole file; `None` if it is not a map.
    pub(crate) fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "the agent", node)?;
        let raw = Self {
            name: fields.required_text(reader, "name", "add a first line such as `name: my-agent`"),
            title: fields.text(reader, "title"),
            description: fields.text(reader, "description"),
            version: fields.text(reader, "version"),
            model: fields.text(reader, "model"),
            fallbacks: fields.take("fallbacks").map(|node| reader.texts("fallbacks", node)).unwrap_or_default(),
            providers: fields.take("providers"),
            answer: fields.take("answer").and_then(|node| RawAnswer::read(reader, node)),
            guardrails: RawGuardrail::read_all(reader, &mut fields),
            a2a: fields.take("a2a").map(|node| a2a::read(reader, node)).unwrap_or_default(),
            about: RawAbout::read(reader, &mut fields),
            input_modes: fields.take("input_modes").map(|node| input_modes(reader, node)),
            settings: fields.take("settings").map(|node| RawSettings::read(reader, node)).unwrap_or_default(),
            skills: entries(reader, &mut fields, "skills", RawSkill::read),
            tools: entries(reader, &mut fields, "tools", RawTool::read),
            handoffs: entries(reader, &mut fields, "handoffs", RawHandoff::read),
            enable_handoff: switch(reader, &mut fields, "enable_handoff"),
            autonomous: switch(reader, &mut fields, "autonomous"),
            permissions: fields.take("permissions").map(|node| RawRule::read_all(reader, node)).unwrap_or_default(),
            exports: entries(reader, &mut fields, "exports", RawExport::read),
            mcp_servers: fields.take_any(reader, &["mcpServers", "mcp_servers"]),
            listed: ListedItems {
                rules: item::read_all(reader, ItemKind::Rule, fields.take("rules"), true),
                references: item::read_all(reader, ItemKind::Reference, fields.take("references"), true),
            },
        };
        fields.finish(reader);
        Some(raw)
    }
}

impl RawSkill {
    fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "a skill", node)?;
        let raw = Self {
            id: fields.required_text(reader, "id", "add an id such as `id: forecast`"),
            name: fields.text(reader, "name"),
            description: fields.text(reader, "description"),
            tags: fields.take("tags").map(|n| reader.texts("tags", n)).unwrap_or_default(),
            examples: fields.take("examples").map(|n| reader.texts("examples", n)).unwrap_or_default(),
        };
        fields.finish(reader);
        Some(raw)
    }
}

impl RawTool {
    fn read(reader: &mut DocumentReader, node: DocumentNode) -> Option<Self> {
        let mut fields = Fields::open(reader, "a tool", node)?;
        let effects =
            [("read_only", Effects::ReadOnly), ("idempotent", Effects::Idempotent), ("unknown", Effects::Unknown)];
        let millisecond = Duration::from_millis(1);
        let command = fields.take("command");
        let http = fields.take("http");
        if command.is_none() && http.is_none() {
            reader.error(fields.location, "a tool has neither command nor http", COMMAND_HINT);
        }
        let command = command.and_then(|node| self::command(reader, node));
        let http = http.and_then(|node| RawHttp::read(reader, node));
        let raw = Self {
            location: fields.location,
            name: fields.required_text(reader, "name", "add a name such as `name: get_weather`"),
            description: fields.text(reader, "description"),
            parameters: fields.take("parameters"),
            effects: fields.take("effects").and_then(|n| reader.choice("effects", &n, &effects)),
            command,
            http,
            directory: fields.text(reader, "directory"),
            timeout: fields.take("timeout").and_then(|n| reader.duration("timeout", &n, millisecond, MAX_TIMEOUT)),
            max_output: fields.take("max_output").and_then(|n| reader.size("max_output", &n, 1, MAX_OUTPUT)),
            permission: fields.take("permission").and_then(|n| reader.choice("permission", &n, &PERMISSION_KEYWORDS)),
            include: fields.take("include").and_then(|n| reader.choice("include", &n, &INCLUSION_MODE_KEYWORDS)),
            sequential: fields.take("sequential").and_then(|n| reader.boolean("sequential", &n)),
            arguments: fields.take("arguments"),
            output: fields.take("output"),
        };
        fields.finish(reader);
        Some(raw)
    }
}

const COMMAND_HINT: &str = "write the program and each argument as a list: [\"sh\", \"tools/run.sh\", \"${city}\"]";

fn command(reader: &mut DocumentReader, node: DocumentNode) -> Option<LocatedValue<Vec<LocatedValue<String>>>> {
    let location = node.location;
    if let NodeValue::Text(_) = node.value {
        reader.error(location, "command must be a list, not text; no shell splits it", COMMAND_HINT);
        return None;
    }
    Some(LocatedValue { location, value: reader.texts("command", node) })
}

fn located<T>(node: &DocumentNode, value: Option<T>) -> Option<LocatedValue<T>> {
    value.map(|value| LocatedValue { location: node.location, value })
}

fn switch(reader: &mut DocumentReader, fields: &mut Fields, key: &'static str) -> Option<LocatedValue<bool>> {
    let node = fields.take(key)?;
    located(&node, reader.boolean(key, &node))
}

fn input_modes(reader: &mut DocumentReader, node: DocumentNode) -> Vec<LocatedValue<String>> {
    const MAX_MODES: usize = 64;
    let location = node.location;
    if node.value == NodeValue::List(Vec::new()) {
        reader.error(location, "input_modes names no type", "name at least text/plain, or leave the key out");
    }
    let mut modes = reader.texts("input_modes", node);
    if modes.len() > MAX_MODES {
        reader.error(location, format!("input_modes has {} entries", modes.len()), format!("keep it to {MAX_MODES}"));
        modes.truncate(MAX_MODES);
    }
    modes
}

fn entries<T>(
    reader: &mut DocumentReader,
    fields: &mut Fields,
    key: &'static str,
    read: fn(&mut DocumentReader, DocumentNode) -> Option<T>,
) -> Vec<T> {
    let Some(node) = fields.take(key) else { return Vec::new() };
    let location = node.location;
    let nodes = reader.list(key, node);
    if nodes.len() > MAX_ENTRIES {
        too_many(reader, location, key, nodes.len(), MAX_ENTRIES);
        return Vec::new();
    }
    nodes.into_iter().filter_map(|node| read(reader, node)).collect()
}

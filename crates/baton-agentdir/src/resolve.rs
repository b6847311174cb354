//! Resolves `agent.yaml` to an agent: fills in defaults and checks names against each other.

use crate::{
    guardrail, handoff, modes, orchestration,
    permission::RawRule,
    raw::{MAX_FALLBACKS, RawAgent, RawContext, RawSettings, RawSkill},
    teamspark_defaults::TeamSparkDefaults,
    tool,
};
use baton_document::{DocumentReader, LocatedValue, SourceLocation};
use baton_types::{
    AgentName, AgentSpec, ApprovalMode, ControlTools, GenerationSettings, HandoffTarget, Knowledge, KnownProvider,
    ModelSpec, RESERVED_AGENT_NAMES, RelevanceLimits, RunLimits, SkillSpec, ToolExecution, ToolPolicy, is_agent_name,
};
use std::collections::BTreeSet;

const NAME_HINT: &str = "use lower-case letters, digits and dashes, at most 64, such as weather or sales-desk";
const MAX_MODEL: usize = 256;
const RESERVED_HINT: &str = "this word is reserved for A2A paths; choose another, such as weather or sales-desk";

/// Contents of the other files of the directory.
pub(crate) struct SiblingFiles<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) playbook: Option<&'a str>,
    pub(crate) teamspark: TeamSparkDefaults,
}

/// Fills in defaults and checks constraints between values.
pub(crate) fn resolve(
    reader: &mut DocumentReader,
    raw: RawAgent,
    companions: &SiblingFiles<'_>,
    base_directory: &str,
) -> Option<AgentSpec> {
    let model = raw.model.as_ref().and_then(|model| resolve_model(reader, model));
    let fallbacks = fallbacks(reader, &raw.fallbacks);
    let guardrails = guardrail::resolve_all(reader, raw.guardrails, base_directory);
    let name = raw.name.and_then(|name| agent_name(reader, "the agent's name", &name));
    let input_modes = modes::resolve(reader, raw.input_modes);
    let tools = tool::resolve_all(reader, raw.tools, base_directory);
    let handoffs = handoff::resolve_all(reader, raw.handoffs, name.as_ref());
    let enable_handoff = enable_handoff(reader, raw.enable_handoff.as_ref(), &handoffs);
    let autonomy = resolve_autonomy(reader, &raw.settings, raw.autonomous, &companions.teamspark);
    let rules = raw.permissions.into_iter().filter_map(RawRule::resolved).collect();
    let name = name?;
    let title = text_or(raw.title, || title_from_name(name.as_str()));
    let description = text_or(raw.description, || title.clone());
    let skills = skills(reader, raw.skills, &name, &title, &description);
    Some(AgentSpec {
        prompt: companions.prompt.trim_end().to_owned(),
        version: text_or(raw.version, || "0.1.0".to_owned()),
        answer: guardrail::answer(raw.answer),
        guardrails,
        model: ModelSpec::Playbook { rules: companions.playbook.map(str::to_owned) },
        tool_execution: raw.settings.tools.as_ref().map(|tools| tools.value).unwrap_or_default(),
        limits: limits(&raw.settings),
        control_tools: control_tools(&raw.settings),
        name,
        title,
        description,
        skills,
        input_modes,
        knowledge: Knowledge { relevance: relevance(&raw.settings.context), ..Knowledge::default() },
        about: raw.about.0,
        writing: GenerationSettings {
            max_output_tokens: raw.settings.max_output_tokens.and_then(|tokens| u32::try_from(tokens).ok()),
            temperature: raw.settings.temperature,
            top_p: raw.settings.top_p,
            stop: raw.settings.stop_sequences,
            model,
            fallbacks,
            effort: raw.settings.effort.map(|effort| effort.value),
        },
        tools,
        handoffs,
        orchestration: orchestration::resolve(raw.settings.orchestration),
        enable_handoff,
        policy: ToolPolicy { ask: autonomy.ask, rules },
        autonomous: autonomy.autonomous,
        a2a: raw.a2a,
    })
}

pub(crate) fn text_or(text: Option<LocatedValue<String>>, default: impl FnOnce() -> String) -> String {
    text.map(|text| text.value.trim().to_owned()).filter(|text| !text.is_empty()).unwrap_or_else(default)
}

/// Whether handoffs are enabled at all.
fn enable_handoff(
    reader: &mut DocumentReader,
    written: Option<&LocatedValue<bool>>,
    targets: &[HandoffTarget],
) -> bool {
    let Some(&LocatedValue { location, value: enabled }) = written else { return true };
    if !enabled && !targets.is_empty() {
        let message = "handoffs are configured, but enable_handoff is false";
        reader.warning(location, message, "remove enable_handoff, or the handoffs");
    }
    enabled
}

/// Whether the agent is autonomous, and its approval mode.
struct Autonomy {
    autonomous: bool,
    ask: ApprovalMode,
}

fn resolve_autonomy(
    reader: &mut DocumentReader,
    settings: &RawSettings,
    written: Option<LocatedValue<bool>>,
    teamspark: &TeamSparkDefaults,
) -> Autonomy {
    let autonomous = written.map(|written| written.value).or(teamspark.autonomous).unwrap_or_default();
    let ask = settings.tool_permission.as_ref().map(|ask| ask.value).or(teamspark.ask).unwrap_or_default();
    if !autonomous {
        return Autonomy { autonomous, ask };
    }
    if let Some(tools) = settings.tools.as_ref().filter(|tools| tools.value == ToolExecution::Caller) {
        let hint = "write `tools: agent`, or `autonomous: false`";
        reader.error(tools.location, "an autonomous agent runs its tools itself, so no caller can", hint);
    }
    if let Some(always) = settings.tool_permission.as_ref().filter(|ask| ask.value == ApprovalMode::Always) {
        let message = "an autonomous agent cannot call tools if every call requires approval";
        reader.warning(always.location, message, "write `tool_permission: tool` and allow the tools that may run");
    }
    if let Some(ask_user) = settings.control_tools.iter().find(|tool| tool.value == "ask_user") {
        let message = "an autonomous agent cannot ask a user";
        reader.warning(ask_user.location, message, "remove ask_user, or write `autonomous: false`");
    }
    Autonomy { autonomous, ask }
}

fn title_from_name(name: &str) -> String {
    let mut title = String::with_capacity(name.len());
    for word in name.split('-').filter(|word| !word.is_empty()) {
        if !title.is_empty() {
            title.push(' ');
        }
        let mut chars = word.chars();
        title.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        title.extend(chars);
    }
    title
}

pub(crate) fn agent_name(reader: &mut DocumentReader, subject: &str, name: &LocatedValue<String>) -> Option<AgentName> {
    if is_agent_name(&name.value) {
        return Some(AgentName::from(name.value.as_str()));
    }
    let is_reserved = RESERVED_AGENT_NAMES.contains(&name.value.as_str());
    let hint = if is_reserved { RESERVED_HINT } else { NAME_HINT };
    reader.error(name.location, format!("{subject} cannot be {:?}", name.value), hint);
    None
}

/// The requested model: `playbook`, or `provider:model`.
fn resolve_model(reader: &mut DocumentReader, model: &LocatedValue<String>) -> Option<String> {
    if let Some(named) = named_model(&model.value) {
        return Some(named);
    }
    let shown: String = model.value.chars().take(60).collect();
    let hint = "write it as provider:model, such as openai:gpt-5-mini, or playbook";
    reader.error(model.location, format!("there is no model {shown:?}"), hint);
    None
}

fn fallbacks(reader: &mut DocumentReader, written: &[LocatedValue<String>]) -> Vec<String> {
    if let Some(first) = written.get(MAX_FALLBACKS) {
        reader.error(first.location, "fallbacks has too many entries", format!("keep it to {MAX_FALLBACKS}"));
    }
    written.iter().take(MAX_FALLBACKS).filter_map(|model| resolve_model(reader, model)).collect()
}

/// The model with the canonical id of its provider; `None` if the text is not a model.
pub(crate) fn named_model(text: &str) -> Option<String> {
    if text == "playbook" {
        return Some(text.to_owned());
    }
    let (provider, model) = text.split_once(':').filter(|_| is_model(text))?;
    let provider = KnownProvider::find(provider).map_or(provider, |known| known.id);
    Some(format!("{provider}:{model}"))
}

/// Whether this is `provider:model`.
pub(crate) fn is_model(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.trim() == word && !word.contains(char::is_control);
    text.len() <= MAX_MODEL && text.split_once(':').is_some_and(|(provider, model)| is_word(provider) && is_word(model))
}

/// Limits for selecting context items.
pub(crate) fn relevance(raw: &RawContext) -> RelevanceLimits {
    let usual = RelevanceLimits::default();
    let number = |value: Option<u64>, usual: u16| value.and_then(|n| u16::try_from(n).ok()).unwrap_or(usual);
    RelevanceLimits {
        top_k: number(raw.top_k, usual.top_k),
        top_n: number(raw.top_n, usual.top_n),
        include_score: raw.include_score.unwrap_or(usual.include_score),
    }
}

pub(crate) fn limits(settings: &RawSettings) -> RunLimits {
    let default = RunLimits::default();
    let number = |value: Option<u64>, default: u32| value.and_then(|n| u32::try_from(n).ok()).unwrap_or(default);
    RunLimits {
        max_turns: number(settings.max_turns, default.max_turns),
        parallel_tools: number(settings.parallel_tools, default.parallel_tools),
        deadline: settings.deadline.unwrap_or(default.deadline),
        tool_errors: number(settings.tool_errors, default.tool_errors),
        spill_bytes: settings.spill_bytes.and_then(|n| u32::try_from(n).ok()).unwrap_or(default.spill_bytes),
        compact_at: settings.compact_at.unwrap_or(default.compact_at),
        budgets: settings.budgets,
    }
}

fn control_tools(settings: &RawSettings) -> ControlTools {
    let allowed = |tool: &str| settings.control_tools.iter().any(|allowed| allowed.value == tool);
    ControlTools {
        emit_artifact: allowed("emit_artifact"),
        ask_user: allowed("ask_user"),
        reject_task: allowed("reject_task"),
        reply_message: allowed("reply_message"),
    }
}

/// An agent card requires a skill, so an agent without skills gets one that repeats its description.
fn skills(
    reader: &mut DocumentReader,
    raw: Vec<RawSkill>,
    agent: &AgentName,
    title: &str,
    description: &str,
) -> Vec<SkillSpec> {
    let mut seen = BTreeSet::new();
    let mut skills = Vec::with_capacity(raw.len().max(1));
    for skill in raw {
        let Some(id) = skill.id else { continue };
        check_unique(reader, &mut seen, "skill", &id.value, id.location);
        let name = text_or(skill.name, || id.value.clone());
        let mut tags: Vec<String> = skill.tags.into_iter().map(|tag| tag.value).collect();
        if tags.is_empty() {
            tags.push(id.value.clone());
        }
        skills.push(SkillSpec {
            description: text_or(skill.description, || name.clone()),
            id: id.value,
            name,
            tags,
            examples: skill.examples.into_iter().map(|example| example.value).collect(),
        });
    }
    if skills.is_empty() {
        skills.push(default_skill(agent, title, description));
    }
    skills
}

/// Default skill of an agent without skills.
pub(crate) fn default_skill(agent: &AgentName, title: &str, description: &str) -> SkillSpec {
    SkillSpec {
        id: agent.as_str().to_owned(),
        name: title.to_owned(),
        description: description.to_owned(),
        tags: vec![agent.as_str().to_owned()],
        examples: Vec::new(),
    }
}

/// Reports a duplicate name in a list.
pub(crate) fn check_unique(
    reader: &mut DocumentReader,
    seen: &mut BTreeSet<String>,
    noun: &str,
    name: &str,
    location: SourceLocation,
) {
    if !seen.insert(name.to_owned()) {
        reader.error(location, format!("the {noun} {name:?} is defined twice"), "rename or remove one of them");
    }
}

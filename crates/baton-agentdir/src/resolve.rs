//! From the file as written to the agent as it runs: defaults filled in, names checked against each other.

use crate::{
    RESERVED_AGENT_NAMES,
    document::{Located, Place, Reader},
    is_agent_name, modes, orchestration,
    raw::{RawAgent, RawHandoff, RawSettings, RawSkill},
    tool,
};
use baton_types::{AgentName, AgentSpec, ControlTools, HandoffTarget, ModelSpec, RunLimits, SkillSpec, ToolPolicy};
use std::collections::BTreeSet;

const NAME_HINT: &str = "use lower-case letters, digits and dashes, at most 64, such as weather or sales-desk";
const RESERVED_HINT: &str = "paths of A2A begin with this word; choose another, such as weather or sales-desk";

/// The other files of the directory.
pub(crate) struct Companions<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) playbook: Option<&'a str>,
}

/// Fills in defaults and checks what a single value cannot show.
pub(crate) fn resolve(
    reader: &mut Reader,
    raw: RawAgent,
    companions: &Companions<'_>,
    base_directory: &str,
) -> Option<AgentSpec> {
    let model = model(reader, raw.model.as_ref(), companions.playbook);
    let name = raw.name.and_then(|name| agent_name(reader, "the agent's name", &name));
    let input_modes = modes::resolve(reader, raw.input_modes);
    let tools = tool::resolve_all(reader, raw.tools, base_directory);
    let handoffs = handoffs(reader, raw.handoffs, name.as_ref());
    let name = name?;
    let title = text_or(raw.title, || titled(name.as_str()));
    let description = text_or(raw.description, || title.clone());
    let skills = skills(reader, raw.skills, &name, &title, &description);
    Some(AgentSpec {
        prompt: companions.prompt.trim_end().to_owned(),
        version: text_or(raw.version, || "0.1.0".to_owned()),
        model,
        tool_execution: raw.settings.tools.unwrap_or_default(),
        limits: limits(&raw.settings),
        control_tools: control_tools(&raw.settings),
        name,
        title,
        description,
        skills,
        input_modes,
        tools,
        handoffs,
        orchestration: orchestration::resolve(raw.settings.orchestration),
        enable_handoff: true,
        policy: ToolPolicy::default(),
        autonomous: false,
    })
}

fn text_or(text: Option<Located<String>>, default: impl FnOnce() -> String) -> String {
    text.map(|text| text.value.trim().to_owned()).filter(|text| !text.is_empty()).unwrap_or_else(default)
}

fn titled(name: &str) -> String {
    let mut title = String::with_capacity(name.len());
    for word in name.split('-').filter(|word| !word.is_empty()) {
        if !title.is_empty() {
            title.push(' ');
        }
        let mut letters = word.chars();
        title.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        title.extend(letters);
    }
    title
}

fn agent_name(reader: &mut Reader, what: &str, name: &Located<String>) -> Option<AgentName> {
    if is_agent_name(&name.value) {
        return Some(AgentName::from(name.value.as_str()));
    }
    let is_reserved = RESERVED_AGENT_NAMES.contains(&name.value.as_str());
    let hint = if is_reserved { RESERVED_HINT } else { NAME_HINT };
    reader.error(name.place, format!("{what} cannot be {:?}", name.value), hint);
    None
}

fn model(reader: &mut Reader, model: Option<&Located<String>>, playbook: Option<&str>) -> ModelSpec {
    if let Some(model) = model.filter(|model| model.value != "playbook") {
        reader.error(
            model.place,
            format!("there is no model {:?}", model.value),
            "this Baton has one model, `playbook`; leave the key out to use it",
        );
    }
    ModelSpec::Playbook { rules: playbook.map(str::to_owned) }
}

fn limits(settings: &RawSettings) -> RunLimits {
    let default = RunLimits::default();
    let number = |given: Option<u64>, default: u32| given.and_then(|n| u32::try_from(n).ok()).unwrap_or(default);
    RunLimits {
        max_turns: number(settings.max_turns, default.max_turns),
        parallel_tools: number(settings.parallel_tools, default.parallel_tools),
        deadline: settings.deadline.unwrap_or(default.deadline),
    }
}

fn control_tools(settings: &RawSettings) -> ControlTools {
    let allowed = |tool: &str| settings.control_tools.contains(&tool);
    ControlTools {
        emit_artifact: allowed("emit_artifact"),
        ask_user: allowed("ask_user"),
        reject_task: allowed("reject_task"),
        reply_message: allowed("reply_message"),
    }
}

/// A card has to advertise something, so an agent without skills gets one that repeats its description.
fn skills(
    reader: &mut Reader,
    raw: Vec<RawSkill>,
    agent: &AgentName,
    title: &str,
    description: &str,
) -> Vec<SkillSpec> {
    let mut seen = BTreeSet::new();
    let mut skills = Vec::with_capacity(raw.len().max(1));
    for skill in raw {
        let Some(id) = skill.id else { continue };
        once(reader, &mut seen, "skill", &id.value, id.place);
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
        skills.push(SkillSpec {
            id: agent.as_str().to_owned(),
            name: title.to_owned(),
            description: description.to_owned(),
            tags: vec![agent.as_str().to_owned()],
            examples: Vec::new(),
        });
    }
    skills
}

fn handoffs(reader: &mut Reader, raw: Vec<RawHandoff>, own: Option<&AgentName>) -> Vec<HandoffTarget> {
    let mut seen = BTreeSet::new();
    let mut targets = Vec::with_capacity(raw.len());
    for handoff in raw {
        let Some(located) = handoff.agent else { continue };
        let Some(agent) = agent_name(reader, "a handoff's agent", &located) else { continue };
        once(reader, &mut seen, "handoff", agent.as_str(), located.place);
        if own == Some(&agent) {
            reader.error(
                located.place,
                "an agent cannot hand work to itself",
                "name another agent, or remove the entry",
            );
        }
        targets.push(HandoffTarget { agent, description: text_or(handoff.description, String::new), url: None });
    }
    targets
}

/// Notes a name that stands twice in one list.
pub(crate) fn once(reader: &mut Reader, seen: &mut BTreeSet<String>, noun: &str, name: &str, place: Place) {
    if !seen.insert(name.to_owned()) {
        reader.error(place, format!("the {noun} {name:?} is defined twice"), "rename or remove one of them");
    }
}

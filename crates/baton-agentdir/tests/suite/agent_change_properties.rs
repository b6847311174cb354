//! Agents of every format, written in many styles, with every kind of change: only the requested part differs.

use crate::agent_changes::{Files, amended, final_files, json};
use baton_agentdir::parse;
use baton_types::{
    AgentChange, AgentResources, AgentSpec, ApprovalMode, ContextItem, InclusionMode, ItemDraft, ItemKind,
    MetadataChange, SessionOverrides, Thousandths,
};
use proptest::prelude::*;
use std::fmt::Write as _;

/// How an agent is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// `agent.yaml` with its items in lists.
    Lists,
    /// `agent.yaml` with a file for every item.
    Files,
    Tsagent,
    TsagentJson,
    Tspark,
}

#[derive(Clone, Debug)]
struct Item {
    name: String,
    description: String,
    priority: u16,
    include: usize,
    text: String,
    /// Index of the notation used.
    style: usize,
}

const INCLUDES: [(&str, InclusionMode); 3] =
    [("always", InclusionMode::Always), ("manual", InclusionMode::Manual), ("agent", InclusionMode::Agent)];

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The entry of an item in a list, with content that must be preserved.
fn entry(layout: Layout, item: &Item) -> String {
    let priority = if layout == Layout::Lists { "priority" } else { "priorityLevel" };
    let include = INCLUDES[item.include].0;
    let is_block = item.style.is_multiple_of(2) && !item.text.starts_with([' ', '\n']) && !item.text.contains(" \n");
    let text = match is_block {
        true => format!("|\n      {}", item.text.trim_end().replace('\n', "\n      ").replace("      \n", "\n")),
        false => quoted(&item.text),
    };
    let more = match (layout, item.style % 3) {
        (Layout::Tsagent, 0) => "    embeddings: # numbers\n      - [0.5, 1]\n      - [2]\n",
        (Layout::Tsagent, 1) => "    mood: {good: [1, 2], odd: ' # '} # theirs\n",
        _ => "",
    };
    let (name, about) = (&item.name, quoted(&item.description));
    match item.style % 4 {
        0 => format!(
            "  # before {name}\n  - name: {name}\n    {priority}: {} # number\n    description: {about}\n    text: {text}\n{more}    \
             include: {include}\n",
            item.priority
        ),
        1 => format!(
            "  - text: {text}\n    name: \"{name}\" # called\n    # inside {name}\n    include: '{include}'\n    {priority}: \
             {}\n{more}    description: {about}\n",
            item.priority
        ),
        2 => format!(
            "  -\n    name: {name}\n{more}    include: {include}\n    description: {about}\n    {priority}: {}\n    text: {text}\n\n",
            item.priority
        ),
        _ => format!(
            "  - {{name: {name}, description: {about}, {priority}: {}, include: {include}, text: {}}} # flow\n",
            item.priority,
            quoted(&item.text)
        ),
    }
}

fn file(layout: Layout, item: &Item) -> String {
    let (include, about) = (INCLUDES[item.include].0, quoted(&item.description));
    let text = &item.text;
    match (layout, item.style % 3) {
        (Layout::Files, 0) => format!(
            "---\n# mine\ninclude: {include}\nmood: 7\ndescription: {about}\npriority: {}\n---\n\n{text}\n",
            item.priority
        ),
        (Layout::Files, _) => format!(
            "---\r\npriorityLevel: {} # number\r\ndescription: {about}\r\ninclude: {include}\r\n---\r\n{text}",
            item.priority
        ),
        (_, 0) => format!(
            "---\n{{\"name\":\"{}\",\"enabled\":true,\"description\":{about},\"priorityLevel\":{},\"include\":\"{include}\"}}---\n{text}\n",
            item.name, item.priority
        ),
        _ => format!(
            "---\nname: {}\npriorityLevel: {}\nmood: 7 # theirs\ndescription: {about}\ninclude: {include}\n---\n{text}\n",
            item.name, item.priority
        ),
    }
}

const OURS: &str = "# The harbour's agent.\nname: test # me\nsettings: {max_turns: 5, context: {top_k: 9}}\n";
const THEIRS: &str = "metadata:\n  # who\n  name: Test\n  mood: good # theirs\nsettings: # few\n  maxChatTurns: 20\n  theme: \
                      dark\nsystemPrompt: |\n  You are a test.\n  # no comment\nproviders: {claude: {}}\n";
const JSON: &str = "{\n  // who\n  \"metadata\": {\"name\": \"Test\", \"mood\": \"good\"},\n  \"settings\": {\n    \"maxChatTurns\": \
                    \"20\", // many\n    \"theme\": \"dark\"\n  },\n  \"x-team\": [1, 2],\n  \"mcpServers\": {\n    \"keep\": \
                    {\"command\": \"k\", \"x-note\": 12345678901234567890}\n  }\n}\n";

fn files(layout: Layout, rules: &[Item], references: &[Item]) -> Files {
    let mut all = Files::new();
    let mut put = |path: &str, text: String| drop(all.insert(path.to_owned(), text.into_bytes()));
    let listed = |key: &str, items: &[Item]| match items.is_empty() {
        true => String::new(),
        false => format!("{key}:\n{}", items.iter().map(|item| entry(layout, item)).collect::<String>()),
    };
    let lists = format!("{}{}# the end\n", listed("rules", rules), listed("references", references));
    match layout {
        Layout::Lists => put("agent.yaml", format!("{OURS}{lists}")),
        Layout::Files => put("agent.yaml", OURS.to_owned()),
        Layout::Tsagent => put("tsagent.yaml", format!("{THEIRS}{lists}")),
        Layout::TsagentJson => put("tsagent.json", JSON.to_owned()),
        Layout::Tspark => put("tspark.json", JSON.to_owned()),
    }
    if layout != Layout::Tsagent {
        put("prompt.md", "You are a test.\n".to_owned());
    }
    let ending = if layout == Layout::Files { "md" } else { "mdt" };
    let own = if layout == Layout::Files { "references" } else { "refs" };
    if !matches!(layout, Layout::Lists | Layout::Tsagent) {
        rules.iter().for_each(|item| put(&format!("rules/{}.{ending}", item.name), file(layout, item)));
        references.iter().for_each(|item| put(&format!("{own}/{}.{ending}", item.name), file(layout, item)));
    }
    all
}

/// The expected agent, computed on the values alone.
fn expected(mut agent: AgentSpec, mut resources: AgentResources, change: &AgentChange) -> (AgentSpec, AgentResources) {
    fn items(agent: &mut AgentSpec, kind: ItemKind) -> &mut Vec<ContextItem> {
        if kind == ItemKind::Rule { &mut agent.knowledge.rules } else { &mut agent.knowledge.references }
    }
    match change {
        AgentChange::Create { kind, item } => {
            let text = item.text.clone().unwrap();
            let mut new = ContextItem::new(&item.name, text);
            new.description = item.description.clone().unwrap();
            new.priority = item.priority.unwrap_or(500);
            new.include = item.include.unwrap_or(InclusionMode::Manual);
            items(&mut agent, *kind).push(new);
        }
        AgentChange::Update { kind, item } => {
            let old = items(&mut agent, *kind).iter_mut().find(|old| old.name == item.name).unwrap();
            old.description = item.description.clone().unwrap_or(old.description.clone());
            old.priority = item.priority.unwrap_or(old.priority);
            old.include = item.include.unwrap_or(old.include);
            old.text = item.text.clone().unwrap_or(old.text.clone());
        }
        AgentChange::Remove { kind, name } => items(&mut agent, *kind).retain(|item| item.name != *name),
        AgentChange::Prompt(text) => agent.prompt = text.trim_end().to_owned(),
        AgentChange::Settings(settings) => {
            agent.limits.max_turns = settings.max_turns.unwrap();
            agent.writing.temperature = settings.temperature;
            agent.policy.ask = settings.tool_permission.unwrap();
            agent.knowledge.relevance.include_score = settings.context_include_score.unwrap();
        }
        AgentChange::Metadata(metadata) => {
            agent.description = metadata.description.clone().unwrap().trim().to_owned();
            if agent.skills[0].id == "test" {
                agent.skills[0].description = agent.description.clone();
            }
            agent.autonomous = metadata.autonomous.unwrap();
        }
        AgentChange::Server { name, .. } => resources.servers.retain(|server| server.name != *name),
        _ => unreachable!(),
    }
    (agent, resources)
}

/// The agent with trimmed texts and sorted items.
fn normalized(mut agent: AgentSpec) -> AgentSpec {
    for items in [&mut agent.knowledge.rules, &mut agent.knowledge.references] {
        for item in items.iter_mut() {
            item.text = item.text.trim().to_owned();
            item.description = item.description.trim().to_owned();
        }
        items.sort_by(|one, other| (one.priority, &one.name).cmp(&(other.priority, &other.name)));
    }
    agent
}

fn texts() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[ -~äß漢\n]{1,60}",
        "(\n|a|  b|#|: |- |\\||---\n|\"|\\}---\n){1,8}",
        "[a-z]{1,5}: [a-z# ]{0,20}",
        any::<String>(),
    ];
    text.prop_filter("says something", |text| !text.trim().is_empty())
}

fn items(names: &'static [&'static str]) -> impl Strategy<Value = Vec<Item>> {
    let item = ("[ -~ä]{0,20}", 0u16..1000, 0usize..3, "[a-z#: '-]{0,9}[a-z](\n[a-z# -]{0,12}[a-z])?", 0usize..24);
    prop::collection::vec(item, 0..=names.len()).prop_map(move |items| {
        let named = items.into_iter().zip(names);
        named
            .map(|((description, priority, include, text, style), name)| Item {
                name: (*name).to_owned(),
                description,
                priority,
                include,
                text,
                style,
            })
            .collect()
    })
}

fn draft() -> impl Strategy<Value = ItemDraft> {
    let given =
        (any::<Option<()>>(), texts(), any::<Option<()>>(), 0u16..1000, any::<Option<()>>(), 0usize..3, texts());
    given.prop_map(|(about, words, ranked, priority, included, include, text)| ItemDraft {
        name: String::new(),
        description: about.map(|()| words),
        priority: ranked.map(|()| priority),
        include: included.map(|()| INCLUDES[include].1),
        text: (about.is_none() || ranked.is_some()).then_some(text),
    })
}

/// A change of an agent with these items.
fn change(rules: Vec<String>, references: Vec<String>) -> impl Strategy<Value = AgentChange> {
    let others = (0usize..9, any::<prop::sample::Index>(), draft(), texts(), 1u32..500, 0u16..=1000);
    others.prop_map(move |(which, index, draft, words, number, score)| {
        let kind = if number % 2 == 0 { ItemKind::Rule } else { ItemKind::Reference };
        let names = if kind == ItemKind::Rule { &rules } else { &references };
        let name = (!names.is_empty()).then(|| names[index.index(names.len().max(1))].clone());
        match (which, name) {
            (0..=2, Some(name)) => AgentChange::Update { kind, item: ItemDraft { name, ..draft } },
            (3, Some(name)) => AgentChange::Remove { kind, name },
            (4, _) => AgentChange::Prompt(words),
            (5, _) => AgentChange::Settings(SessionOverrides {
                max_turns: Some(number),
                temperature: Some(Thousandths(score)),
                tool_permission: Some([ApprovalMode::Always, ApprovalMode::Never, ApprovalMode::Tool][index.index(3)]),
                context_include_score: Some(Thousandths(1000 - score)),
                ..SessionOverrides::default()
            }),
            (6, _) => AgentChange::Metadata(MetadataChange {
                description: Some(words),
                autonomous: Some(score % 2 == 0),
                ..MetadataChange::default()
            }),
            (7, _) => {
                let entry = format!(
                    "{{\"command\": {}, \"args\": [{}], \"env\": {{\"A\": \"1\"}}}}",
                    quoted("w"),
                    quoted(&words)
                );
                AgentChange::Server { name: "new".to_owned(), entry: Some(json(&entry)) }
            }
            _ => {
                let text = draft.text.unwrap_or(words.clone());
                let item =
                    ItemDraft { name: "brand-new".to_owned(), description: Some(words), text: Some(text), ..draft };
                AgentChange::Create { kind, item }
            }
        }
    })
}

fn cases() -> impl Strategy<Value = (Layout, Vec<Item>, Vec<Item>, AgentChange)> {
    let forms = [Layout::Lists, Layout::Files, Layout::Tsagent, Layout::TsagentJson, Layout::Tspark];
    let agents =
        (prop::sample::select(forms.to_vec()), items(&["tone", "Safety_1", "last"]), items(&["fees", "map-2"]));
    agents.prop_flat_map(|(layout, rules, references)| {
        let names = |items: &[Item]| items.iter().map(|item| item.name.clone()).collect::<Vec<_>>();
        let change = change(names(&rules), names(&references));
        (Just(layout), Just(rules), Just(references), change)
    })
}

fn changed_item(change: &AgentChange) -> Option<(ItemKind, &str)> {
    match change {
        AgentChange::Update { kind, item } => Some((*kind, &item.name)),
        AgentChange::Remove { kind, name } => Some((*kind, name)),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_the_requested_change_is_made((layout, rules, references, change) in cases()) {
        let before = files(layout, &rules, &references);
        let old = parse(&before, "/agent");
        prop_assert!(old.agent.is_some(), "{:?}\n{}", old.diagnostics, final_files(&before));
        let old_agent = old.agent.unwrap();
        prop_assert_eq!(old_agent.knowledge.rules.len(), rules.len(), "{}", final_files(&before));
        let (after, changed) = match amended(&before, &change) {
            Ok(amended) => amended,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{}", final_files(&before)))),
        };
        let mut shown = String::new();
        let _ = write!(shown, "{}\n=>\n{}", final_files(&before), final_files(&after));
        let new = parse(&after, "/agent");
        let (agent, mut resources) = expected(old_agent, old.resources, &change);
        if let AgentChange::Server { name, .. } = &change {
            resources.servers.extend(new.resources.servers.iter().filter(|server| server.name == *name).cloned());
            prop_assert_eq!(resources.servers.last().map(|server| server.name.as_str()), Some("new"));
        }
        prop_assert_eq!(normalized(new.agent.unwrap()), normalized(agent), "{}", shown);
        prop_assert_eq!(new.resources, resources, "{}", shown);

        for (path, bytes) in &before {
            prop_assert!(changed.contains(path) || after.get(path) == Some(bytes), "{} is another: {}", path, shown);
        }
        // Every byte of all other items, and every comment and unknown key, is preserved.
        let all: String = after.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        let kinds = [(ItemKind::Rule, &rules), (ItemKind::Reference, &references)];
        for item in kinds.into_iter().flat_map(|(kind, items)| items.iter().map(move |item| (kind, item))) {
            let (kind, item) = item;
            if changed_item(&change) == Some((kind, item.name.as_str())) {
                continue;
            }
            let written = if matches!(layout, Layout::Lists | Layout::Tsagent) { entry(layout, item) } else { file(layout, item) };
            prop_assert!(all.contains(written.trim_end()), "{} is not as it was: {}", item.name, shown);
        }
        let kept: &[&str] = match layout {
            Layout::Lists | Layout::Files => &["# The harbour's agent.\nname: test # me\n"],
            Layout::Tsagent => &["  # who\n", "  mood: good # theirs\n", "settings: # few\n", "  theme: dark\n", "# the end\n"],
            Layout::TsagentJson | Layout::Tspark => &["  // who\n", "\"mood\": \"good\"", "// many\n", "\"x-note\": 12345678901234567890"],
        };
        for kept in kept {
            prop_assert!(all.contains(kept), "{:?} is gone: {}", kept, shown);
        }
        let again = amended(&after, &change);
        match (&change, again) {
            (AgentChange::Create { .. } | AgentChange::Remove { .. }, again) => prop_assert!(again.is_err()),
            (_, again) => prop_assert!(again.is_ok_and(|(_, changed)| changed.is_empty()), "said again: {}", shown),
        }
    }
}

//! Agent definition of a peer. The text of its card is untrusted: it is truncated, and invisible characters are
//! removed.

use crate::PeerConfig;
use baton_types::{AgentName, AgentSpec, ControlTools, ModelSpec, RunLimits, SkillSpec, ToolExecution, is_agent_name};
use baton_wire::a2a::v1::{AgentCard, AgentSkill};
use std::time::Duration;

/// Deadline of a peer's task.
const DEADLINE: Duration = Duration::from_secs(60 * 60);
const MAX_TITLE: usize = 200;
const MAX_DESCRIPTION: usize = 4000;
const MAX_SKILLS: usize = 64;
const MAX_WORDS: usize = 32;

/// The definition from a card.
pub(super) fn spec_from_card(name: &AgentName, config: &PeerConfig, card: &AgentCard) -> AgentSpec {
    let title = or(clean(&card.name, MAX_TITLE), name.as_str());
    let description = or(clean(&card.description, MAX_DESCRIPTION), "A remote agent.");
    let mut skills: Vec<SkillSpec> = card.skills.iter().take(MAX_SKILLS).map(skill).collect();
    if skills.is_empty() {
        skills.push(default_skill(name, &title, &description));
    }
    let modes: Vec<String> =
        card.default_input_modes.iter().take(MAX_WORDS).map(|mode| clean(mode, MAX_TITLE)).collect();
    let version = or(clean(&card.version, MAX_TITLE), "0");
    AgentSpec {
        version,
        skills,
        input_modes: if modes.is_empty() { AgentSpec::DEFAULT_INPUT_MODES.map(str::to_owned).to_vec() } else { modes },
        ..base_spec(name, config, title, description)
    }
}

/// The definition of a peer whose card was never read.
pub(super) fn spec_from_config(name: &AgentName, config: &PeerConfig) -> AgentSpec {
    let description = "A remote agent whose card could not be read yet.".to_owned();
    base_spec(name, config, name.as_str().to_owned(), description)
}

fn base_spec(name: &AgentName, config: &PeerConfig, title: String, description: String) -> AgentSpec {
    AgentSpec {
        name: name.clone(),
        skills: vec![default_skill(name, &title, &description)],
        title,
        description,
        version: "0".to_owned(),
        prompt: String::new(),
        input_modes: vec!["*/*".to_owned()],
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: Vec::new(),
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Peer { url: config.url.clone(), listed: config.listed },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits { deadline: DEADLINE, ..RunLimits::default() },
        control_tools: ControlTools::default(),
        handoffs: Vec::new(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        // A handoff requested by the peer may go to any agent of this Baton.
        enable_handoff: true,
        policy: Default::default(),
        autonomous: false,
    }
}

/// Derives a name for the peer: the card's name in lower case with dashes, or else the host.
pub(super) fn slug(card: &AgentCard, url: &str) -> Option<AgentName> {
    let host = url.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_default();
    [card.name.as_str(), host.as_str()].into_iter().map(slugify).find(|name| is_agent_name(name)).map(AgentName::from)
}

fn slugify(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() == 64 {
            break;
        }
    }
    name.trim_end_matches('-').to_owned()
}

fn skill(skill: &AgentSkill) -> SkillSpec {
    let texts = |texts: &[String]| texts.iter().take(MAX_WORDS).map(|text| clean(text, MAX_TITLE)).collect();
    let id = or(clean(&skill.id, MAX_TITLE), "skill");
    SkillSpec {
        name: or(clean(&skill.name, MAX_TITLE), &id),
        description: clean(&skill.description, MAX_DESCRIPTION),
        tags: texts(&skill.tags),
        examples: texts(&skill.examples),
        id,
    }
}

fn default_skill(name: &AgentName, title: &str, description: &str) -> SkillSpec {
    SkillSpec {
        id: name.as_str().to_owned(),
        name: title.to_owned(),
        description: description.to_owned(),
        tags: Vec::new(),
        examples: Vec::new(),
    }
}

fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

/// Removes control characters and invisible characters.
pub(super) fn clean(text: &str, max_chars: usize) -> String {
    let hidden = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
            || ('\u{e0000}'..='\u{e007f}').contains(&c)
    };
    let cleaned: String = text.chars().filter(|c| !hidden(*c)).take(max_chars).collect();
    cleaned.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_names_are_slugs_of_card_titles() {
        for (name, url, expected) in [
            ("Weather Agent", "https://a.example/x", Some("weather-agent")),
            ("  --Ünïcode 7! ", "https://a.example", Some("n-code-7")),
            ("天気", "https://weather.example:8443/", Some("weather-example")),
            ("tasks", "https://a.example", Some("a-example")),
            ("", "/", None),
        ] {
            let card = AgentCard { name: name.to_owned(), ..AgentCard::default() };
            assert_eq!(slug(&card, url).as_ref().map(AgentName::as_str), expected, "{name}");
        }
        assert_eq!(slugify(&"a".repeat(200)).len(), 64);
    }

    #[test]
    fn invisible_characters_are_removed_from_card_texts() {
        assert_eq!(clean(" a\u{200b}b\u{202e}c\u{7}\u{e0041}\nd ", 100), "abc\nd");
        assert_eq!(clean(&"x".repeat(10), 3), "xxx");
    }
}

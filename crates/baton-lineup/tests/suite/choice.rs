//! The agent's word, then that of the settings, then what was found, then the playbook.

use baton_agentdir::{parse, scaffold};
use baton_lineup::{Candidate, Choice, LineupError, ModelSettings, Reason};
use baton_types::AgentSpec;

fn agent(model: Option<&str>, fallbacks: &[&str]) -> AgentSpec {
    let files = scaffold("desk").into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    let mut agent = parse(&files, "/agents/desk").agent.expect("an agent");
    agent.writing.model = model.map(str::to_owned);
    agent.writing.fallbacks = fallbacks.iter().map(|model| (*model).to_owned()).collect();
    agent
}

fn settings(model: Option<&str>, fallbacks: &[&str]) -> ModelSettings {
    let fallbacks = fallbacks.iter().map(|model| (*model).to_owned()).collect();
    ModelSettings { model: model.map(str::to_owned), fallbacks, ..ModelSettings::default() }
}

#[test]
fn the_nearest_word_counts() {
    let ollama = Candidate { model: "ollama:qwen3".to_owned(), why: "found".to_owned(), base_url: None };
    let there = [ollama.clone()];
    let found = Reason::Found(ollama);
    type Case<'a> = (Option<&'a str>, Option<&'a str>, &'a [Candidate], &'a [&'a str], Reason);
    let cases: [Case<'_>; 7] = [
        (None, None, &[], &["playbook"], Reason::Nothing),
        (None, None, &there, &["ollama:qwen3"], found),
        (None, Some("openai:gpt-5"), &there, &["openai:gpt-5"], Reason::Settings),
        (Some("anthropic:c"), Some("openai:gpt-5"), &there, &["claude:c"], Reason::Agent),
        (Some("playbook"), Some("openai:gpt-5"), &there, &["playbook"], Reason::Agent),
        (Some("test:frosty1.0"), None, &there, &["playbook"], Reason::Agent),
        (Some("bedrock:amazon.nova-pro-v1:0"), None, &[], &["bedrock:amazon.nova-pro-v1:0"], Reason::Agent),
    ];
    for (own, house, candidates, models, reason) in cases {
        let choice = Choice::of(&agent(own, &[]), &settings(house, &[]), candidates).expect("a choice");
        assert_eq!((choice.models, choice.reason), (models.iter().map(|m| (*m).to_owned()).collect(), reason));
    }
}

#[test]
fn fallbacks_belong_to_their_model() {
    let house = settings(Some("openai:a"), &["openai:b", "openai:a"]);
    let models = |agent: &AgentSpec| Choice::of(agent, &house, &[]).expect("a choice").models;
    assert_eq!(models(&agent(None, &[])), ["openai:a", "openai:b"]);
    assert_eq!(models(&agent(Some("claude:x"), &[])), ["claude:x"]);
    assert_eq!(models(&agent(Some("claude:x"), &["anthropic:y", "playbook"])), ["claude:x", "claude:y", "playbook"]);
}

#[test]
fn production_has_no_playbook() {
    let production = ModelSettings { production: true, ..ModelSettings::default() };
    for model in [None, Some("playbook"), Some("test:frosty1.0")] {
        let refused = Choice::of(&agent(model, &[]), &production, &[]);
        assert_eq!(refused, Err(LineupError::Production("desk".to_owned())));
    }
    assert!(Choice::of(&agent(Some("gpt"), &[]), &ModelSettings::default(), &[]).is_err());
}

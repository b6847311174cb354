//! The model of the agent, then that of the settings, then the detected one, then the playbook.

use baton_agentdir::{parse, scaffold};
use baton_model_registry::{ModelCandidate, ModelChoice, ModelChoiceReason, ModelRegistryError, ModelSettings};
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
fn most_specific_setting_wins() {
    let ollama = ModelCandidate { model: "ollama:qwen3".to_owned(), source: "found".to_owned(), base_url: None };
    let there = [ollama.clone()];
    let found = ModelChoiceReason::Detected(ollama);
    type Case<'a> = (Option<&'a str>, Option<&'a str>, &'a [ModelCandidate], &'a [&'a str], ModelChoiceReason);
    let cases: [Case<'_>; 7] = [
        (None, None, &[], &["playbook"], ModelChoiceReason::Default),
        (None, None, &there, &["ollama:qwen3"], found),
        (None, Some("openai:gpt-5"), &there, &["openai:gpt-5"], ModelChoiceReason::Settings),
        (Some("anthropic:c"), Some("openai:gpt-5"), &there, &["claude:c"], ModelChoiceReason::Agent),
        (Some("playbook"), Some("openai:gpt-5"), &there, &["playbook"], ModelChoiceReason::Agent),
        (Some("test:frosty1.0"), None, &there, &["playbook"], ModelChoiceReason::Agent),
        (Some("bedrock:amazon.nova-pro-v1:0"), None, &[], &["bedrock:amazon.nova-pro-v1:0"], ModelChoiceReason::Agent),
    ];
    for (own, house, candidates, models, reason) in cases {
        let choice = ModelChoice::select(&agent(own, &[]), &settings(house, &[]), candidates).expect("a choice");
        assert_eq!((choice.models, choice.reason), (models.iter().map(|m| (*m).to_owned()).collect(), reason));
    }
}

#[test]
fn fallbacks_apply_to_their_model_only() {
    let house = settings(Some("openai:a"), &["openai:b", "openai:a"]);
    let models = |agent: &AgentSpec| ModelChoice::select(agent, &house, &[]).expect("a choice").models;
    assert_eq!(models(&agent(None, &[])), ["openai:a", "openai:b"]);
    assert_eq!(models(&agent(Some("claude:x"), &[])), ["claude:x"]);
    assert_eq!(models(&agent(Some("claude:x"), &["anthropic:y", "playbook"])), ["claude:x", "claude:y", "playbook"]);
}

#[test]
fn production_has_no_playbook_fallback() {
    let production = ModelSettings { production: true, ..ModelSettings::default() };
    for model in [None, Some("playbook"), Some("test:frosty1.0")] {
        let refused = ModelChoice::select(&agent(model, &[]), &production, &[]);
        assert_eq!(refused, Err(ModelRegistryError::NoProductionModel("desk".to_owned())));
    }
    assert!(ModelChoice::select(&agent(Some("gpt"), &[]), &ModelSettings::default(), &[]).is_err());
}

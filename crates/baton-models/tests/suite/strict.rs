//! The playbook as a test double: unused rules and unexpected calls.

use crate::calls::{shown, user};
use baton_models::PlaybookModels;
use baton_ports::ModelResolver;
use baton_types::{AgentSpec, ControlTools, ModelSpec, RunLimits, ToolExecution};
use futures_util::StreamExt;
use std::sync::Arc;

pub(crate) fn agent(rules: Option<&str>) -> AgentSpec {
    AgentSpec {
        name: "tester".into(),
        title: String::new(),
        description: String::new(),
        version: String::new(),
        prompt: String::new(),
        skills: Vec::new(),
        input_modes: Vec::new(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: Vec::new(),
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: rules.map(str::to_owned) },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits::default(),
        control_tools: ControlTools::default(),
        handoffs: Vec::new(),
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: false,
        policy: Default::default(),
        autonomous: false,
    }
}

#[tokio::test]
async fn unused_rules_and_misses_are_reported() {
    let models = PlaybookModels::strict();
    let agent =
        agent(Some("rules:\n  - { when: { user: a }, say: A }\n  - { name: spare, when: { user: b }, say: B }\n"));
    let mut answers = Vec::new();
    for text in ["a", "zzz", "a"] {
        let events: Vec<_> = models.model(&agent).unwrap().call(user(text)).collect().await;
        answers.push(shown(&events));
    }
    let report = models.report();
    insta::assert_snapshot!(format!("{}\n\n{:#?}\nunused: {}", answers.join("\n"), report, report.unused().count()));
}

#[tokio::test]
async fn parsed_playbooks_are_cached_with_a_limit() {
    let models = PlaybookModels::new();
    let first = agent(Some("rules: [{ say: a }]"));
    assert!(Arc::ptr_eq(&models.model(&first).unwrap(), &models.model(&first).unwrap()));
    for number in 0..1000 {
        models.model(&agent(Some(&format!("rules: [{{ say: '{number}' }}]")))).unwrap();
    }
    assert!(models.report().rules.len() <= 256);
    assert!(models.model(&agent(Some("rules: 7"))).is_err());
    let events: Vec<_> = models.model(&agent(None)).unwrap().call(user("hello")).collect().await;
    assert!(shown(&events).contains("built-in playbook"));
}

//! Limits of rounds, calls, time and handoff depth.

use crate::{
    handoffs::sampling,
    scripted_agents::{AgentReply, Script, calls, results, text},
};
use baton_orchestrator::{OrchestrateError, Orchestrator, OrchestratorLimits};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn agent_that_never_stops_calling_is_canceled() {
    let fake = Script::default()
        .agent("a", |turn, _| calls(&[(&format!("c{turn}"), "t", json!({}))]))
        .tool("a", "t", |_| async { text("again") })
        .serve()
        .await;
    let orchestrator = Orchestrator::new().limits(OrchestratorLimits { rounds: 3, ..OrchestratorLimits::default() });
    let error = orchestrator.ask(&fake.at("a"), "go").await.unwrap_err();
    assert!(matches!(&error, OrchestrateError::Rounds { rounds: 3, .. }), "{error}");
    assert!(error.to_string().contains("(task task-1)"), "{error}");
    assert_eq!(fake.seen("tools/call").len(), 3);
    assert_eq!(fake.seen("CancelTask").len(), 1);
}

#[tokio::test]
async fn too_many_calls_in_one_round_are_rejected() {
    let fake = Script::default()
        .agent("a", |_, _| calls(&[("1", "t", json!({})), ("2", "t", json!({}))]))
        .tool("a", "t", |_| async { text("ran") })
        .serve()
        .await;
    let orchestrator = Orchestrator::new().limits(OrchestratorLimits { calls: 1, ..OrchestratorLimits::default() });
    let error = orchestrator.ask(&fake.at("a"), "go").await.unwrap_err();
    assert!(matches!(error, OrchestrateError::Calls { calls: 2, limit: 1, .. }), "{error}");
    assert!(fake.seen("tools/call").is_empty());
}

#[tokio::test]
async fn silent_agent_ends_at_the_deadline() {
    let fake = Script::default().agent("a", |_, _| AgentReply::Silence).serve().await;
    let limits = OrchestratorLimits { deadline: Duration::from_millis(200), ..OrchestratorLimits::default() };
    let error = Orchestrator::new().limits(limits).ask(&fake.at("a"), "go").await.unwrap_err();
    assert!(matches!(error, OrchestrateError::Deadline { .. }), "{error}");
}

/// Every agent hands off to the next one.
#[tokio::test]
async fn handoff_chain_is_limited() {
    let mut script = Script::default();
    for agent in 0..9 {
        script = script
            .agent(&format!("a{agent}"), move |turn, message| match turn {
                0 => {
                    let url = message["parts"][0]["text"].as_str().unwrap().to_owned();
                    calls(&[("c", "next", json!({"agent_uri": format!("{url}a{}", agent + 1), "base": url}))])
                }
                _ => AgentReply::Done(results(message)[0]["output"].as_str().unwrap().to_owned()),
            })
            .tool(&format!("a{agent}"), "next", |params| async move {
                let mut asked = sampling(&params, &json!({"agent_uri": params["arguments"]["agent_uri"]}));
                if params.get("inputResponses").is_some() {
                    return asked;
                }
                let message = &mut asked["inputRequests"]["handoff"]["params"]["messages"][0]["content"]["text"];
                *message = params["arguments"]["base"].clone();
                asked
            });
    }
    let fake = script.serve().await;
    let answer = Orchestrator::new().ask(&fake.at("a0"), &fake.at("")).await.unwrap();
    assert!(answer.text.ends_with("the work was handed over 5 times already; 5 is the limit"), "{}", answer.text);
    let depths: Vec<_> = fake
        .seen("SendMessage")
        .into_iter()
        .filter_map(|seen| {
            let is_first = seen["params"]["message"]["taskId"].is_null();
            is_first.then(|| seen["depth"].as_str().unwrap_or("0").to_owned())
        })
        .collect();
    assert_eq!(depths, ["0", "1", "2", "3", "4", "5"]);
}

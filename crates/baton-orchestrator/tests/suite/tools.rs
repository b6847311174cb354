//! Tools of remote agents.

use crate::scripted_agents::{AgentReply, Script, calls, results, text};
use baton_orchestrator::{CalledAgent, OrchestrationObserver, Orchestrator};
use baton_ports::ToolOutput;
use baton_types::{Message, Part, Role, TaskState, ToolCall};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::Barrier;

#[derive(Default)]
struct ToolLog(Mutex<Vec<String>>);

impl OrchestrationObserver for ToolLog {
    fn on_tool_call(&self, whose: CalledAgent<'_>, call: &ToolCall) {
        self.0.lock().unwrap().push(format!("{} calls {}", whose.depth, call.name));
    }

    fn on_tool_result(&self, _: CalledAgent<'_>, call: &ToolCall, output: &ToolOutput) {
        self.0.lock().unwrap().push(format!("{} gave {} {}", call.name, output.output.as_str(), output.is_error));
    }
}

/// Two calls that wait for each other, then one in the older format that fails, then the answer.
fn script() -> Script {
    let barrier = Arc::new(Barrier::new(2));
    let meets = move |params: Value| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            text(&format!("{} in {}", params["name"].as_str().unwrap(), params["arguments"]["city"]))
        }
    };
    Script::default()
        .agent("weather", |turn, message| match turn {
            0 => calls(&[("c1", "sun", json!({"city": "Oakland"})), ("c2", "rain", json!({"city": "Lisbon"}))]),
            1 => AgentReply::NeedsInput(json!({"tool_calls": [{
                "id": "c3", "type": "function", "function": {"name": "storm", "arguments": "{\"city\":\"Rome\"}"},
            }]})),
            _ => AgentReply::Done(format!("done: {}", results(message))),
        })
        .tool("weather", "sun", meets.clone())
        .tool("weather", "rain", meets)
        .tool("weather", "storm", |_| async {
            json!({"resultType": "complete", "isError": true, "content": [{"type": "text", "text": "no storm"}]})
        })
}

#[tokio::test]
async fn calls_run_concurrently_and_results_are_one_message() {
    let fake = script().serve().await;
    let told = ToolLog::default();
    let message = Message::new("m-1".into(), Role::User, vec![Part::text("How is the weather?")]);
    let answer = Orchestrator::new().send(&fake.at("weather"), message, &told).await.unwrap();
    let expect = r#"done: [{"call_id":"c3","name":"storm","output":"no storm","is_error":true}]"#;
    assert_eq!((answer.text.as_str(), answer.state, answer.needs_input()), (expect, TaskState::Completed, false));
    assert_eq!(answer.task.as_deref(), Some("task-1"));
    let sent = fake.seen("SendMessage");
    assert_eq!(sent.len(), 3);
    let both = json!([
        {"call_id": "c1", "name": "sun", "output": "sun in \"Oakland\""},
        {"call_id": "c2", "name": "rain", "output": "rain in \"Lisbon\""},
    ]);
    let second = &sent[1]["params"]["message"];
    assert_eq!((results(second), &second["taskId"]), (both, &json!("task-1")));
    assert_eq!(second["contextId"], sent[0]["params"]["message"]["contextId"]);
    let told = told.0.into_inner().unwrap();
    assert_eq!(told.first().map(String::as_str), Some("0 calls sun"));
    assert_eq!(told.last().map(String::as_str), Some("storm gave \"no storm\" true"));
}

#[tokio::test]
async fn environment_must_be_on_the_origin_of_the_agent() {
    for (named, expect) in [("{url}/elsewhere", true), ("http://evil.example/mcp", true), ("{url}/nowhere", false)] {
        let fake = Script::default()
            .with_environment_url(named)
            .agent("a", |turn, _| match turn {
                0 => calls(&[("c", "t", json!({}))]),
                _ => AgentReply::Done("done".to_owned()),
            })
            .tool("a", "t", |_| async { text("ran") })
            .serve()
            .await;
        let answer = Orchestrator::new().ask(&fake.at("a"), "go").await;
        assert_eq!(answer.is_ok_and(|answer| answer.is_completed()), expect, "{named}");
    }
}

#[tokio::test]
async fn unknown_tool_fails_and_agent_without_tools_answers() {
    let fake = Script::default()
        .agent("a", |turn, message| match turn {
            0 => calls(&[("c", "gone", json!({}))]),
            _ => AgentReply::Done(results(message)[0]["output"].as_str().unwrap().to_owned()),
        })
        .tool("a", "t", |_| async { text("ran") })
        .agent("b", |_, _| AgentReply::Done("hello".to_owned()))
        .serve()
        .await;
    let orchestrator = Orchestrator::new();
    let answer = orchestrator.ask(&fake.at("a"), "go").await.unwrap();
    assert!(answer.text.starts_with("gone failed: "), "{}", answer.text);
    assert_eq!(orchestrator.ask(&fake.at("b"), "go").await.unwrap().text, "hello");
    // The Environment of an agent without tool calls is not contacted.
    assert!(fake.seen("server/discover").iter().all(|seen| seen["agent"] == "a"));
}

#[tokio::test]
async fn missing_environment_is_reported() {
    let fake = Script::default().agent("a", |_, _| calls(&[("c", "t", json!({}))])).serve().await;
    let error = Orchestrator::new().ask(&fake.at("a"), "go").await.unwrap_err();
    let shown = format!("{} {error}", error.code().code).replace(&fake.at(""), "http://fake/");
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn credential_is_sent_to_the_agent_and_its_environment_only() {
    let other = Script::default().agent("b", |_, _| AgentReply::Done("from b".to_owned())).serve().await;
    let target = other.at("b");
    let fake = Script::default()
        .agent("a", |turn, message| match turn {
            0 => calls(&[("c", "hand", json!({}))]),
            _ => AgentReply::Done(results(message)[0]["output"].as_str().unwrap().to_owned()),
        })
        .tool("a", "hand", move |params| {
            let target = target.clone();
            async move { crate::handoffs::sampling(&params, &json!({"agent_uri": target})) }
        })
        .serve()
        .await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "s3cret").unwrap();
    let token = format!("file://{}", file.path().display());
    let orchestrator = Orchestrator::new().bearer(&fake.at("a"), &token).unwrap().allow(other.at(""));
    let answer = orchestrator.ask(&fake.at("a"), "go").await.unwrap();
    assert_eq!(answer.text, "a2a-agent/b end: from b");
    let shown = |seen: Vec<Value>| seen.iter().all(|seen| seen["authorization"] == "Bearer s3cret");
    assert!(shown(fake.seen("SendMessage")) && shown(fake.seen("tools/call")) && shown(fake.seen("server/discover")));
    assert!(other.seen("SendMessage").iter().all(|seen| seen["authorization"].is_null()));
}

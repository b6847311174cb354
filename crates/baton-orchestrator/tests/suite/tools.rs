//! Tools of agents elsewhere.

use crate::fake::{Says, Script, calls, results, text};
use baton_orchestrator::{CalledAgent, OrchestrationObserver, Orchestrator};
use baton_ports::ToolOutput;
use baton_types::{Message, Part, Role, TaskState, ToolCall};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::Barrier;

#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl OrchestrationObserver for Told {
    fn on_tool_call(&self, whose: CalledAgent<'_>, call: &ToolCall) {
        self.0.lock().unwrap().push(format!("{} calls {}", whose.depth, call.name));
    }

    fn on_tool_result(&self, _: CalledAgent<'_>, call: &ToolCall, output: &ToolOutput) {
        self.0.lock().unwrap().push(format!("{} gave {} {}", call.name, output.output.as_str(), output.is_error));
    }
}

/// Two calls of which each waits for the other, then one in the older shape that fails, then the answer.
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
            1 => Says::Wants(json!({"tool_calls": [{
                "id": "c3", "type": "function", "function": {"name": "storm", "arguments": "{\"city\":\"Rome\"}"},
            }]})),
            _ => Says::Done(format!("done: {}", results(message))),
        })
        .tool("weather", "sun", meets.clone())
        .tool("weather", "rain", meets)
        .tool("weather", "storm", |_| async {
            json!({"resultType": "complete", "isError": true, "content": [{"type": "text", "text": "no storm"}]})
        })
}

#[tokio::test]
async fn calls_run_together_and_their_results_go_back_in_one_message() {
    let fake = script().serve().await;
    let told = Told::default();
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
async fn an_environment_is_where_the_card_says_if_that_is_its_own_origin() {
    for (named, expect) in [("{url}/elsewhere", true), ("http://evil.example/mcp", true), ("{url}/nowhere", false)] {
        let fake = Script::default()
            .card_names(named)
            .agent("a", |turn, _| match turn {
                0 => calls(&[("c", "t", json!({}))]),
                _ => Says::Done("done".to_owned()),
            })
            .tool("a", "t", |_| async { text("ran") })
            .serve()
            .await;
        let answer = Orchestrator::new().ask(&fake.at("a"), "go").await;
        assert_eq!(answer.is_ok_and(|answer| answer.is_completed()), expect, "{named}");
    }
}

#[tokio::test]
async fn a_tool_that_is_not_there_and_an_agent_without_tools() {
    let fake = Script::default()
        .agent("a", |turn, message| match turn {
            0 => calls(&[("c", "gone", json!({}))]),
            _ => Says::Done(results(message)[0]["output"].as_str().unwrap().to_owned()),
        })
        .tool("a", "t", |_| async { text("ran") })
        .agent("b", |_, _| Says::Done("hello".to_owned()))
        .serve()
        .await;
    let orchestrator = Orchestrator::new();
    let answer = orchestrator.ask(&fake.at("a"), "go").await.unwrap();
    assert!(answer.text.starts_with("gone failed: "), "{}", answer.text);
    assert_eq!(orchestrator.ask(&fake.at("b"), "go").await.unwrap().text, "hello");
    // Nobody asks for the Environment of an agent that needs no tools.
    assert!(fake.seen("server/discover").iter().all(|seen| seen["agent"] == "a"));
}

#[tokio::test]
async fn a_missing_environment_is_named() {
    let fake = Script::default().agent("a", |_, _| calls(&[("c", "t", json!({}))])).serve().await;
    let error = Orchestrator::new().ask(&fake.at("a"), "go").await.unwrap_err();
    let shown = format!("{} {error}", error.code().code).replace(&fake.at(""), "http://fake/");
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn a_credential_is_shown_to_the_agent_and_its_environment_and_to_nobody_else() {
    let other = Script::default().agent("b", |_, _| Says::Done("from b".to_owned())).serve().await;
    let target = other.at("b");
    let fake = Script::default()
        .agent("a", |turn, message| match turn {
            0 => calls(&[("c", "hand", json!({}))]),
            _ => Says::Done(results(message)[0]["output"].as_str().unwrap().to_owned()),
        })
        .tool("a", "hand", move |params| {
            let target = target.clone();
            async move { crate::handing_over::sampling(&params, &json!({"agent_uri": target})) }
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

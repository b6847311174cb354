//! Input requests: approvals and questions of tools.

use super::{
    client::{Answers, text},
    raw::RawRequest,
    world::{Plan, World, ann, bob},
};
use crate::mcp_client::Era;
use baton_types::{McpEra, Permission};
use serde_json::{Value, json};

#[tokio::test]
async fn approval_is_requested_and_enforced_in_both_eras() {
    for era in Era::ALL {
        let world = World::new();
        let yes = world.client(&ann(), era, Answers::Yes(json!({"allow": true}))).await;
        let result = yes.call("guarded", json!({"n": 1})).await;
        assert_eq!(result.structured_content, Some(json!({"n": 1})), "{era:?}");
        assert_eq!(yes.questions(), ["May the tool 'guarded' of the agent 'weather' run with {\"n\":1}?"]);
        assert_eq!(world.host.ran(), ["guarded for ann"]);
        for (answers, words) in [
            (Answers::No, "'guarded' did not run, because it was not allowed."),
            (Answers::Yes(json!({"allow": false})), "'guarded' did not run, because it was not allowed."),
            (Answers::Never, "this MCP client cannot ask"),
        ] {
            let client = world.client(&ann(), era, answers.clone()).await;
            let result = client.call("guarded", json!({})).await;
            assert!(result.is_error == Some(true) && text(&result).contains(words), "{era:?} {answers:?} {result:?}");
        }
        assert!(world.host.ran().is_empty());
    }
}

#[tokio::test]
async fn tool_continues_after_its_question_in_both_eras() {
    for era in Era::ALL {
        let world = World::new();
        let client = world.client(&ann(), era, Answers::Yes(json!({"name": "Ann"}))).await;
        let result = client.call("ask", json!({})).await;
        let expect = json!({
            "answers": [{"key": "who", "action": "accept", "content": {"name": "Ann"}}], "state": "step-2",
        });
        assert_eq!(result.structured_content, Some(expect), "{era:?}");
        assert_eq!(client.questions(), ["Who are you?"]);
    }
}

#[tokio::test]
async fn servers_of_each_era_can_question_clients_of_each_era() {
    for upstream in [McpEra::Modern, McpEra::Legacy] {
        for era in Era::ALL {
            let world = World::new();
            world.source.connect(upstream, Permission::Allow);
            let client = world.client(&ann(), era, Answers::Yes(json!({"name": "Ann"}))).await;
            let elicited = client.call("up__elicit", json!({})).await;
            let answer: Value = serde_json::from_str(text(&elicited)).unwrap();
            assert_eq!(answer, json!({"action": "accept", "content": {"name": "Ann"}}), "{upstream:?} {era:?}");
            let sampled = client.call("up__sample", json!({})).await;
            assert_eq!(text(&sampled), "a model's words", "{upstream:?} {era:?}");
            assert_eq!(client.questions(), ["Upstream asks: who?", "sample 12"], "{upstream:?} {era:?}");
        }
    }
}

fn call(tool: &str, more: Value) -> RawRequest {
    let mut params = json!({"name": tool, "arguments": {"n": 1}});
    params.as_object_mut().unwrap().extend(super::client::object(more));
    RawRequest::modern("tools/call", params)
}

async fn request_state(world: &World, tool: &str) -> (String, Value) {
    let message = world.ask(call(tool, json!({}))).await.message();
    let result = &message["result"];
    assert_eq!(result["resultType"], "input_required", "{message}");
    (result["requestState"].as_str().unwrap().to_owned(), result["inputRequests"].clone())
}

#[tokio::test]
async fn state_is_bound_to_one_caller_one_call_and_one_use() {
    let world = World::new();
    let (state, requests) = request_state(&world, "guarded").await;
    insta::assert_json_snapshot!(requests);
    let yes = json!({"baton/approval": {"action": "accept", "content": {"allow": true}}});
    let with = |tool: &str, state: &str| call(tool, json!({"requestState": state, "inputResponses": yes}));
    let foreign = "the requestState does not belong to this call; call again without it";
    let mut changed = state.clone();
    changed.push('x');
    let other_arguments = RawRequest::modern(
        "tools/call",
        json!({"name": "guarded", "arguments": {"n": 2}, "requestState": state, "inputResponses": yes}),
    );
    for ask in [with("guarded", &state).by(bob()), with("echo", &state), with("guarded", &changed), other_arguments] {
        let message = world.ask(ask).await.message();
        assert_eq!((&message["error"]["code"], &message["error"]["message"]), (&json!(-32602), &json!(foreign)));
    }
    assert!(world.host.ran().is_empty());
    let done = world.ask(with("guarded", &state)).await.message();
    assert_eq!(done["result"]["structuredContent"], json!({"n": 1}));
    let again = world.ask(with("guarded", &state)).await.message();
    assert_eq!(again["error"]["message"], "the requestState was used before; call again without it");
    assert_eq!(world.host.ran(), ["guarded for ann"]);
}

#[tokio::test]
async fn missing_answer_is_requested_again_and_unknown_ignored() {
    let world = World::new();
    let (state, requests) = request_state(&world, "ask").await;
    let wrong = json!({"requestState": state, "inputResponses": {"other": {"action": "accept"}}});
    let message = world.ask(call("ask", wrong)).await.message();
    assert_eq!(message["result"]["inputRequests"], requests);
    let state = message["result"]["requestState"].as_str().unwrap();
    let right = json!({"requestState": state, "inputResponses": {
        "who": {"action": "decline"}, "other": {"action": "accept"},
    }});
    let message = world.ask(call("ask", right)).await.message();
    let expect = json!({"answers": [{"key": "who", "action": "decline"}], "state": "step-2"});
    assert_eq!(message["result"]["structuredContent"], expect);
}

#[tokio::test]
async fn state_survives_restart_but_not_a_key_change() {
    let (before, after) = (World::new(), World::new());
    let (state, _) = request_state(&before, "ask").await;
    let answer = json!({"requestState": state, "inputResponses": {"who": {"action": "cancel"}}});
    let message = after.ask(call("ask", answer.clone())).await.message();
    assert_eq!(message["result"]["structuredContent"]["state"], "step-2");
    let changed = World::with_plan(Plan { key: [8; 32], ..Plan::default() });
    let message = changed.ask(call("ask", answer)).await.message();
    assert_eq!(message["error"]["code"], -32602);
}

#[tokio::test]
async fn approval_is_not_reused_after_a_restart() {
    let (before, after) = (World::new(), World::new());
    let (state, requests) = request_state(&before, "guarded").await;
    let yes = json!({"baton/approval": {"action": "accept", "content": {"allow": true}}});
    let with = |state: &str| call("guarded", json!({"requestState": state, "inputResponses": yes}));
    before.ask(with(&state)).await;
    let asked = after.ask(with(&state)).await.message();
    assert_eq!((asked["result"]["inputRequests"].clone(), after.host.ran()), (requests, vec![]));
    after.ask(with(asked["result"]["requestState"].as_str().unwrap())).await;
    assert_eq!(after.host.ran(), ["guarded for ann"]);
}

#[tokio::test]
async fn modern_call_keeps_no_state_between_rounds() {
    let world = World::new();
    world.source.connect(McpEra::Modern, Permission::Allow);
    // The server is connected once for all callers.
    world.ask(RawRequest::modern("tools/list", json!({}))).await;
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let quiet = tasks();
    for tool in ["guarded", "ask", "up__elicit"] {
        request_state(&world, tool).await;
    }
    while tasks() > quiet {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.common.sessions.session_count(), 0);
    assert_eq!(world.environments.ports().servers.held_call_count(), 0);
}

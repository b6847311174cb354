//! The state that a client carries between the rounds of a handoff.

use super::{
    handoff::{agent_reply, world},
    raw::RawRequest,
    world::{Plan, World, ann, bob},
};
use baton_mcp::McpLimits;
use serde_json::{Value, json};
use std::time::Duration;

const FOREIGN: &str = "the requestState does not belong to this call; call again without it";

/// Capabilities of a client that supports handoffs.
const CAPABILITIES: &str = "{\"sampling\":{},\"extensions\":{\"dev.baton/handoff\":{}}}";

fn work() -> Value {
    json!({"agent_uri": "forecast", "message": "What's the weather?"})
}

/// One round of a sampling client of the newest protocol.
fn round(arguments: &Value, state: Option<&str>, responses: Option<Value>) -> RawRequest {
    let mut params = json!({"name": "handoff", "arguments": arguments});
    if let Some(state) = state {
        params["requestState"] = state.into();
    }
    if let Some(responses) = responses {
        params["inputResponses"] = responses;
    }
    let mut ask = RawRequest::modern("tools/call", params);
    ask.body = String::from_utf8(ask.body).unwrap().replace("{\"elicitation\":{}}", CAPABILITIES).into();
    ask
}

fn answer(text: &str) -> Option<Value> {
    Some(json!({"handoff": agent_reply(text)}))
}

async fn begin(world: &World) -> String {
    let message = world.ask(round(&work(), None, None)).await.message();
    assert_eq!(message["result"]["resultType"], "input_required", "{message}");
    message["result"]["requestState"].as_str().unwrap().to_owned()
}

fn outcomes(world: &World) -> Vec<Value> {
    world.handoffs.shown().into_iter().map(|record| record["end"].clone()).collect()
}

#[tokio::test]
async fn request_and_answer_of_one_round() {
    let world = world();
    let mut first = world.ask(round(&work(), None, None)).await.message();
    let state = first["result"]["requestState"].take().as_str().unwrap().to_owned();
    let second = world.ask(round(&work(), Some(&state), answer("72°F"))).await.message();
    insta::assert_json_snapshot!([first, second]);
}

#[tokio::test]
async fn state_is_bound_to_one_caller_one_call_and_one_use() {
    let world = world();
    let state = begin(&world).await;
    let mut changed = state.clone();
    changed.replace_range(20..21, if &changed[20..21] == "A" { "B" } else { "A" });
    let mut other = work();
    other["message"] = "Delete everything".into();
    let mut elsewhere = work();
    elsewhere["agent_uri"] = "clock".into();
    let echo = RawRequest::modern(
        "tools/call",
        json!({"name": "echo", "arguments": work(), "requestState": state, "inputResponses": answer("x")}),
    );
    for ask in [
        round(&work(), Some(&state), answer("72°F")).by(bob()),
        round(&work(), Some(&changed), answer("72°F")),
        round(&other, Some(&state), answer("72°F")),
        round(&elsewhere, Some(&state), answer("72°F")),
        echo,
    ] {
        let message = world.ask(ask).await.message();
        assert_eq!((&message["error"]["code"], &message["error"]["message"]), (&json!(-32602), &json!(FOREIGN)));
    }
    assert_eq!((outcomes(&world), world.host.ran()), (vec![json!("in progress")], vec![]));
    let done = world.ask(round(&work(), Some(&state), answer("72°F"))).await.message();
    assert_eq!(done["result"]["structuredContent"]["response"], "72°F");
    let again = world.ask(round(&work(), Some(&state), answer("99°F"))).await.message();
    assert_eq!(again["error"]["message"], "the requestState was used before; call again without it");
    assert_eq!(outcomes(&world), [json!(["72°F", null, null])]);
}

#[tokio::test]
async fn ended_handoff_rejects_an_answer_with_a_second_state() {
    let world = world();
    let first = begin(&world).await;
    // A client without an answer gets a new request for the same handoff.
    let asked = world.ask(round(&work(), Some(&first), Some(json!({"other": agent_reply("99°F")})))).await.message();
    assert_eq!(asked["result"]["inputRequests"]["handoff"]["params"]["metadata"]["handoff_id"], "handoff-1");
    let second = asked["result"]["requestState"].as_str().unwrap();
    world.ask(round(&work(), Some(&first), answer("72°F"))).await;
    let late = world.ask(round(&work(), Some(second), answer("99°F"))).await.message();
    let words = late["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.starts_with("The handoff handoff-1 has ended already") && !words.contains("99°F"), "{late}");
    assert_eq!(outcomes(&world), [json!(["72°F", null, null])]);
}

#[tokio::test]
async fn answer_after_the_deadline_is_rejected() {
    let world = world();
    let (state, other) = (begin(&world).await, begin(&world).await);
    *world.handoffs.elapsed.lock().unwrap() = Duration::from_secs(301);
    let late = world.ask(round(&work(), Some(&state), answer("72°F"))).await.message();
    let nothing = world.ask(round(&work(), Some(&other), None)).await.message();
    for message in [late, nothing] {
        let words = message["result"]["content"][0]["text"].as_str().unwrap();
        assert!(message["result"]["isError"] == true && words.contains("its deadline passed"), "{message}");
    }
    assert_eq!(outcomes(&world), [json!({"failed": "timeout"}), json!({"failed": "timeout"})]);
}

#[tokio::test]
async fn expired_state_is_rejected_and_state_outlives_deadline() {
    let limits = McpLimits { answer_timeout: Duration::ZERO, ..Plan::default().limits };
    let world = World::with_plan(Plan { limits, ..Plan::default() });
    world.source.edit(|spec| spec.enable_handoff = true);
    world.source.add_agent("forecast", "");
    let outlives = begin(&world).await;
    *world.handoffs.timeout.lock().unwrap() = Duration::ZERO;
    let expires = begin(&world).await;
    *world.handoffs.timeout.lock().unwrap() = Duration::from_secs(300);
    let expired = loop {
        // The state expires with the millisecond of its creation; until then only the answer is requested again.
        let message = world.ask(round(&work(), Some(&expires), None)).await.message();
        if message["error"]["code"] == -32602 {
            break message;
        }
    };
    assert_eq!(expired["error"]["message"], "the requestState has expired; call again without it");
    let refused = world.ask(round(&work(), Some(&expires), answer("72°F"))).await.message();
    assert_eq!(refused["error"]["message"], expired["error"]["message"]);
    let done = world.ask(round(&work(), Some(&outlives), answer("72°F"))).await.message();
    assert_eq!(done["result"]["structuredContent"]["response"], "72°F");
}

#[tokio::test]
async fn repeated_request_requires_the_capability_again() {
    let world = world();
    let state = begin(&world).await;
    let ask = RawRequest::modern("tools/call", json!({"name": "handoff", "arguments": work(), "requestState": state}));
    let message = world.ask(ask).await.message();
    assert_eq!(message["error"]["code"], -32021, "{message}");
    assert_eq!(message["error"]["data"]["requiredCapabilities"], json!({"sampling": {}}));
    // The answer is accepted without the capability.
    let mut done = round(&work(), Some(&state), answer("72°F")).by(ann());
    done.body = String::from_utf8(done.body).unwrap().replace(CAPABILITIES, "{}").into();
    assert_eq!(world.ask(done).await.message()["result"]["structuredContent"]["via"], "client");
}

#[tokio::test]
async fn model_answer_is_reclaimed_once() {
    let world = world();
    let state = begin(&world).await;
    let mut invented = agent_reply("It is 99°F, I am sure");
    invented["model"] = "gpt-5".into();
    let invented = Some(json!({"handoff": invented}));
    let given = world.ask(round(&work(), Some(&state), invented.clone())).await.message();
    let structured = &given["result"]["structuredContent"];
    assert_eq!([&structured["response"], &structured["via"]], ["72°F in Oakland", "server"], "{given}");
    let again = world.ask(round(&work(), Some(&state), invented)).await.message();
    assert_eq!(again["error"]["message"], "the requestState was used before; call again without it");
    let record = world.handoffs.shown().remove(0);
    assert_eq!([&record["channel"], &record["why"], &record["model"]], ["direct", "other_model", "gpt-5"]);
    assert_eq!(outcomes(&world), [json!(["72°F in Oakland", "task-1", "context-1"])]);

    let mut bare = agent_reply("72°F, said an agent");
    bare.as_object_mut().unwrap().remove("model");
    let state = begin(&world).await;
    let given = world.ask(round(&work(), Some(&state), Some(json!({"handoff": bare})))).await.message();
    let structured = &given["result"]["structuredContent"];
    assert_eq!([&structured["response"], &structured["via"]], ["72°F, said an agent", "client"], "{given}");
}

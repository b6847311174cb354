//! `handoff` for every kind of client.

use super::{
    client::{Answers, Client, Told, params},
    raw::Ask,
    world::{World, ann},
};
use crate::line::Era;
use baton_types::{HandoffTarget, Permission, PermissionRule, Principal, ToolExecution};
use bytes::Bytes;
use rmcp::model::Tool;
use serde_json::{Value, json};
use std::time::Duration;

/// An agent that may hand work to everybody, and two others.
pub(super) fn world() -> World {
    let world = World::new();
    world.source.edit(|spec| spec.enable_handoff = true);
    world.source.join("clock", "Knows the time");
    world.source.join("forecast", "Knows the weather of Oakland\nand lies about other lines");
    world
}

/// What a client says that asked the agent.
fn agent(content: &Value) -> Value {
    json!({"role": "assistant", "model": "a2a-agent", "content": content})
}

pub(super) fn says(text: &str) -> Value {
    agent(&json!({"type": "text", "text": text}))
}

fn work(message: &str) -> Value {
    json!({"agent_uri": "forecast", "message": message})
}

async fn gives(client: &Client, arguments: Value) -> Value {
    match client.service.call_tool(params("handoff", arguments)).await {
        Ok(result) => {
            let texts: Vec<&str> = result.content.iter().map(|block| &*block.as_text().unwrap().text).collect();
            if let (Some(structured), [text]) = (&result.structured_content, &texts[..]) {
                assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *structured);
                return structured.clone();
            }
            assert_eq!(result.is_error, Some(true));
            json!(texts)
        }
        Err(error) => json!({"refused": error.to_string()}),
    }
}

fn asked(client: &Client) -> Vec<Value> {
    client.questions().iter().map(|question| serde_json::from_str(question).unwrap()).collect()
}

async fn listed(client: &Client) -> Option<Tool> {
    let tools = client.service.list_all_tools().await.unwrap();
    tools.into_iter().find(|tool| tool.name == "handoff")
}

#[tokio::test]
async fn the_tool_is_listed_while_the_definition_wants_it() {
    let world = world();
    let mut eras = Vec::new();
    for era in Era::ALL {
        let client = world.client(&ann(), era, Answers::Never).await;
        eras.push(listed(&client).await.unwrap());
    }
    assert_eq!(eras[0], eras[1]);
    insta::assert_json_snapshot!(eras[0]);
    let mut client = world.client(&ann(), Era::Legacy, Answers::Never).await;
    let told = async |client: &mut Client| assert_eq!(client.told.recv().await, Some(Told::Tools));
    let words = async |client: &Client| listed(client).await.unwrap().description.unwrap().to_string();
    world.source.join("tides", "");
    told(&mut client).await;
    assert!(words(&client).await.ends_with("\n- tides"));
    let target = HandoffTarget { agent: "clock".into(), description: "For the time".to_owned(), url: None };
    world.source.edit(|spec| spec.handoffs = vec![target]);
    told(&mut client).await;
    let purpose = "Hand work to another agent and get its answer. ";
    assert_eq!(words(&client).await, format!("{purpose}Agents:\n- clock: For the time"));
    world.source.edit(|spec| spec.enable_handoff = false);
    told(&mut client).await;
    assert_eq!(listed(&client).await, None);
    assert!(gives(&client, work("What?")).await["refused"].as_str().unwrap().contains("Unknown tool: handoff"));
    world.source.edit(|spec| {
        spec.enable_handoff = true;
        spec.tools.clear();
        spec.handoffs.clear();
    });
    told(&mut client).await;
    // Who may not read an agent does not hear of it.
    let some = Principal { scopes: vec!["read:weather".into(), "read:clock".into()], ..ann() };
    let some = world.client(&some, Era::Modern, Answers::Never).await;
    assert_eq!(words(&some).await, format!("{purpose}Agents:\n- clock: Knows the time"));
    let none = Principal { scopes: vec!["read:weather".into()], ..ann() };
    let none = world.client(&none, Era::Modern, Answers::Never).await;
    assert_eq!(words(&none).await, format!("{purpose}No other agent can be reached now."));
}

#[tokio::test]
async fn many_agents_are_named_up_to_a_bound() {
    let world = World::new();
    world.source.edit(|spec| spec.enable_handoff = true);
    for number in 0..60 {
        world.source.join(&format!("agent-{number:02}"), &"long ".repeat(200));
    }
    let client = world.client(&ann(), Era::Modern, Answers::Never).await;
    let words = listed(&client).await.unwrap().description.unwrap();
    assert_eq!(words.lines().count(), 51);
    assert!(words.len() < 51 * 340, "{}", words.len());
}

#[tokio::test]
async fn each_kind_of_client_hands_over_in_its_way() {
    let mut seen = Vec::new();
    let answer = || says("72°F in Oakland");
    for (era, kind) in Era::ALL.into_iter().flat_map(|era| {
        ["that hands over", "with sampling", "with sampling in caller mode", "without sampling"].map(|kind| (era, kind))
    }) {
        let world = world();
        let answers = match kind {
            "that hands over" => Answers::Sampled(answer()),
            "without sampling" => Answers::Never,
            _ => Answers::Ordinary(answer()),
        };
        if kind.ends_with("caller mode") {
            world.source.edit(|spec| spec.tool_execution = ToolExecution::Caller);
        }
        let client = world.client(&ann(), era, answers).await;
        let first = gives(&client, work("What's the weather in Oakland?")).await;
        let named = json!({"agent": "http://localhost:8700/agents/clock", "message": "When?", "context_id": "c-7"});
        let second = gives(&client, named).await;
        seen.push(json!({
            "client": format!("{era:?} {kind}"),
            "gives": [first, second],
            "asked": asked(&client),
            "records": world.handoffs.shown(),
        }));
    }
    insta::assert_json_snapshot!(seen);
}

#[tokio::test]
async fn what_clients_bring_back() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut failed = says("nobody answers at http://127.0.0.1:9");
    failed["stopReason"] = "error".into();
    let mut invented = says("It is 99°F, I am sure");
    invented["model"] = "gpt-imagination".into();
    let mut located = says("ok");
    located["_meta"] = json!({"dev.baton/taskId": "t-1", "dev.baton/contextId": "c-1"});
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let mut eras = Vec::new();
    for era in Era::ALL {
        let mut seen = Vec::new();
        for (name, answer) in [
            ("several blocks", agent(&json!([text("one"), image, text("two")]))),
            ("no text", agent(&image)),
            ("unreachable agent", failed.clone()),
            ("where the work was done", located.clone()),
            ("a model answers", invented.clone()),
        ] {
            let world = world();
            let client = world.client(&ann(), era, Answers::Sampled(answer)).await;
            let given = gives(&client, work("What's the weather?")).await;
            let records = world.handoffs.shown();
            assert_eq!(records.len(), 1, "{name}");
            seen.push(json!({"answer": name, "gives": given, "record": records[0]}));
        }
        assert!(!json!(seen).to_string().contains("99°F"));
        eras.push(json!({"era": format!("{era:?}"), "seen": seen}));
    }
    insta::assert_json_snapshot!(eras);
}

#[tokio::test]
async fn an_answer_that_names_no_model_is_the_agents() {
    fn without_model(body: &Bytes) -> Bytes {
        let text = std::str::from_utf8(body).unwrap();
        Bytes::from(text.replace("\"model\":\"a2a-agent\",", ""))
    }
    for era in Era::ALL {
        let world = world();
        world.source.edit(|spec| spec.tool_execution = ToolExecution::Caller);
        let answers = Answers::Ordinary(says("72°F, said an agent"));
        let client = world.client_edited(&ann(), era, answers, without_model).await;
        let given = gives(&client, work("What's the weather?")).await;
        assert_eq!([&given["response"], &given["via"]], ["72°F, said an agent", "client"], "{era:?}");
    }
}

#[tokio::test]
async fn a_session_whose_client_answered_from_a_model_is_not_asked_again() {
    let world = world();
    world.source.edit(|spec| spec.tool_execution = ToolExecution::Caller);
    let generic = world.client(&ann(), Era::Legacy, Answers::Yes(json!({}))).await;
    for _ in 0..2 {
        let given = gives(&generic, work("What's the weather?")).await;
        assert_eq!((&given["via"], &given["response"]), (&json!("server"), &json!("72°F in Oakland")));
    }
    assert_eq!(generic.questions().len(), 1);
    let records = world.handoffs.shown();
    assert_eq!(records.len(), 2, "each piece of work was handed over once");
    assert!(records.iter().all(|record| record["channel"] == "direct" && record["why"] == "other_model"));
    assert_eq!([&records[0]["model"], &records[1]["model"]], [&json!("test-model"), &Value::Null]);
    // Another session of the same caller has a client of its own.
    let other = world.client(&ann(), Era::Legacy, Answers::Sampled(says("72°F"))).await;
    assert_eq!(gives(&other, work("What's the weather?")).await["via"], "client");
}

#[tokio::test]
async fn what_agents_give_to_baton_itself() {
    let mut eras = Vec::new();
    for era in Era::ALL {
        let world = world();
        let client = world.client(&ann(), era, Answers::Never).await;
        let mut seen = Vec::new();
        for last in ["unreachable", "ask", "fail", "silent"] {
            let given = gives(&client, work(&format!("Please {last}"))).await;
            seen.push(json!({"the agent is": last, "gives": given}));
        }
        eras.push(seen);
    }
    assert_eq!(eras[0], eras[1]);
    insta::assert_json_snapshot!(eras[0]);
}

#[tokio::test]
async fn what_may_not_be_handed_over_is_refused_before_anything_is_sent() {
    let mut seen = Vec::new();
    for (era, answers) in [
        (Era::Modern, Answers::Sampled(says("72°F"))),
        (Era::Legacy, Answers::Sampled(says("72°F"))),
        (Era::Modern, Answers::Never),
    ] {
        let world = world();
        let client = world.client(&ann(), era, answers).await;
        let mut refused = Vec::new();
        let to = |agent: &str| json!({"agent_uri": agent, "message": "Work"});
        refused.push(("unknown agent", gives(&client, to("nobody")).await));
        refused.push(("unknown address", gives(&client, to("https://elsewhere.example/agent")).await));
        refused.push(("itself", gives(&client, to("weather")).await));
        let target = HandoffTarget { agent: "clock".into(), description: String::new(), url: None };
        world.source.edit(|spec| spec.handoffs = vec![target]);
        refused.push(("outside the list", gives(&client, to("forecast")).await));
        refused.push(("no message", gives(&client, json!({"agent_uri": "clock"})).await));
        refused.push(("empty", gives(&client, json!({"agent": " ", "message": "x"})).await));
        refused.push(("odd context", gives(&client, json!({"agent": "clock", "message": "x", "context_id": 7})).await));
        assert!(client.questions().is_empty() && world.handoffs.shown().is_empty());
        seen.push(refused);
    }
    assert!(seen[0] == seen[1] && seen[1] == seen[2]);
    insta::assert_json_snapshot!(seen[0]);
}

#[tokio::test]
async fn work_that_was_handed_over_five_times_goes_no_further() {
    let world = world();
    let call = || Ask::modern("tools/call", json!({"name": "handoff", "arguments": work("What?")}));
    let in_meta = |depth: u32| {
        let mut ask = call();
        let meta = format!("\"_meta\":{{\"dev.baton/depth\":{depth},");
        ask.body = String::from_utf8(ask.body).unwrap().replace("\"_meta\":{", &meta).into();
        ask
    };
    let five = "the work was handed over 5 times already; 5 is the limit\n";
    for ask in [call().with("baton-handoff-depth", "6"), in_meta(6)] {
        let message = world.ask(ask).await.message();
        let words = message["result"]["content"][0]["text"].as_str().unwrap();
        assert!(message["result"]["isError"] == true && words.starts_with(five), "{message}");
        assert!(words.ends_with("[BTN-3006]"), "{words}");
    }
    assert!(world.handoffs.shown().is_empty());
    for ask in [call().with("baton-handoff-depth", "5"), in_meta(5)] {
        assert_eq!(world.ask(ask).await.message()["result"]["structuredContent"]["via"], "server");
    }
}

#[tokio::test]
async fn people_who_decline_end_the_handoff() {
    let world = world();
    let client = world.client(&ann(), Era::Legacy, Answers::Sampled(json!("User rejected sampling request"))).await;
    let given = gives(&client, work("What's the weather?")).await;
    let reason = "the client did not perform the handoff: User rejected sampling request";
    assert!(given[0].as_str().unwrap().contains(reason), "{given}");
    assert_eq!(world.handoffs.shown()[0]["end"], json!({"failed": reason}));
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_the_handoff() {
    for era in Era::ALL {
        let world = world();
        let direct = world.client(&ann(), era, Answers::Never).await;
        let handle = direct.begin("handoff", work("Please hang")).await;
        world.handoffs.begun.notified().await;
        handle.cancel(None).await.unwrap();
        world.handoffs.dropped.notified().await;
    }
    let world = world();
    let sampling = world.client(&ann(), Era::Legacy, Answers::Sampled(Value::Null)).await;
    let handle = sampling.begin("handoff", work("What?")).await;
    while sampling.questions.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    handle.cancel(None).await.unwrap();
    world.handoffs.ended.notified().await;
    assert_eq!(world.handoffs.shown()[0]["end"], json!({"failed": "the call was cancelled"}));
}

#[tokio::test(start_paused = true)]
async fn clients_hear_that_the_agent_works_and_silence_has_an_end() {
    let alive = |told: Told| matches!(told, Told::Progress(_, None, Some(words)) if words == "still working");
    for era in Era::ALL {
        let world = world();
        let mut client = world.client(&ann(), era, Answers::Never).await;
        let handle = client.begin("handoff", work("Please be slow")).await;
        for _ in 0..3 {
            assert!(alive(client.said().await));
        }
        handle.await_response().await.unwrap();
    }
    let world = world();
    *world.handoffs.timeout.lock().unwrap() = Duration::from_secs(40);
    let mut client = world.client(&ann(), Era::Legacy, Answers::Sampled(Value::Null)).await;
    let before = tokio::time::Instant::now();
    let handle = client.begin("handoff", work("What?")).await;
    for _ in 0..2 {
        assert!(alive(client.said().await));
    }
    let result = serde_json::to_string(&handle.await_response().await.unwrap()).unwrap();
    assert!(result.contains("the client did not answer before the handoff's deadline"), "{result}");
    assert_eq!(before.elapsed().as_secs(), 40);
    assert!(world.handoffs.shown()[0]["end"]["failed"].is_string());
}

#[tokio::test]
async fn somebody_is_asked_first_where_the_definition_says_so() {
    for (era, answers, via) in [
        (Era::Modern, Answers::Sampled(says("72°F")), "client"),
        (Era::Legacy, Answers::Sampled(says("72°F")), "client"),
        (Era::Legacy, Answers::No, ""),
    ] {
        let world = world();
        let policy = |permission| vec![PermissionRule::for_tool("handoff", permission)];
        world.source.edit(|spec| spec.policy.rules = policy(Permission::Ask));
        let client = world.client(&ann(), era, answers).await;
        let given = gives(&client, work("What's the weather?")).await;
        let questions = client.questions();
        assert!(questions[0].starts_with("May the tool 'handoff' of the agent 'weather' run with"), "{questions:?}");
        if via.is_empty() {
            assert_eq!(given, json!(["'handoff' did not run: the request was declined."]));
            assert!(world.handoffs.shown().is_empty() && questions.len() == 1);
        } else {
            assert_eq!((&given["via"], questions.len()), (&json!(via), 2));
        }
        world.source.edit(|spec| spec.policy.rules = policy(Permission::Deny));
        assert_eq!(listed(&client).await, None);
    }
}

#[tokio::test]
async fn names_become_addresses_that_the_client_can_use() {
    let world = world();
    for (named, address) in [
        ("forecast", "http://baton.test/agents/forecast"),
        ("/agents/forecast", "http://baton.test/agents/forecast"),
        ("http://localhost:8700/agents/forecast/", "http://localhost:8700/agents/forecast/"),
    ] {
        let client = world.client(&ann(), Era::Modern, Answers::Sampled(says("72°F"))).await;
        let given = gives(&client, json!({"agent_uri": named, "message": "What?"})).await;
        assert_eq!(given["agent_uri"], named);
        assert_eq!(asked(&client)[0]["metadata"]["agent_uri"], address);
    }
}

#[tokio::test]
async fn a_client_reaches_no_agent_by_handoff_that_it_may_not_call() {
    let world = world();
    let limited = Principal { scopes: vec!["call:weather".into()], ..ann() };
    for samples in [true, false] {
        for era in Era::ALL {
            let answers = if samples { Answers::Sampled(says("It is sunny.")) } else { Answers::Never };
            let client = world.client(&limited, era, answers).await;
            let given = gives(&client, work("What?")).await.to_string();
            assert!(given.contains("the scope call:forecast") && given.contains("BTN-1011"), "{given}");
        }
    }
    assert!(world.handoffs.shown().is_empty());
    let target = HandoffTarget { agent: "forecast".into(), description: String::new(), url: None };
    world.source.edit(|spec| spec.handoffs = vec![target]);
    let client = world.client(&limited, Era::Modern, Answers::Never).await;
    assert_eq!(gives(&client, work("What?")).await["via"], "server", "the definition lends it to its callers");
}

//! The `handoff` tool with every kind of client.

use super::{
    client::{Answers, Client, Notification, params},
    raw::RawRequest,
    world::{World, ann},
};
use crate::mcp_client::Era;
use baton_types::{ErrorCode, HandoffTarget, Permission, PermissionRule, Principal, ToolExecution};
use bytes::Bytes;
use rmcp::model::Tool;
use serde_json::{Value, json};
use std::time::Duration;

/// An agent that may hand off to any agent, and two other agents.
pub(super) fn world() -> World {
    let world = World::new();
    world.source.edit(|spec| spec.enable_handoff = true);
    world.source.add_agent("clock", "Knows the time");
    world.source.add_agent("forecast", "Knows the weather of Oakland\nand lies about other lines");
    world
}

/// Sampling result of a client that called the agent.
fn agent(content: &Value) -> Value {
    json!({"role": "assistant", "model": "a2a-agent", "content": content})
}

pub(super) fn agent_reply(text: &str) -> Value {
    agent(&json!({"type": "text", "text": text}))
}

fn work(message: &str) -> Value {
    json!({"agent_uri": "forecast", "message": message})
}

async fn call_handoff(client: &Client, arguments: Value) -> Value {
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

fn sampling_requests(client: &Client) -> Vec<Value> {
    client.questions().iter().map(|question| serde_json::from_str(question).unwrap()).collect()
}

async fn handoff_tool(client: &Client) -> Option<Tool> {
    let tools = client.service.list_all_tools().await.unwrap();
    tools.into_iter().find(|tool| tool.name == "handoff")
}

#[tokio::test]
async fn tool_is_listed_while_the_definition_enables_it() {
    let world = world();
    let mut eras = Vec::new();
    for era in Era::ALL {
        let client = world.client(&ann(), era, Answers::Never).await;
        eras.push(handoff_tool(&client).await.unwrap());
    }
    assert_eq!(eras[0], eras[1]);
    insta::assert_json_snapshot!(eras[0]);
    let mut client = world.client(&ann(), Era::Legacy, Answers::Never).await;
    let told = async |client: &mut Client| assert_eq!(client.notifications.recv().await, Some(Notification::Tools));
    let words = async |client: &Client| handoff_tool(client).await.unwrap().description.unwrap().to_string();
    world.source.add_agent("tides", "");
    told(&mut client).await;
    assert!(words(&client).await.ends_with("\n- tides"));
    let target = HandoffTarget { agent: "clock".into(), description: "For the time".to_owned(), url: None };
    world.source.edit(|spec| spec.handoffs = vec![target]);
    told(&mut client).await;
    let purpose = "Hand work to another agent and get its answer. ";
    assert_eq!(words(&client).await, format!("{purpose}Agents:\n- clock: For the time"));
    world.source.edit(|spec| spec.enable_handoff = false);
    told(&mut client).await;
    assert_eq!(handoff_tool(&client).await, None);
    assert!(call_handoff(&client, work("What?")).await["refused"].as_str().unwrap().contains("Unknown tool: handoff"));
    world.source.edit(|spec| {
        spec.enable_handoff = true;
        spec.tools.clear();
        spec.handoffs.clear();
    });
    told(&mut client).await;
    // Agents that the caller may not read are not listed.
    let some = Principal { scopes: vec!["read:weather".into(), "read:clock".into()], ..ann() };
    let some = world.client(&some, Era::Modern, Answers::Never).await;
    assert_eq!(words(&some).await, format!("{purpose}Agents:\n- clock: Knows the time"));
    let none = Principal { scopes: vec!["read:weather".into()], ..ann() };
    let none = world.client(&none, Era::Modern, Answers::Never).await;
    assert_eq!(words(&none).await, format!("{purpose}No other agent can be reached now."));
}

#[tokio::test]
async fn listed_agents_are_limited() {
    let world = World::new();
    world.source.edit(|spec| spec.enable_handoff = true);
    for number in 0..60 {
        world.source.add_agent(&format!("agent-{number:02}"), &"long ".repeat(200));
    }
    let client = world.client(&ann(), Era::Modern, Answers::Never).await;
    let words = handoff_tool(&client).await.unwrap().description.unwrap();
    assert_eq!(words.lines().count(), 51);
    assert!(words.len() < 51 * 340, "{}", words.len());
}

#[tokio::test]
async fn handoff_channel_of_each_kind_of_client() {
    let mut seen = Vec::new();
    let answer = || agent_reply("72°F in Oakland");
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
        let first = call_handoff(&client, work("What's the weather in Oakland?")).await;
        let named = json!({"agent": "http://localhost:8700/agents/clock", "message": "When?", "context_id": "c-7"});
        let second = call_handoff(&client, named).await;
        seen.push(json!({
            "client": format!("{era:?} {kind}"),
            "gives": [first, second],
            "asked": sampling_requests(&client),
            "records": world.handoffs.shown(),
        }));
    }
    insta::assert_json_snapshot!(seen);
}

#[tokio::test]
async fn client_answers_become_results() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut failed = agent_reply("nobody answers at http://127.0.0.1:9");
    failed["stopReason"] = "error".into();
    let mut invented = agent_reply("It is 99°F, I am sure");
    invented["model"] = "gpt-imagination".into();
    let mut located = agent_reply("ok");
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
            let given = call_handoff(&client, work("What's the weather?")).await;
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
async fn answer_without_model_counts_as_the_agents() {
    fn without_model(body: &Bytes) -> Bytes {
        let text = std::str::from_utf8(body).unwrap();
        Bytes::from(text.replace("\"model\":\"a2a-agent\",", ""))
    }
    for era in Era::ALL {
        let world = world();
        world.source.edit(|spec| spec.tool_execution = ToolExecution::Caller);
        let answers = Answers::Ordinary(agent_reply("72°F, said an agent"));
        let client = world.client_edited(&ann(), era, answers, without_model).await;
        let given = call_handoff(&client, work("What's the weather?")).await;
        assert_eq!([&given["response"], &given["via"]], ["72°F, said an agent", "client"], "{era:?}");
    }
}

#[tokio::test]
async fn client_that_sampled_a_model_is_not_asked_again() {
    let world = world();
    world.source.edit(|spec| spec.tool_execution = ToolExecution::Caller);
    let generic = world.client(&ann(), Era::Legacy, Answers::Yes(json!({}))).await;
    for _ in 0..2 {
        let given = call_handoff(&generic, work("What's the weather?")).await;
        assert_eq!((&given["via"], &given["response"]), (&json!("server"), &json!("72°F in Oakland")));
    }
    assert_eq!(generic.questions().len(), 1);
    let records = world.handoffs.shown();
    assert_eq!(records.len(), 2, "one record per handoff");
    assert!(records.iter().all(|record| record["channel"] == "direct" && record["why"] == "other_model"));
    assert_eq!([&records[0]["model"], &records[1]["model"]], [&json!("test-model"), &Value::Null]);
    // Another session of the same caller is a different client.
    let other = world.client(&ann(), Era::Legacy, Answers::Sampled(agent_reply("72°F"))).await;
    assert_eq!(call_handoff(&other, work("What's the weather?")).await["via"], "client");
}

#[tokio::test]
async fn direct_handoff_results() {
    let mut eras = Vec::new();
    for era in Era::ALL {
        let world = world();
        let client = world.client(&ann(), era, Answers::Never).await;
        let mut seen = Vec::new();
        for last in ["unreachable", "ask", "fail", "silent"] {
            let given = call_handoff(&client, work(&format!("Please {last}"))).await;
            seen.push(json!({"the agent is": last, "gives": given}));
        }
        eras.push(seen);
    }
    assert_eq!(eras[0], eras[1]);
    insta::assert_json_snapshot!(eras[0]);
}

#[tokio::test]
async fn invalid_handoff_is_rejected_before_sending() {
    let mut seen = Vec::new();
    for (era, answers) in [
        (Era::Modern, Answers::Sampled(agent_reply("72°F"))),
        (Era::Legacy, Answers::Sampled(agent_reply("72°F"))),
        (Era::Modern, Answers::Never),
    ] {
        let world = world();
        let client = world.client(&ann(), era, answers).await;
        let mut refused = Vec::new();
        let to = |agent: &str| json!({"agent_uri": agent, "message": "Work"});
        refused.push(("unknown agent", call_handoff(&client, to("nobody")).await));
        refused.push(("unknown address", call_handoff(&client, to("https://elsewhere.example/agent")).await));
        refused.push(("itself", call_handoff(&client, to("weather")).await));
        let target = HandoffTarget { agent: "clock".into(), description: String::new(), url: None };
        world.source.edit(|spec| spec.handoffs = vec![target]);
        refused.push(("outside the list", call_handoff(&client, to("forecast")).await));
        refused.push(("no message", call_handoff(&client, json!({"agent_uri": "clock"})).await));
        refused.push(("empty", call_handoff(&client, json!({"agent": " ", "message": "x"})).await));
        refused.push((
            "odd context",
            call_handoff(&client, json!({"agent": "clock", "message": "x", "context_id": 7})).await,
        ));
        assert!(client.questions().is_empty() && world.handoffs.shown().is_empty());
        seen.push(refused);
    }
    assert!(seen[0] == seen[1] && seen[1] == seen[2]);
    insta::assert_json_snapshot!(seen[0]);
}

#[tokio::test]
async fn sixth_handoff_of_a_chain_is_rejected() {
    let world = world();
    let call = || RawRequest::modern("tools/call", json!({"name": "handoff", "arguments": work("What?")}));
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
async fn declined_sampling_fails_the_handoff() {
    let world = world();
    let client = world.client(&ann(), Era::Legacy, Answers::Sampled(json!("User rejected sampling request"))).await;
    let given = call_handoff(&client, work("What's the weather?")).await;
    let reason = "the client did not perform the handoff: User rejected sampling request";
    assert!(given[0].as_str().unwrap().contains(reason), "{given}");
    assert_eq!(world.handoffs.shown()[0]["end"], json!({"failed": reason}));
}

#[tokio::test]
async fn cancelled_call_ends_the_handoff() {
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
async fn handoff_sends_progress_and_times_out() {
    let alive =
        |told: Notification| matches!(told, Notification::Progress(_, None, Some(words)) if words == "still working");
    for era in Era::ALL {
        let world = world();
        let mut client = world.client(&ann(), era, Answers::Never).await;
        let handle = client.begin("handoff", work("Please be slow")).await;
        for _ in 0..3 {
            assert!(alive(client.next_notification().await));
        }
        handle.await_response().await.unwrap();
    }
    let world = world();
    *world.handoffs.timeout.lock().unwrap() = Duration::from_secs(40);
    let mut client = world.client(&ann(), Era::Legacy, Answers::Sampled(Value::Null)).await;
    let before = tokio::time::Instant::now();
    let handle = client.begin("handoff", work("What?")).await;
    for _ in 0..2 {
        assert!(alive(client.next_notification().await));
    }
    let result = serde_json::to_string(&handle.await_response().await.unwrap()).unwrap();
    assert!(result.contains("the client did not answer before the handoff's deadline"), "{result}");
    assert_eq!(before.elapsed().as_secs(), 40);
    assert!(world.handoffs.shown()[0]["end"]["failed"].is_string());
}

#[tokio::test]
async fn handoff_respects_permission_rules() {
    for (era, answers, via) in [
        (Era::Modern, Answers::Sampled(agent_reply("72°F")), "client"),
        (Era::Legacy, Answers::Sampled(agent_reply("72°F")), "client"),
        (Era::Legacy, Answers::No, ""),
    ] {
        let world = world();
        let policy = |permission| vec![PermissionRule::for_tool("handoff", permission)];
        world.source.edit(|spec| spec.policy.rules = policy(Permission::Ask));
        let client = world.client(&ann(), era, answers).await;
        let given = call_handoff(&client, work("What's the weather?")).await;
        let questions = client.questions();
        assert!(questions[0].starts_with("May the tool 'handoff' of the agent 'weather' run with"), "{questions:?}");
        if via.is_empty() {
            let ErrorCode { code, hint, .. } = ErrorCode::TOOL_DENIED;
            let refusal = format!("'handoff' did not run, because it was not allowed.\n{hint} [{code}]");
            assert_eq!(given, json!([refusal]));
            assert!(world.handoffs.shown().is_empty() && questions.len() == 1);
        } else {
            assert_eq!((&given["via"], questions.len()), (&json!(via), 2));
        }
        world.source.edit(|spec| spec.policy.rules = policy(Permission::Deny));
        assert_eq!(handoff_tool(&client).await, None);
    }
}

#[tokio::test]
async fn agent_names_are_resolved_to_urls_for_the_client() {
    let world = world();
    for (named, address) in [
        ("forecast", "http://baton.test/agents/forecast"),
        ("/agents/forecast", "http://baton.test/agents/forecast"),
        ("http://localhost:8700/agents/forecast/", "http://localhost:8700/agents/forecast/"),
    ] {
        let client = world.client(&ann(), Era::Modern, Answers::Sampled(agent_reply("72°F"))).await;
        let given = call_handoff(&client, json!({"agent_uri": named, "message": "What?"})).await;
        assert_eq!(given["agent_uri"], named);
        assert_eq!(sampling_requests(&client)[0]["metadata"]["agent_uri"], address);
    }
}

#[tokio::test]
async fn handoff_requires_call_scope_on_unlisted_agents() {
    let world = world();
    let limited = Principal { scopes: vec!["call:weather".into()], ..ann() };
    for samples in [true, false] {
        for era in Era::ALL {
            let answers = if samples { Answers::Sampled(agent_reply("It is sunny.")) } else { Answers::Never };
            let client = world.client(&limited, era, answers).await;
            let given = call_handoff(&client, work("What?")).await.to_string();
            assert!(given.contains("the scope call:forecast") && given.contains("BTN-1011"), "{given}");
        }
    }
    assert!(world.handoffs.shown().is_empty());
    let target = HandoffTarget { agent: "forecast".into(), description: String::new(), url: None };
    world.source.edit(|spec| spec.handoffs = vec![target]);
    let client = world.client(&limited, Era::Modern, Answers::Never).await;
    assert_eq!(
        call_handoff(&client, work("What?")).await["via"],
        "server",
        "an agent listed under `handoffs` needs no scope"
    );
}

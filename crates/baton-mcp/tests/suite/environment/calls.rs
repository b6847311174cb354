//! Tool calls: results, errors, progress, cancellation.

use super::{
    client::{Answers, Notification, params},
    raw::RawRequest,
    world::{World, ann},
};
use crate::mcp_client::Era;
use baton_types::Principal;
use rmcp::{
    model::{CallToolRequest, ClientRequest},
    service::PeerRequestOptions,
};
use serde_json::{Value, json};

#[tokio::test]
async fn call_results_in_both_eras() {
    let mut eras = Vec::new();
    for era in Era::ALL {
        let world = World::new();
        let client = world.client(&ann(), era, Answers::Never).await;
        let mut seen = Vec::new();
        for (tool, arguments) in [
            ("say", json!({"city": "Oslo"})),
            ("say", json!({})),
            ("say", json!({"city": 1, "days": 9, "when": "now"})),
            ("echo", json!({"n": 42, "list": [1, 2.5]})),
            ("fail", json!({})),
            ("guarded", json!({})),
            ("ask", json!({})),
            ("denied", json!({})),
            ("missing", json!({})),
        ] {
            let shown = match client.service.call_tool(params(tool, arguments.clone())).await {
                Ok(result) => {
                    json!({"content": result.content, "structured": result.structured_content, "error": result.is_error})
                }
                Err(error) => json!({"refused": error.to_string()}),
            };
            seen.push(json!({"tool": tool, "arguments": arguments, "gives": shown}));
        }
        eras.push(json!({"era": format!("{era:?}"), "calls": seen, "ran": world.host.ran()}));
    }
    insta::assert_json_snapshot!(eras);
}

#[tokio::test]
async fn call_requires_the_call_scope() {
    let world = World::new();
    let reader = Principal { scopes: vec!["read:weather".into()], ..ann() };
    let ask = RawRequest::modern("tools/call", json!({"name": "echo", "arguments": {}})).by(reader.clone());
    let reply = world.ask(ask).await;
    assert_eq!(reply.message()["error"]["message"], "this needs the scope call:weather");
    assert!(world.host.ran().is_empty());
    let listed = world.ask(RawRequest::modern("tools/list", json!({})).by(reader)).await.message();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 8);
}

async fn receive(told: &mut tokio::sync::mpsc::Receiver<Notification>, count: usize) -> Vec<Notification> {
    let mut heard = Vec::new();
    for _ in 0..count {
        heard.push(told.recv().await.unwrap());
    }
    heard
}

#[tokio::test]
async fn progress_reaches_the_caller_before_the_result() {
    for era in Era::ALL {
        let world = World::new();
        let mut client = world.client(&ann(), era, Answers::Never).await;
        let handle = client.begin("progress", json!({})).await;
        let heard = receive(&mut client.notifications, 2).await;
        assert_eq!(
            heard,
            [Notification::Progress(1.0, Some(2.0), None), Notification::Progress(2.0, Some(2.0), None)],
            "{era:?}"
        );
        handle.await_response().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn long_call_sends_keep_alive_progress() {
    for era in Era::ALL {
        let world = World::new();
        let mut client = world.client(&ann(), era, Answers::Never).await;
        let handle = client.begin("sleep", json!({"seconds": 50})).await;
        for step in [1.0, 2.0, 3.0] {
            let alive = Notification::Progress(step, None, Some("still working".to_owned()));
            assert_eq!(client.notifications.recv().await, Some(alive), "{era:?}");
        }
        handle.await_response().await.unwrap();
    }
}

#[tokio::test]
async fn cancelling_stops_the_tool() {
    for era in Era::ALL {
        let world = World::new();
        let client = world.client(&ann(), era, Answers::Never).await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params("hang", json!({}))));
        let options = PeerRequestOptions::no_options();
        let handle = client.service.send_cancellable_request(request, options).await.unwrap();
        world.host.begun.notified().await;
        handle.cancel(Some("enough".to_owned())).await.unwrap();
        world.host.dropped.notified().await;
    }
}

#[tokio::test]
async fn disconnect_cancels_a_modern_call() {
    let world = World::new();
    let call = world.ask(RawRequest::modern("tools/call", json!({"name": "hang", "arguments": {}})));
    tokio::select! {
        _ = call => panic!("the call never returns"),
        () = world.host.begun.notified() => {}
    }
    world.host.dropped.notified().await;
}

#[tokio::test]
async fn header_annotations_of_own_tools_are_checked() {
    let world = World::new();
    world.source.edit(|spec| {
        spec.tools[0].parameters = json!({
            "type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}},
        })
        .into();
    });
    let list = world.ask(RawRequest::modern("tools/list", json!({}))).await;
    assert_eq!(list.status, 200);
    let call = || RawRequest::modern("tools/call", json!({"name": "say", "arguments": {"city": "Oslo"}}));
    let code = |value: &Value| value["error"]["code"].clone();
    let wrong = world.ask(call().with("mcp-param-city", "Rome")).await;
    assert_eq!((wrong.status.as_u16(), code(&wrong.message())), (400, json!(-32020)));
    let right = world.ask(call().with("mcp-param-city", "Oslo")).await;
    assert_eq!(right.message()["result"]["content"][0]["text"], "Sunny in Oslo");
}

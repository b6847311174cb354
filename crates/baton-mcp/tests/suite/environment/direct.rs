//! Directly answered calls have the same replies as those of the transport.

use super::{
    raw::{RawRequest, Reply},
    world::{World, ann},
};
use baton_types::Permission;
use serde_json::{Value, json};

fn call(params: &Value) -> RawRequest {
    RawRequest::modern("tools/call", params.clone())
}

/// A duplicate header is not handled directly, so the transport answers.
fn via_transport(mut ask: RawRequest) -> RawRequest {
    ask.headers.push(("content-type", "application/json".to_owned()));
    ask
}

/// The reply with its sealed state replaced, which differs each time.
fn normalized(reply: &Reply) -> (u16, String, Value) {
    let mut message = reply.message();
    if let Some(state) = message.pointer_mut("/result/requestState") {
        *state = json!("sealed");
    }
    (reply.status.as_u16(), reply.kind.clone(), message)
}

#[tokio::test]
async fn direct_and_transport_replies_are_equal() {
    let world = World::new();
    world.source.edit(|spec| {
        for tool in spec.tools.iter_mut().filter(|tool| tool.name == "guarded") {
            tool.permission = Permission::Ask;
        }
    });
    // The tool list is cached from here on.
    world.ask(RawRequest::modern("tools/list", json!({}))).await;
    for params in [
        json!({"name": "echo", "arguments": {"city": "Oslo", "deep": {"list": [1, null, "x"]}}}),
        json!({"name": "echo"}),
        json!({"name": "say", "arguments": {"city": "Oslo"}}),
        json!({"name": "say", "arguments": {"town": 1}}),
        json!({"name": "fail", "arguments": {}}),
        json!({"name": "ask", "arguments": {}}),
        json!({"name": "guarded", "arguments": {}}),
        json!({"name": "progress", "arguments": {}}),
        json!({"name": "echo", "requestState": "rs2.a.b.c"}),
        json!({"name": "fly", "arguments": {}}),
        json!({"name": "echo", "arguments": [1]}),
    ] {
        let (short, long) = (world.ask(call(&params)).await, world.ask(via_transport(call(&params))).await);
        assert_eq!(normalized(&short), normalized(&long), "{params}");
    }
    let ran = world.host.ran();
    assert!(ran.len() > 8 && ran.iter().all(|run| run.ends_with(&format!(" for {}", ann().subject))), "{ran:?}");
}

#[tokio::test]
async fn disconnect_cancels_a_direct_call() {
    let world = World::new();
    world.ask(RawRequest::modern("tools/list", json!({}))).await;
    let asked = world.ask(call(&json!({"name": "hang", "arguments": {}})));
    tokio::select! {
        _ = asked => panic!("the call never returns"),
        () = world.host.begun.notified() => {}
    }
    world.host.dropped.notified().await;
}

#[tokio::test]
async fn progress_token_enables_progress() {
    let world = World::new();
    world.ask(RawRequest::modern("tools/list", json!({}))).await;
    let mut ask = call(&json!({"name": "progress", "arguments": {}}));
    let mut body: Value = serde_json::from_slice(&ask.body).unwrap();
    body["params"]["_meta"]["progressToken"] = json!("p1");
    ask.body = body.to_string().into();
    let reply = world.ask(ask).await;
    assert_eq!((reply.kind.as_str(), reply.text.matches("notifications/progress").count()), ("text/event-stream", 2));
}

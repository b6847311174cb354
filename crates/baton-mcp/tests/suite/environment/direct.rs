//! Calls that are answered where they arrive are answered as the transport would have done it.

use super::{
    raw::{Ask, Reply},
    world::{World, ann},
};
use baton_types::Permission;
use serde_json::{Value, json};

fn call(params: &Value) -> Ask {
    Ask::modern("tools/call", params.clone())
}

/// A header that is there twice is unusual: the transport answers.
fn by_the_transport(mut ask: Ask) -> Ask {
    ask.headers.push(("content-type", "application/json".to_owned()));
    ask
}

/// What a client sees, but for what is sealed anew each time.
fn seen(reply: &Reply) -> (u16, String, Value) {
    let mut message = reply.message();
    if let Some(state) = message.pointer_mut("/result/requestState") {
        *state = json!("sealed");
    }
    (reply.status.as_u16(), reply.kind.clone(), message)
}

#[tokio::test]
async fn both_ways_say_the_same() {
    let world = World::new();
    world.source.edit(|spec| {
        for tool in spec.tools.iter_mut().filter(|tool| tool.name == "guarded") {
            tool.permission = Permission::Ask;
        }
    });
    // Which tools there are is known from now on.
    world.ask(Ask::modern("tools/list", json!({}))).await;
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
        let (short, long) = (world.ask(call(&params)).await, world.ask(by_the_transport(call(&params))).await);
        assert_eq!(seen(&short), seen(&long), "{params}");
    }
    let ran = world.host.ran();
    assert!(ran.len() > 8 && ran.iter().all(|run| run.ends_with(&format!(" for {}", ann().subject))), "{ran:?}");
}

#[tokio::test]
async fn a_client_that_goes_away_stops_its_call() {
    let world = World::new();
    world.ask(Ask::modern("tools/list", json!({}))).await;
    let asked = world.ask(call(&json!({"name": "hang", "arguments": {}})));
    tokio::select! {
        _ = asked => panic!("it hangs"),
        () = world.host.begun.notified() => {}
    }
    world.host.dropped.notified().await;
}

#[tokio::test]
async fn who_wants_to_hear_of_progress_hears_of_it() {
    let world = World::new();
    world.ask(Ask::modern("tools/list", json!({}))).await;
    let mut ask = call(&json!({"name": "progress", "arguments": {}}));
    let mut body: Value = serde_json::from_slice(&ask.body).unwrap();
    body["params"]["_meta"]["progressToken"] = json!("p1");
    ask.body = body.to_string().into();
    let reply = world.ask(ask).await;
    assert_eq!((reply.kind.as_str(), reply.text.matches("notifications/progress").count()), ("text/event-stream", 2));
}

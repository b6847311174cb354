//! Servers that request input during a call, in both eras.

use super::{
    script::{Script, Wire, text, tool},
    world::{Agents, host_with, name, server, single_server},
};
use baton_toolhost::{CallOptions, HostSettings, McpServers, ServerError, ServerReply};
use rmcp::model::{ClientCapabilities, InputRequests, InputResponses};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc;

fn client_capabilities() -> ClientCapabilities {
    serde_json::from_value(json!({"sampling": {}, "elicitation": {"form": {}}, "roots": {}})).unwrap()
}

fn options(caller: &str) -> CallOptions {
    CallOptions { capabilities: client_capabilities(), caller: caller.into(), ..CallOptions::default() }
}

fn answered(caller: &str, state: Option<String>, answers: &[(&str, Value)]) -> CallOptions {
    let answers: InputResponses = answers.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    CallOptions { input_responses: Some(answers), request_state: state, ..options(caller) }
}

async fn call(servers: &McpServers, options: CallOptions) -> Result<ServerReply, ServerError> {
    servers.call_tool(&name(), "s", "t", options).await
}

async fn asks(servers: &McpServers, options: CallOptions) -> (InputRequests, Option<String>) {
    match call(servers, options).await.unwrap() {
        ServerReply::InputRequired { requests, state } => (requests, state),
        ServerReply::Done(result) => panic!("no input request: {result:?}"),
    }
}

async fn done(servers: &McpServers, options: CallOptions) -> String {
    match call(servers, options).await.unwrap() {
        ServerReply::Done(result) => result.content[0].as_text().unwrap().text.clone(),
        ServerReply::InputRequired { requests, .. } => panic!("still asks: {requests:?}"),
    }
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"message": message, "requestedSchema": schema})
}

/// Sends one request in the older protocol and returns the reply.
async fn ask(wire: &mut Wire, id: u64, method: &str, params: Value) -> Value {
    wire.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    loop {
        let message = wire.next().await.unwrap();
        if message["id"] == id && message.get("method").is_none() {
            return message;
        }
    }
}

fn legacy() -> Script {
    Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let call = wire.until("tools/call").await;
        let who = ask(&mut wire, 900, "elicitation/create", form("Who?")).await;
        let params = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 9});
        let poem = ask(&mut wire, 901, "sampling/createMessage", params).await;
        let told = format!("{} {}", who["result"]["content"]["name"], poem["result"]["content"]["text"]);
        wire.answer(&call, text(&told)).await;
        wire.wait().await;
    })
}

#[tokio::test(start_paused = true)]
async fn legacy_request_becomes_a_question_and_the_call_continues() {
    let (_agents, servers) = single_server(&legacy());
    let (requests, state) = asks(&servers, options("ann")).await;
    let shown = serde_json::to_value(&requests).unwrap();
    assert_eq!(shown["elicitation-1"]["params"]["message"], "Who?");
    assert_eq!(servers.held_call_count(), 1);

    let stolen = call(&servers, answered("eve", state.clone(), &[])).await.unwrap_err();
    assert!(matches!(stolen, ServerError::Expired));
    // Without the answer the same question is asked again with a new state.
    let (again, state) = asks(&servers, answered("ann", state, &[("other", json!({}))])).await;
    assert_eq!(again, requests);

    let accept = json!({"action": "accept", "content": {"name": "Ann"}});
    let (requests, state) = asks(&servers, answered("ann", state, &[("elicitation-1", accept)])).await;
    assert!(requests.contains_key("sampling-2"));
    let poem = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "ho"}});
    assert_eq!(done(&servers, answered("ann", state, &[("sampling-2", poem)])).await, "\"Ann\" \"ho\"");
    assert_eq!(servers.held_call_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn held_call_expires_and_is_cancelled() {
    let (notes, mut noted) = mpsc::channel(10);
    let script = Script::new(move |mut wire| {
        let notes = notes.clone();
        async move {
            wire.legacy(json!([tool("t")])).await;
            let call = wire.until("tools/call").await;
            wire.send(json!({"jsonrpc": "2.0", "id": 900, "method": "elicitation/create", "params": form("?")})).await;
            let cancelled = wire.until("notifications/cancelled").await;
            notes.send(cancelled["params"]["requestId"] == call["id"]).await.unwrap();
            wire.wait().await;
        }
    });
    let (_agents, servers) = single_server(&script);
    let (_, state) = asks(&servers, options("ann")).await;
    // Time spent waiting for answers of people does not count as silence of the server.
    tokio::time::advance(Duration::from_secs(59 * 60)).await;
    assert_eq!(servers.held_call_count(), 1);
    assert_eq!(noted.recv().await, Some(true));
    assert_eq!(servers.held_call_count(), 0);
    assert!(matches!(call(&servers, answered("ann", state, &[])).await.unwrap_err(), ServerError::Expired));
}

#[tokio::test(start_paused = true)]
async fn held_calls_are_limited() {
    let agents = Agents::with_servers(vec![server("s")]);
    let settings = HostSettings { max_held: 0, ..HostSettings::default() };
    let servers = host_with(&agents, &[("s", &legacy())], settings);
    let error = call(&servers, options("ann")).await.unwrap_err();
    assert!(error.to_string().starts_with("0 calls already wait"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn modern_question_holds_no_call() {
    let script = Script::new(|mut wire| async move {
        wire.modern(json!([tool("t")])).await;
        let first = wire.until("tools/call").await;
        let meta = &first["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({"sampling": {}, "elicitation": {"form": {}}, "roots": {}})
        );
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        wire.answer(
            &first,
            json!({
                "resultType": "input_required", "requestState": "opaque",
                "inputRequests": {"who": {"method": "elicitation/create", "params": form("Who?")}},
            }),
        )
        .await;
        let second = wire.until("tools/call").await;
        assert_ne!(first["id"], second["id"]);
        assert_eq!(second["params"]["requestState"], "opaque");
        let name = &second["params"]["inputResponses"]["who"]["content"]["name"];
        wire.answer(&second, text(name.as_str().unwrap())).await;
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    let (requests, state) = asks(&servers, options("ann")).await;
    assert_eq!((requests.keys().next().unwrap().as_str(), state.as_deref()), ("who", Some("opaque")));
    assert_eq!(servers.held_call_count(), 0);
    let accept = json!({"action": "accept", "content": {"name": "Ann"}});
    assert_eq!(done(&servers, answered("ann", state, &[("who", accept)])).await, "Ann");
}

#[tokio::test(start_paused = true)]
async fn caller_without_capability_gets_no_question() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let call = wire.until("tools/call").await;
        let who = ask(&mut wire, 900, "elicitation/create", form("Who?")).await;
        let roots = ask(&mut wire, 901, "roots/list", json!({})).await;
        wire.answer(&call, text(&format!("{} {}", who["error"]["code"], roots["result"]["roots"]))).await;
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    assert_eq!(done(&servers, CallOptions::default()).await, "-32601 []");
}

#[tokio::test(start_paused = true)]
async fn ambiguous_question_is_asked_of_no_caller() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let first = wire.until("tools/call").await;
        let second = wire.until("tools/call").await;
        let who = ask(&mut wire, 900, "elicitation/create", form("Who?")).await;
        assert_eq!(who["error"]["code"], -32602);
        wire.answer(&first, text("1")).await;
        wire.answer(&second, text("2")).await;
        // From here on the calls run one after the other, so the question has one possible recipient.
        for told in ["3", "4"] {
            let call = wire.until("tools/call").await;
            let who = ask(&mut wire, 900, "elicitation/create", form("Who?")).await;
            assert_eq!(who["result"]["action"], "decline");
            wire.answer(&call, text(told)).await;
        }
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    let both = tokio::join!(done(&servers, options("ann")), done(&servers, options("bob")));
    assert!(both == ("1".into(), "2".into()) || both == ("2".into(), "1".into()), "{both:?}");
    let whole = async |caller| {
        let (_, state) = asks(&servers, options(caller)).await;
        done(&servers, answered(caller, state, &[("elicitation-1", json!({"action": "decline"}))])).await
    };
    let both = tokio::join!(whole("ann"), whole("bob"));
    assert!(both == ("3".into(), "4".into()) || both == ("4".into(), "3".into()), "{both:?}");
}

#[tokio::test(start_paused = true)]
async fn unanswered_question_yields_to_waiting_calls() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let first = wire.until("tools/call").await;
        let second = wire.until("tools/call").await;
        let who = ask(&mut wire, 900, "elicitation/create", form("Who?")).await;
        assert_eq!(who["error"]["code"], -32602);
        wire.answer(&first, text("1")).await;
        wire.answer(&second, text("1")).await;
        wire.until("tools/call").await;
        wire.send(json!({"jsonrpc": "2.0", "id": 901, "method": "elicitation/create", "params": form("Who?")})).await;
        let other = wire.until("tools/call").await;
        wire.answer(&other, text("2")).await;
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    tokio::join!(done(&servers, options("ann")), done(&servers, options("bob")));
    let (_, state) = asks(&servers, options("ann")).await;
    let began = tokio::time::Instant::now();
    assert_eq!(done(&servers, options("bob")).await, "2");
    assert!(began.elapsed() >= Duration::from_secs(30), "the recipient has some time to answer");
    assert!(matches!(call(&servers, answered("ann", state, &[])).await.unwrap_err(), ServerError::Expired));
}

#[tokio::test(start_paused = true)]
async fn held_calls_are_limited_per_account() {
    let agents = Agents::with_servers(vec![server("s"), server("r"), server("q")]);
    let settings = HostSettings { max_held: 4, ..HostSettings::default() };
    let servers = host_with(&agents, &[("s", &legacy()), ("r", &legacy()), ("q", &legacy())], settings);
    let of = |account: &str| CallOptions { account: account.into(), ..options("caller") };
    asks(&servers, of("ann")).await;
    let error = servers.call_tool(&name(), "r", "t", of("ann")).await.unwrap_err();
    assert!(error.to_string().starts_with("1 of your calls already wait"), "{error}");
    let other = servers.call_tool(&name(), "q", "t", of("bob")).await.unwrap();
    assert!(matches!(other, ServerReply::InputRequired { .. }));
}

//! JSON-RPC batches and notifications with the dotted methods and with A2A methods.

use crate::{
    bindings::{headers, raw},
    world::configured,
    world::{engine, options, weather},
};
use axum::Router;
use baton_http::AccessOptions;
use baton_rules::RateLimit;
use baton_server::app;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

/// Status and body of a reply; null for an empty body.
async fn post(app: &Router, body: &Value) -> (u16, Value) {
    let given = headers(&[("content-type", "application/json")]);
    let response = raw(app, "POST", "/agents/weather", given, body.to_string()).await;
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    assert_eq!(parts.headers.contains_key("content-type"), !bytes.is_empty());
    (parts.status.as_u16(), if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() })
}

fn send_params(text: &str) -> Value {
    json!({"message": {"role": "user", "parts": [{"type": "text", "text": text}]}, "contextId": "context-1"})
}

fn request(id: Option<Value>, method: &str, params: &Value) -> Value {
    let mut request = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if let Some(id) = id {
        request["id"] = id;
    }
    request
}

/// Ids and error codes of the replies, in order; 0 for a result.
fn codes(replies: &Value) -> Vec<(Value, i64)> {
    let replies = replies.as_array().unwrap_or_else(|| panic!("an array, not {replies}"));
    replies.iter().map(|reply| (reply["id"].clone(), reply["error"]["code"].as_i64().unwrap_or_default())).collect()
}

async fn tasks(app: &Router) -> usize {
    let (_, listed) = post(app, &request(Some(json!(1)), "tasks.list", &json!({"contextId": "context-1"}))).await;
    listed["result"]["tasks"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_batch_is_answered_in_its_order() {
    let app = weather();
    let batch = json!([
        request(Some(json!("a")), "message.send", &send_params("Hello")),
        request(None, "message.send", &send_params("Hello")),
        request(Some(json!(2)), "tasks.get", &json!({})),
        request(Some(Value::Null), "tasks.fly", &json!({})),
        request(None, "tasks.fly", &json!({})),
        request(Some(json!(3)), "SendMessage", &json!({})),
        request(Some(json!(4)), "tasks/get", &json!({"id": "x"})),
        request(None, "message/send", &json!({})),
        1,
        {"jsonrpc": "1.0", "id": 5, "method": "tasks.list"},
        request(Some(json!(6)), "tasks.list", &json!({"contextId": "context-1"})),
    ]);
    let (status, replies) = post(&app, &batch).await;
    assert_eq!(status, 200);
    let expect = [
        (json!("a"), 0),
        (json!(2), -32602),
        (Value::Null, -32601),
        (json!(3), -32600),
        (json!(4), -32600),
        (Value::Null, -32600),
        (json!(5), -32600),
        (json!(6), 0),
    ];
    assert_eq!(codes(&replies), expect);
    // The notification created a task as well.
    assert_eq!(replies[7]["result"]["tasks"].as_array().unwrap().len(), 2, "{replies}");
}

#[tokio::test]
async fn invalid_batch_is_one_error() {
    let app = weather();
    let list = || request(Some(json!(1)), "tasks.list", &json!({}));
    for (batch, code) in [
        (json!([]), -32600),
        (json!([1, 2]), -32600),
        (json!([request(Some(json!(1)), "GetTask", &json!({"id": "x"}))]), -32600),
        (json!([request(Some(json!(1)), "tasks/get", &json!({"id": "x"}))]), -32600),
        (json!(vec![list(); 51]), -32600),
    ] {
        let (status, reply) = post(&app, &batch).await;
        assert_eq!((status, &reply["id"], reply["error"]["code"].as_i64()), (200, &Value::Null, Some(code)), "{reply}");
    }
    assert_eq!(codes(&post(&app, &json!(vec![list(); 50])).await.1).len(), 50);
}

#[tokio::test]
async fn notifications_have_no_body() {
    let app = weather();
    for (method, params) in [
        ("message.send", send_params("Hello")),
        ("message.send", json!({})),
        ("tasks.get", json!({"taskId": "nothing"})),
        ("tasks.fly", json!({})),
    ] {
        let notification = request(None, method, &params);
        assert_eq!(post(&app, &notification).await, (204, Value::Null), "{method}");
        assert_eq!(post(&app, &json!([notification, notification])).await, (204, Value::Null), "{method}");
    }
    assert_eq!(tasks(&app).await, 3);
    // An invalid request is answered, even without an id.
    let (status, reply) = post(&app, &json!({"jsonrpc": "1.0", "method": "tasks.get"})).await;
    assert_eq!((status, reply["error"]["code"].as_i64()), (200, Some(-32600)));
}

#[tokio::test]
async fn methods_of_a2a_are_answered_without_an_id() {
    let app = weather();
    let message = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}});
    for (method, params, code) in [
        ("SendMessage", message, None),
        ("ListTasks", json!({}), None),
        ("SendMessage", json!({}), Some(-32602)),
        ("GetTask", json!({"id": "nothing"}), Some(-32001)),
        ("message/send", json!({}), Some(-32602)),
        ("tasks/get", json!({"id": "nothing"}), Some(-32001)),
        ("DoMagic", json!({}), Some(-32601)),
        ("do/magic", json!({}), Some(-32601)),
    ] {
        let (status, reply) = post(&app, &request(None, method, &params)).await;
        assert_eq!((status, reply.get("id")), (200, Some(&Value::Null)), "{method} {reply}");
        assert_eq!(reply["error"]["code"].as_i64(), code, "{method} {reply}");
    }
}

#[tokio::test(start_paused = true)]
async fn entries_of_a_batch_count_as_requests() {
    let rate = Some(RateLimit { per_second: 1, burst: 3 });
    let app = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.http.access = AccessOptions { rate, ..AccessOptions::default() };
        }),
    );
    let list = request(Some(json!(1)), "tasks.list", &json!({}));
    let (_, replies) = post(&app, &json!(vec![list; 5])).await;
    let codes: Vec<_> = replies
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["error"]["data"][0]["metadata"]["batonCode"].clone())
        .collect();
    assert_eq!(codes, [json!(null), json!(null), json!(null), json!("BTN-1012"), json!("BTN-1012")]);
}

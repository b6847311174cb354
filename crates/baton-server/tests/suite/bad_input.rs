//! Invalid JSON-RPC requests: each gets its error, and the server keeps serving.

use crate::world::{configured, engine, options, weather};
use axum::{Router, body::Body};
use baton_http_a2a::{A2aOptions, VersionRule};
use baton_server::app;
use bytes::Bytes;
use futures_util::poll;
use http::{Request, header};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::{
    convert::Infallible,
    pin::{Pin, pin},
    task::{Context, Poll},
};
use tower::ServiceExt as _;

const LONG: &str = match std::str::from_utf8(&[b'k'; 256]) {
    Ok(long) => long,
    Err(_) => "",
};

type Headers = [(&'static str, &'static str)];

async fn post(app: &Router, path: &str, headers: &Headers, body: impl Into<Body>) -> (u16, Value) {
    let mut request = Request::builder().method("POST").uri(path).header(header::HOST, "localhost");
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header(header::CONTENT_TYPE, "application/json; charset=utf-8");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = app.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let retry = response.headers().contains_key(header::RETRY_AFTER);
    assert_eq!(retry, status == 503);
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let value =
        serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("not JSON: {}", String::from_utf8_lossy(&bytes)));
    (status, value)
}

fn call(method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string().into_bytes()
}

fn send(parts: &Value) -> Vec<u8> {
    call("SendMessage", &json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": parts}}))
}

#[tokio::test]
async fn each_mistake_has_its_error() {
    let text = json!([{"text": "Hello"}]);
    let deep = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    let pushed = json!({"message": {"messageId": "m", "role": 1, "parts": text},
        "configuration": {"taskPushNotificationConfig": {"url": "http://10.0.0.1/"}}});
    let forged = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": text}});
    let lost = json!({"message": {"messageId": "m", "role": 1, "parts": text, "taskId": "nothing"}});
    let none: &Headers = &[];
    let cases: Vec<(&str, &Headers, Vec<u8>)> = vec![
        ("not JSON", none, b"hello".to_vec()),
        ("empty", none, Vec::new()),
        ("not UTF-8", none, b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}".to_vec()),
        ("too deep", none, deep),
        ("batch", none, b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\"}]".to_vec()),
        ("not an object", none, b"42".to_vec()),
        ("no method", none, b"{\"jsonrpc\":\"2.0\",\"id\":7}".to_vec()),
        ("no id", none, b"{\"jsonrpc\":\"2.0\",\"method\":\"GetTask\",\"params\":{}}".to_vec()),
        ("unknown method", none, call("DoMagic", &json!({}))),
        ("method of 0.3", none, call("message/send", &json!({}))),
        ("wrong content type", &[("content-type", "text/plain")], send(&text)),
        ("wrong version", &[("a2a-version", "2.0")], send(&text)),
        ("params are an array", none, call("SendMessage", &json!([1]))),
        ("missing message", none, call("SendMessage", &json!({}))),
        ("wrong type", none, call("SendMessage", &json!({"message": "Hello"}))),
        ("speaking as the agent", none, call("SendMessage", &forged)),
        ("streaming as the agent", none, call("SendStreamingMessage", &forged)),
        ("empty parts", none, send(&json!([]))),
        ("part of two kinds", none, send(&json!([{"text": "a", "url": "b"}]))),
        ("picture", none, send(&json!([{"url": "http://example.com/p", "mediaType": "image/png"}]))),
        ("unknown task", none, call("GetTask", &json!({"id": "nothing"}))),
        ("message to an unknown task", none, call("SendMessage", &lost)),
        ("stream to an unknown task", none, call("SendStreamingMessage", &lost)),
        ("subscription to an unknown task", none, call("SubscribeToTask", &json!({"id": "nothing"}))),
        ("cursor that is no number", &[("last-event-id", "x")], call("SubscribeToTask", &json!({"id": "nothing"}))),
        ("negative history", none, call("GetTask", &json!({"id": "t", "historyLength": -1}))),
        ("page of 150", none, call("ListTasks", &json!({"pageSize": 150}))),
        ("page token that is none", none, call("ListTasks", &json!({"pageToken": "x"}))),
        ("page token with two dots", none, call("ListTasks", &json!({"pageToken": "1.5.6"}))),
        ("page token with a NUL", none, call("ListTasks", &json!({"pageToken": "1.\u{0}"}))),
        ("page token with a sign", none, call("ListTasks", &json!({"pageToken": "+1.id-1"}))),
        ("page token with a long id", none, call("ListTasks", &json!({"pageToken": format!("1.{}", "a".repeat(513))}))),
        ("tenant", none, call("ListTasks", &json!({"tenant": "acme"}))),
        ("push of nothing", none, call("CreateTaskPushNotificationConfig", &json!({}))),
        (
            "push to an unknown task",
            none,
            call("CreateTaskPushNotificationConfig", &json!({"taskId": "t", "url": "http://x"})),
        ),
        ("push to a private address", none, call("SendMessage", &pushed)),
        (
            "push configuration that is none",
            none,
            call("GetTaskPushNotificationConfig", &json!({"taskId": "t", "id": "c"})),
        ),
        ("long key", &[("idempotency-key", LONG)], send(&text)),
    ];
    let app = weather();
    let mut seen = String::new();
    for (name, headers, body) in cases {
        let (status, reply) = post(&app, "/agents/weather", headers, body).await;
        let (id, error) = (&reply["id"], &reply["error"]);
        let code = error["data"][0]["metadata"]["batonCode"].as_str().unwrap();
        seen.push_str(&format!("{name}: {status} {} {code} id={id} {}\n", error["code"], error["message"]));
        assert_eq!(error["data"][0]["domain"], "a2a-protocol.org");
    }
    insta::assert_snapshot!(seen);
    let (status, reply) = post(&app, "/a2a/", &[], send(&text)).await;
    assert_eq!((status, &reply["result"]["task"]["status"]["state"]), (200, &json!("TASK_STATE_COMPLETED")));
}

#[tokio::test]
async fn bodies_over_the_limit_and_agents_that_do_not_exist() {
    let app = weather();
    let (status, reply) = post(&app, "/", &[], vec![b' '; 50 * 1024 * 1024]).await;
    assert_eq!((status, &reply["error"]["code"]), (413, &json!(-32600)));
    assert_eq!(reply["error"]["data"][0]["metadata"]["batonCode"], "BTN-1002");
    let (status, sent) = post(&app, "/agents/nobody", &[], send(&json!([{"text": "Hello"}]))).await;
    assert_eq!((status, &sent["id"]), (404, &json!(7)));
    assert_eq!(sent["error"]["data"][0]["metadata"]["batonCode"], "BTN-2001");
    let listed = post(&app, "/agents/nobody", &[], call("ListTasks", &json!({}))).await;
    assert_eq!(listed, (404, sent));
}

/// A body that sends the given number of bytes and then stalls.
struct StalledBody(usize);

impl hyper::body::Body for StalledBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match std::mem::take(&mut self.0) {
            0 => Poll::Pending,
            come => Poll::Ready(Some(Ok(Frame::data(vec![b' '; come].into())))),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(8 * 1024)
    }
}

#[tokio::test]
async fn unfinished_bodies_share_one_budget() {
    let options = configured(options(), |options| {
        options.http.max_body = 8 * 1024;
        options.http.max_bodies_total = 16 * 1024;
        options.http.principal_share = 100;
    });
    let app = app(engine(&["weather"]), options);
    let hello = || send(&json!([{"text": "Hello"}]));
    let unfinished = |come| post(&app, "/", &[], Body::new(StalledBody(come)));
    {
        let (mut silent, mut one, mut other) = (pin!(unfinished(0)), pin!(unfinished(8000)), pin!(unfinished(7000)));
        assert!(poll!(&mut silent).is_pending(), "a sender without data takes no budget");
        assert!(poll!(&mut one).is_pending() && poll!(&mut other).is_pending());
        // A running task does not hold the budget of its request body.
        let mut hanging = pin!(post(&app, "/", &[], send(&json!([{"text": "hang"}]))));
        assert!(poll!(&mut hanging).is_pending());
        let (status, reply) = post(&app, "/", &[], hello()).await;
        assert_eq!((status, &reply["result"]["task"]["status"]["state"]), (200, &json!("TASK_STATE_COMPLETED")));
        let mut last = pin!(unfinished(1));
        assert!(poll!(&mut last).is_pending());
        let (status, reply) = post(&app, "/", &[], hello()).await;
        assert_eq!((status, &reply["error"]["data"][0]["metadata"]["batonCode"]), (503, &json!("BTN-4001")));
    }
    // Disconnected senders release their budget.
    assert_eq!(post(&app, "/", &[], hello()).await.0, 200);
}

#[tokio::test]
async fn a_budget_below_one_body_still_takes_one() {
    let options = configured(options(), |options| {
        options.http.max_body = 8 * 1024;
        options.http.max_bodies_total = 1024;
    });
    let app = app(engine(&["weather"]), options);
    let long = send(&json!([{"text": "x".repeat(5000)}]));
    assert_eq!(post(&app, "/", &[], long).await.0, 200);
}

#[tokio::test]
async fn unknown_paths_and_methods_match_in_status_and_body() {
    let app = weather();
    for (path, status, name, reason) in [
        ("/nowhere", 404, "NOT_FOUND", "PAGE_NOT_FOUND"),
        ("/healthz", 405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"),
        ("/api/v1/tasks/nothing", 405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"),
    ] {
        let (seen, reply) = post(&app, path, &[], Vec::new()).await;
        let error = &reply["error"];
        assert_eq!((seen, &error["code"], &error["status"]), (status, &json!(status), &json!(name)), "{path}");
        assert_eq!(error["details"][0]["reason"], reason, "{path}");
    }
}

#[tokio::test]
async fn strict_version_rule_requires_the_version_header() {
    let options = configured(options(), |options| {
        options.a2a = A2aOptions { version_rule: VersionRule::Strict, ..A2aOptions::default() };
    });
    let app = app(engine(&["weather"]), options);
    let body = send(&json!([{"text": "Hello"}]));
    let (_, reply) = post(&app, "/", &[], body.clone()).await;
    assert_eq!(reply["error"]["code"], -32009);
    let (_, reply) = post(&app, "/", &[("a2a-version", "1.0")], body).await;
    assert!(reply["result"].is_object());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_body_gets_json(body in body()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (_, reply) = post(&weather(), "/agents/weather", &[], body).await;
            assert!(reply["error"]["code"].is_i64() || reply.get("result").is_some());
        });
    }
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let methods = "(GetTask|ListTasks|CancelTask|SubscribeToTask|SendMessage|GetExtendedAgentCard)";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        "(ROLE_USER|x|)".prop_map(Value::from)
    ];
    let name = "(id|message|messageId|role|parts|text|data|pageSize|historyLength|metadata|status)";
    let params = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..5).prop_map(|map| json!(map)),
        ]
    });
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..64),
        "\\PC{0,64}".prop_map(String::into_bytes),
        (methods, params).prop_map(|(method, params)| call(&method, &params)),
    ]
}

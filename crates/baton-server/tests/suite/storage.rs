//! Journal failures and overload: clients get `Retry-After`, and the server recovers.

use crate::world::{engine_on, options};
use axum::{Router, body::Body};
use baton_engine::EngineOptions;
use baton_journal::{
    MemoryJournal, SqliteJournal,
    fault::{Fault, FaultyJournal},
};
use baton_server::app;
use http::{Request, Response, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tower::ServiceExt as _;

async fn request(app: &Router, method: &str, path: &str, body: &Value) -> Response<Body> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json");
    app.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap()
}

async fn status(app: &Router, path: &str) -> u16 {
    request(app, "GET", path, &Value::Null).await.status().as_u16()
}

async fn call(app: &Router, method: &str, params: Value) -> Response<Body> {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    request(app, "POST", "/agents/weather", &body).await
}

fn send_params(text: &str, at_once: bool) -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]},
        "configuration": {"returnImmediately": at_once}})
}

async fn body(response: Response<Body>) -> Value {
    serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

/// Asserts a JSON-RPC error with this code and a `Retry-After` header.
async fn refused(response: Response<Body>, code: &str) {
    assert_eq!(response.status(), 503);
    let wait = response.headers()[header::RETRY_AFTER].to_str().unwrap().parse::<u32>();
    assert!(wait.is_ok_and(|seconds| seconds > 0));
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let reply = body(response).await;
    assert_eq!((&reply["jsonrpc"], &reply["id"]), (&json!("2.0"), &json!(7)));
    assert!(reply["error"]["code"].is_i64() && reply.get("result").is_none(), "{reply}");
    assert_eq!(reply["error"]["data"][0]["metadata"]["batonCode"], code, "{reply}");
}

#[tokio::test]
async fn unwritten_send_is_rejected_by_every_method() {
    let full = Arc::new(AtomicBool::new(false));
    let plan = {
        let full = Arc::clone(&full);
        move |_| if full.load(Ordering::Relaxed) { Fault::Fail } else { Fault::Pass }
    };
    let journal = Arc::new(FaultyJournal::new(Arc::new(MemoryJournal::default()), plan));
    let app = app(engine_on(journal, EngineOptions::default(), &["weather"]), options());
    let ways = [("SendMessage", false), ("SendMessage", true), ("SendStreamingMessage", false)];
    for (method, at_once) in ways {
        full.store(true, Ordering::Relaxed);
        refused(call(&app, method, send_params("Hello", at_once)).await, "BTN-4002").await;
        let listed = body(call(&app, "ListTasks", json!({})).await).await;
        assert_eq!(listed["result"]["totalSize"], 0, "a rejected task exists");
    }
    full.store(false, Ordering::Relaxed);
    for (method, at_once) in ways {
        assert_eq!(call(&app, method, send_params("Hello", at_once)).await.status(), 200);
    }
}

#[tokio::test]
async fn busy_server_rejects_sends_until_capacity_is_free() {
    let limited = EngineOptions { max_live: 1, ..EngineOptions::default() };
    let app = app(engine_on(Arc::new(MemoryJournal::default()), limited, &["weather"]), options());
    let begun = body(call(&app, "SendMessage", send_params("hang", true)).await).await;
    let id = begun["result"]["task"]["id"].as_str().unwrap();
    for (method, at_once) in [("SendMessage", false), ("SendMessage", true), ("SendStreamingMessage", false)] {
        refused(call(&app, method, send_params("Hello", at_once)).await, "BTN-4001").await;
    }
    assert_eq!(call(&app, "GetTask", json!({"id": id})).await.status(), 200, "reads are always possible");
    assert_eq!(status(&app, "/readyz").await, 200);
    assert_eq!(call(&app, "CancelTask", json!({"id": id})).await.status(), 200);
    let answered = body(call(&app, "SendMessage", send_params("Hello", false)).await).await;
    assert_eq!(answered["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn a_full_disk_makes_the_server_unready_until_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let journal = Arc::new(SqliteJournal::open(directory.path(), baton_journal::JournalOptions::default()).unwrap());
    let app = app(engine_on(Arc::clone(&journal) as _, EngineOptions::default(), &["weather"]), options());
    let kept = body(call(&app, "SendMessage", send_params("Hello", false)).await).await;
    assert_eq!(status(&app, "/readyz").await, 200);

    journal.set_max_pages(Some(1));
    let long = "x".repeat(200_000);
    refused(call(&app, "SendMessage", send_params(&long, true)).await, "BTN-4002").await;
    assert_eq!((status(&app, "/readyz").await, status(&app, "/healthz").await), (503, 200));
    let id = &kept["result"]["task"]["id"];
    let read = body(call(&app, "GetTask", json!({"id": id})).await).await;
    assert_eq!(read["result"]["id"], *id, "written data can be read");

    journal.set_max_pages(None);
    let again = async {
        while status(&app, "/readyz").await != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), again).await.unwrap();
    let answered = body(call(&app, "SendMessage", send_params("Hello", false)).await).await;
    assert_eq!(answered["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

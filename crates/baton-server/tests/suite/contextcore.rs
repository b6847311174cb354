//! ContextCore's dotted methods.

use crate::{
    bindings::{headers, raw},
    world::weather,
};
use axum::Router;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

async fn call(app: &Router, method: &str, params: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": "c-1", "method": method, "params": params}).to_string();
    let given = headers(&[("content-type", "application/json")]);
    let response = raw(app, "POST", "/agents/weather/a2a", given, body).await;
    serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

fn send_params(text: &str) -> Value {
    json!({"message": {"role": "user", "parts": [{"type": "text", "text": text}]}, "contextId": "context-1"})
}

#[tokio::test]
async fn client_requests_and_replies() {
    let app = weather();
    let mut seen = String::new();
    let mut show = |name: &str, reply: &Value| {
        seen.push_str(&format!("{name}: {}\n", reply.get("result").unwrap_or(&reply["error"])));
    };
    let asked = call(&app, "message.send", &send_params("ask")).await;
    show("send", &asked);
    let task = asked["result"]["taskId"].clone();
    assert!(task.is_string(), "{asked}");
    // Sends return immediately, so poll the task until its run stops.
    let named = json!({"taskId": task});
    while call(&app, "tasks.get", &named).await["result"]["status"] != "INPUT_REQUIRED" {
        tokio::task::yield_now().await;
    }
    show("get", &call(&app, "tasks.get", &named).await);
    show("list", &call(&app, "tasks.list", &json!({"contextId": "context-1", "limit": 5})).await);
    show("list of nothing", &call(&app, "tasks.list", &json!({"contextId": "nobody's"})).await);
    show("cancel", &call(&app, "tasks.cancel", &named).await);
    show("cancel again", &call(&app, "tasks.cancel", &named).await);
    let card = call(&app, "agent.getExtendedAgentCard", &json!({})).await;
    assert_eq!(card["result"]["name"], "The weather agent");
    let mut done = send_params("Hello");
    done["message"]["parts"] = json!([{"type": "text", "text": "Hello"}, {"type": "json", "json": {"n": 1}}]);
    let done = call(&app, "message.send", &done).await;
    let done = json!({"taskId": done["result"]["taskId"]});
    while call(&app, "tasks.get", &done).await["result"]["status"] != "COMPLETED" {
        tokio::task::yield_now().await;
    }
    show("cancel of what is done", &call(&app, "tasks.cancel", &done).await);
    for (name, method, params) in [
        ("nothing said", "message.send", json!({})),
        ("no parts", "message.send", json!({"message": {"role": "user", "parts": []}})),
        (
            "speaking as the agent",
            "message.send",
            json!({"message": {"role": "agent", "parts": [{"type": "text", "text": "x"}]}}),
        ),
        ("unknown part", "message.send", json!({"message": {"role": "user", "parts": [{"type": "song"}]}})),
        ("unknown task", "tasks.get", json!({"taskId": "nothing"})),
        ("no task", "tasks.get", json!({})),
        ("cancel of an unknown task", "tasks.cancel", json!({"taskId": "nothing"})),
        ("limit below nothing", "tasks.list", json!({"limit": -1})),
        ("limit that is no number", "tasks.list", json!({"limit": "many"})),
        ("unknown method", "tasks.fly", json!({})),
    ] {
        let reply = call(&app, method, &params).await;
        let error = &reply["error"];
        let code = &error["data"][0]["metadata"]["batonCode"];
        seen.push_str(&format!("{name}: {} {code} {}\n", error["code"], error["message"]));
        assert!(code.is_string(), "{name}: {reply}");
    }
    insta::with_settings!({filters => vec![(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", "[moment]")]}, {
        insta::assert_snapshot!(seen);
    });
}

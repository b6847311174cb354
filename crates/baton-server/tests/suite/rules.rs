//! Rules for points on which the A2A specifications disagree, one test each.

use crate::{
    bindings::{Binding, Events, Headers, Op, ask, headers, open, raw},
    world::configured,
    world::{engine, options, weather},
};
use axum::{Router, body::Body};
use baton_http_a2a::{A2aOptions, VersionRule};
use baton_server::app;
use http::{Response, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

fn send_params(text: &str) -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

async fn start_task(app: &Router, text: &str) -> String {
    let mut params = send_params(text);
    params["configuration"] = json!({"returnImmediately": text == "hang"});
    let sent = ask(app, Binding::JsonRpc, Op::Send, &params, &[]).await.unwrap();
    sent.task()["id"].as_str().unwrap().to_owned()
}

async fn answer(app: &Router, task: &str) {
    let mut params = send_params("Oakland");
    params["message"]["taskId"] = task.into();
    let answered = ask(app, Binding::JsonRpc, Op::Send, &params, &[]).await.unwrap();
    assert_eq!(answered.task()["status"]["state"], "TASK_STATE_COMPLETED");
}

fn content_type(response: &Response<Body>) -> &str {
    response.headers()[header::CONTENT_TYPE].to_str().unwrap()
}

#[tokio::test]
async fn both_verbs_subscribe_and_neither_needs_a_body() {
    let app = weather();
    for path in ["/agents/weather/tasks", "/tasks", "/weather/tasks", "/agents/weather/v1/tasks", "/v1/tasks"] {
        for (method, given) in [("GET", &[][..]), ("POST", &[][..]), ("POST", &[("content-type", "application/json")])]
        {
            let task = start_task(&app, "ask").await;
            let response = raw(&app, method, &format!("{path}/{task}:subscribe"), headers(given), Body::empty()).await;
            assert_eq!((response.status().as_u16(), content_type(&response)), (200, "text/event-stream"), "{path}");
            let mut events = Events::new(Binding::Rest, Op::Subscribe, response);
            assert_eq!(events.next().await.unwrap()["task"]["id"], task);
            answer(&app, &task).await;
            let mut last = Value::Null;
            while let Some(event) = events.next().await {
                last = event;
            }
            assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED", "{method} {path}: {last}");
        }
    }
}

#[tokio::test]
async fn rest_answers_in_the_media_type_that_the_client_names() {
    let app = weather();
    let (plain, named) = ("application/json", "application/a2a+json");
    let hello = send_params("Hello").to_string();
    let cases: [(Headers<'_>, &str); 7] = [
        (&[("content-type", plain)], plain),
        (&[("content-type", "application/json; charset=utf-8")], plain),
        (&[("content-type", named)], named),
        (&[("content-type", "APPLICATION/A2A+JSON; charset=utf-8")], named),
        (&[("content-type", plain), ("accept", named)], named),
        (&[("content-type", plain), ("accept", "text/html, application/a2a+json;q=0.9")], named),
        (&[("content-type", plain), ("accept", "*/*")], plain),
    ];
    for (given, expect) in cases {
        // Successes and errors use the same media type.
        for (method, path, body, status) in [
            ("POST", "/message:send", hello.as_str(), 200),
            ("POST", "/message:send", "{}", 400),
            ("GET", "/tasks/nothing", "", 404),
            ("POST", "/tasks/nothing:cancel", "", 404),
            ("GET", "/extendedAgentCard", "", 200),
        ] {
            let response = raw(&app, method, path, headers(given), body.to_owned()).await;
            assert_eq!((response.status().as_u16(), content_type(&response)), (status, expect), "{path} {given:?}");
        }
    }
    // JSON-RPC and 0.3 have only one media type.
    let rpc = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
    let response = raw(&app, "POST", "/", headers(&[("content-type", named), ("accept", named)]), rpc).await;
    assert_eq!(content_type(&response), plain);
}

#[tokio::test]
async fn a_body_of_another_type_is_refused_before_it_is_read() {
    let app = weather();
    for given in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let headers = headers(&[("content-type", given)]);
        let response = raw(&app, "POST", "/agents/weather", headers.clone(), "not even JSON").await;
        assert_eq!((response.status().as_u16(), content_type(&response)), (415, "application/json"));
        let body: Value = serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap();
        assert_eq!((&body["error"]["code"], &body["id"]), (&json!(-32005), &Value::Null));
        for path in ["/message:send", "/message:stream", "/tasks/t/pushNotificationConfigs", "/v1/message:send"] {
            let response = raw(&app, "POST", path, headers.clone(), "not even JSON").await;
            assert_eq!(response.status(), 415, "{path} {given}");
        }
    }
    // Cancel needs no body; only a non-empty body needs a content type.
    for (given, body, status) in [("", "", 404), ("text/plain", "", 404), ("text/plain", "{}", 415)] {
        let response = raw(&app, "POST", "/tasks/t:cancel", headers(&[("content-type", given)]), body).await;
        assert_eq!(response.status(), status, "{given} {body}");
    }
}

#[tokio::test]
async fn versions_in_every_binding() {
    let lenient = weather();
    let rule = A2aOptions { version_rule: VersionRule::Strict, ..A2aOptions::default() };
    let strict = app(
        engine(&["weather"]),
        configured(options(), |options| {
            options.a2a = rule;
        }),
    );
    let task = (start_task(&lenient, "Hello").await, start_v03_task(&strict).await);
    for (given, current, old) in [
        (None, (true, false), (true, true)),
        (Some(""), (true, false), (true, true)),
        (Some("1.0"), (true, true), (false, false)),
        (Some("1.0.1"), (true, true), (false, false)),
        (Some("0.3"), (false, false), (true, true)),
        (Some("0.3.0"), (false, false), (true, true)),
        (Some("99.0"), (false, false), (false, false)),
        (Some("one"), (false, false), (false, false)),
    ] {
        let pairs: Vec<_> = given.map(|version| ("a2a-version", version)).into_iter().collect();
        for binding in Binding::ALL {
            let expect = if binding.is_old() { old } else { current };
            let asked = |app, task: &str| {
                let params = json!({"id": task});
                let pairs = &pairs;
                async move { ask(app, binding, Op::Get, &params, pairs).await.unwrap().refusal }
            };
            let (by_method, strictly) = (asked(&lenient, &task.0).await, asked(&strict, &task.1).await);
            let seen = (by_method.is_none(), strictly.is_none());
            assert_eq!(seen, expect, "{given:?} {binding:?} {by_method:?} {strictly:?}");
            let reasons = by_method.into_iter().chain(strictly).map(|refusal| refusal.reason);
            assert!(reasons.into_iter().all(|reason| reason == "VERSION_NOT_SUPPORTED"));
        }
    }
    // The query parameter replaces the header for clients that cannot set headers.
    for (query, status) in [("A2A-Version=1.0", 200), ("a2a-version=0.3", 400), ("A2A-Version=99.0", 400)] {
        let path = format!("/tasks/{}?{query}", task.1);
        assert_eq!(raw(&strict, "GET", &path, headers(&[]), "").await.status(), status, "{query}");
    }
}

async fn start_v03_task(app: &Router) -> String {
    let sent = ask(app, Binding::OldJsonRpc, Op::Send, &send_params("Hello"), &[]).await.unwrap();
    sent.task()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_send_ends_with_its_turn_and_a_subscription_with_the_task() {
    for binding in Binding::ALL {
        let app = weather();
        let sent = ask(&app, binding, Op::Stream, &send_params("ask"), &[]).await.unwrap();
        assert_eq!(sent.refusal, None);
        let last = sent.items.last().unwrap().to_string();
        assert!(last.contains("INPUT_REQUIRED") || last.contains("input-required"), "{binding:?}: {last}");
        let first = &sent.items[0];
        let task = first.get("task").unwrap_or(first)["id"].as_str().unwrap().to_owned();

        let subscribed = open(&app, binding, Op::Subscribe, &json!({"id": task}), &[]).await.unwrap();
        let mut events = Events::new(binding, Op::Subscribe, subscribed);
        let first = events.next().await.unwrap();
        assert_eq!(first.get("task").unwrap_or(&first)["id"], task, "{binding:?}");
        answer(&app, &task).await;
        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(event.to_string());
        }
        assert_eq!(events.refusal, None);
        let last = seen.last().unwrap();
        assert!(last.contains("COMPLETED") || last.contains("completed"), "{binding:?}: {seen:?}");
        // In 0.3 the last event has `final` set.
        let finals = seen.iter().filter(|event| event.contains("\"final\":true")).count();
        assert_eq!(finals, usize::from(matches!(binding, Binding::OldJsonRpc | Binding::OldRest)), "{seen:?}");
    }
}

#[tokio::test]
async fn canceling_twice_gives_the_canceled_task_twice() {
    for binding in Binding::ALL {
        let app = weather();
        let task = start_task(&app, "hang").await;
        let mut seen = Vec::new();
        for _ in 0..2 {
            let canceled = ask(&app, binding, Op::Cancel, &json!({"id": task}), &[]).await.unwrap();
            let state = canceled.task()["status"]["state"].as_str().unwrap().to_owned();
            assert!(["TASK_STATE_CANCELED", "TASK_STATE_CANCELLED", "canceled"].contains(&state.as_str()), "{state}");
            seen.push(canceled.one().clone());
        }
        assert_eq!(seen[0], seen[1], "{binding:?}");
    }
}

#[tokio::test]
async fn history_is_as_long_as_asked_and_no_longer() {
    let app = weather();
    let task = start_task(&app, "Hello there").await;
    for binding in Binding::CURRENT {
        for (length, expect) in [(json!(0), None), (json!(1), Some(1)), (json!(2), Some(2)), (json!(9), Some(2))] {
            let got = ask(&app, binding, Op::Get, &json!({"id": task, "historyLength": length}), &[]).await.unwrap();
            assert_eq!(got.task()["history"].as_array().map(Vec::len), expect, "{binding:?} {length}");
            let mut params = send_params("Hello there");
            params["configuration"] = json!({"historyLength": length});
            let sent = ask(&app, binding, Op::Send, &params, &[]).await.unwrap();
            assert_eq!(sent.task()["history"].as_array().map(Vec::len), expect, "{binding:?} {length}");
            let listed = ask(&app, binding, Op::List, &json!({"historyLength": length}), &[]).await.unwrap();
            let tasks = listed.one()["tasks"].as_array().unwrap();
            assert!(tasks.iter().all(|task| task["history"].as_array().map(Vec::len) == expect), "{binding:?}");
            assert!(tasks.iter().all(|task| task.get("artifacts").is_none()));
        }
        for (op, params) in [
            (Op::Get, json!({"id": task, "historyLength": -1})),
            (Op::List, json!({"historyLength": -1})),
            (Op::Send, {
                let mut params = send_params("Hello");
                params["configuration"] = json!({"historyLength": -1});
                params
            }),
        ] {
            let refused = ask(&app, binding, op, &params, &[]).await.unwrap();
            assert!(refused.refused().fields[0].ends_with("historyLength"), "{binding:?} {op:?}");
        }
    }
    // A length of 0 means the whole history in 0.3.
    for binding in [Binding::OldJsonRpc, Binding::OldRest] {
        let got = ask(&app, binding, Op::Get, &json!({"id": task, "historyLength": 1}), &[]).await.unwrap();
        assert_eq!(got.task()["history"].as_array().unwrap().len(), 1);
    }
    let all = raw(&app, "GET", &format!("/v1/tasks/{task}?historyLength=0"), headers(&[]), "").await;
    let all: Value = serde_json::from_slice(&all.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!(all["history"].as_array().unwrap().len(), 2);
}

/// Numbers keep every digit in all JSON values of every JSON binding.
#[tokio::test]
async fn numbers_keep_their_digits() {
    const DATA: &str = r#"{"a":42,"b":42.0,"c":1e400,"d":9223372036854775808,"e":0.30000000000000004,"f":-0,"g":1E+2,"h":123456789012345678901234567890.000000000000000000001}"#;
    let app = weather();
    let parts = format!(r#"[{{"text":"Hello"}},{{"data":{DATA},"metadata":{DATA}}}]"#);
    let current = format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":{parts},"metadata":{DATA}}}}}"#);
    let old_parts = format!(r#"[{{"kind":"text","text":"Hello"}},{{"kind":"data","data":{DATA},"metadata":{DATA}}}]"#);
    let old = format!(
        r#"{{"message":{{"kind":"message","messageId":"m","role":"user","parts":{old_parts},"metadata":{DATA}}}}}"#
    );
    let old_content = format!(r#"[{{"text":"Hello"}},{{"data":{{"data":{DATA}}},"metadata":{DATA}}}]"#);
    let old_rest =
        format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","content":{old_content},"metadata":{DATA}}}}}"#);
    let rpc =
        |method: &str, params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    for (path, body) in [
        ("/", rpc("SendMessage", &current)),
        ("/", rpc("SendStreamingMessage", &current)),
        ("/message:send", current.clone()),
        ("/message:stream", current.clone()),
        ("/", rpc("message/send", &old)),
        ("/", rpc("message/stream", &old)),
        ("/v1/message:send", old_rest.clone()),
        ("/v1/message:stream", old_rest.clone()),
    ] {
        let response = raw(&app, "POST", path, headers(&[("content-type", "application/json")]), body).await;
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        assert!(text.matches(DATA).count() >= 3, "{path}: {text}");
    }
    let seen = raw(&app, "GET", "/tasks", headers(&[]), "").await.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(String::from_utf8(seen.to_vec()).unwrap().matches(DATA).count(), 8 * 3);
}

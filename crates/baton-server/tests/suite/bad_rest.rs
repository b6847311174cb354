//! Invalid HTTP+JSON requests: each gets its error, and the server keeps serving.

use crate::{
    bindings::{Binding, Headers, Op, Reply, ask, headers, raw},
    world::weather,
};
use axum::{Router, body::Body};
use http::header;
use http_body_util::BodyExt as _;
use proptest::prelude::*;
use serde_json::{Value, json};

const JSON: Headers<'static> = &[("content-type", "application/json")];
const NONE: Headers<'static> = &[];

fn send(message: &Value) -> Vec<u8> {
    json!({ "message": message }).to_string().into_bytes()
}

fn with_parts(parts: &Value) -> Vec<u8> {
    send(&json!({"messageId": "m", "role": "ROLE_USER", "parts": parts}))
}

async fn check_still_serves(app: &Router) {
    let hello = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}});
    let sent = ask(app, Binding::Rest, Op::Send, &hello, &[]).await.unwrap();
    assert_eq!(sent.task()["status"]["state"], "TASK_STATE_COMPLETED");
}

/// The error of each request, one per line.
async fn table(cases: Vec<(&str, &str, String, Headers<'_>, Vec<u8>)>) -> String {
    let app = weather();
    let mut seen = String::new();
    for (name, method, path, given, body) in cases {
        let binding = if path.contains("/v1/") { Binding::OldRest } else { Binding::Rest };
        let reply = Reply::read(binding, Op::Send, raw(&app, method, &path, headers(given), body).await).await;
        assert_eq!(reply.headers.contains_key(header::ALLOW), reply.http == 405, "{name}: what else would be answered");
        let Some(refused) = &reply.refusal else {
            seen.push_str(&format!("{name}: {} accepted\n", reply.http));
            continue;
        };
        assert!(
            reply.http < 500 && !refused.baton_code.is_empty() && refused.message.len() < 1100,
            "{name}: {reply:?}"
        );
        let message: String = refused.message.chars().take(120).collect();
        seen.push_str(&format!("{name}: {} {} {} {message:?}\n", refused.code, refused.reason, refused.baton_code));
    }
    check_still_serves(&app).await;
    seen
}

#[tokio::test]
async fn each_wrong_body_has_its_error() {
    let text = json!([{"text": "Hello"}]);
    let deep = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    let nested = [b"{\"message\":{\"parts\":[{\"data\":".to_vec(), deep.clone(), b"}]}}".to_vec()].concat();
    let long = "i".repeat(100_000);
    let cases: Vec<(&str, Headers<'_>, Vec<u8>)> = vec![
        ("not JSON", JSON, b"hello".to_vec()),
        ("empty", JSON, Vec::new()),
        ("only space", JSON, b" \n ".to_vec()),
        ("half an object", JSON, b"{\"message\":".to_vec()),
        ("two objects", JSON, b"{}{}".to_vec()),
        ("something behind", JSON, [with_parts(&text), b" and more".to_vec()].concat()),
        ("not UTF-8", JSON, b"{\"message\":\"\xff\"}".to_vec()),
        ("a mark of byte order", JSON, b"\xef\xbb\xbf{}".to_vec()),
        ("too deep", JSON, deep),
        ("too deep inside", JSON, nested),
        ("an array", JSON, b"[]".to_vec()),
        ("a batch", JSON, b"[{\"message\":{}}]".to_vec()),
        ("a number", JSON, b"42".to_vec()),
        ("null", JSON, b"null".to_vec()),
        ("wrong content type", &[("content-type", "text/plain")], with_parts(&text)),
        ("no content type", NONE, with_parts(&text)),
        ("nothing said", JSON, b"{}".to_vec()),
        ("message is text", JSON, send(&json!("Hello"))),
        ("message is a list", JSON, send(&json!([]))),
        ("no message id", JSON, send(&json!({"role": "ROLE_USER", "parts": text}))),
        ("no role", JSON, send(&json!({"messageId": "m", "parts": text}))),
        ("unknown role", JSON, send(&json!({"messageId": "m", "role": "ROLE_KING", "parts": text}))),
        ("role of a later number", JSON, send(&json!({"messageId": "m", "role": 9, "parts": text}))),
        ("role of 0.3", JSON, send(&json!({"messageId": "m", "role": "user", "parts": text}))),
        ("message id is a number", JSON, send(&json!({"messageId": 1, "role": "ROLE_USER", "parts": text}))),
        ("huge message id", JSON, send(&json!({"messageId": long, "role": "ROLE_USER", "parts": text}))),
        ("control in message id", JSON, send(&json!({"messageId": "a\u{0}b\n", "role": "ROLE_USER", "parts": text}))),
        ("huge role", JSON, send(&json!({"messageId": "m", "role": long, "parts": text}))),
        ("huge media type", JSON, with_parts(&json!([{"raw": "aGk=", "mediaType": long}]))),
        ("huge task id", JSON, send(&json!({"messageId": "m", "role": 1, "taskId": long, "parts": text}))),
        ("huge context id", JSON, send(&json!({"messageId": "m", "role": 1, "contextId": long, "parts": text}))),
        ("no parts", JSON, send(&json!({"messageId": "m", "role": "ROLE_USER"}))),
        ("empty parts", JSON, with_parts(&json!([]))),
        ("a part of nothing", JSON, with_parts(&json!([{}]))),
        ("a part that is text", JSON, with_parts(&json!(["Hello"]))),
        ("a part of two kinds", JSON, with_parts(&json!([{"text": "a", "data": 1}]))),
        ("a part of 0.3", JSON, with_parts(&json!([{"kind": "file", "file": {"uri": "https://a"}}]))),
        ("text is a number", JSON, with_parts(&json!([{"text": 1}]))),
        ("raw is no base64", JSON, with_parts(&json!([{"raw": "%%%", "mediaType": "text/plain"}]))),
        ("metadata is a list", JSON, with_parts(&json!([{"text": "a", "metadata": []}]))),
        ("too many parts", JSON, with_parts(&json!(vec![json!({"text": "a"}); 257]))),
        (
            "configuration is text",
            JSON,
            json!({"message": {"messageId": "m", "role": 1, "parts": text}, "configuration": "x"}).to_string().into(),
        ),
        (
            "history length is text",
            JSON,
            json!({"message": {"messageId": "m", "role": 1, "parts": text}, "configuration": {"historyLength": "x"}})
                .to_string()
                .into(),
        ),
        (
            "history length is too large",
            JSON,
            json!({"message": {"messageId": "m", "role": 1, "parts": text}, "configuration": {"historyLength": 1u64 << 40}})
                .to_string()
                .into(),
        ),
        (
            "push without an address",
            JSON,
            json!({"message": {"messageId": "m", "role": 1, "parts": text},
                "configuration": {"taskPushNotificationConfig": {}}})
            .to_string()
            .into(),
        ),
        ("huge tenant", JSON, {
            json!({"tenant": long, "message": {"messageId": "m", "role": 1, "parts": text}}).to_string().into()
        }),
        ("another tenant", JSON, {
            json!({"tenant": "acme", "message": {"messageId": "m", "role": 1, "parts": text}}).to_string().into()
        }),
        ("key with a space", &[("content-type", "application/json"), ("idempotency-key", "a b")], with_parts(&text)),
    ];
    let one = |(name, given, body)| (name, "POST", "/agents/weather/message:send".to_owned(), given, body);
    insta::assert_snapshot!(table(cases.into_iter().map(one).collect()).await);
}

#[tokio::test]
async fn each_wrong_path_query_and_verb_has_its_error() {
    let long = "t".repeat(10_000);
    let mut cases: Vec<(&str, &str, String, Headers<'_>, Vec<u8>)> = Vec::new();
    let mut add = |name, method, path: &str, given| cases.push((name, method, path.to_owned(), given, Vec::new()));
    for (name, method, path) in [
        ("verb of a send", "GET", "/message:send"),
        ("verb of a send", "PUT", "/message:send"),
        ("verb of a list", "POST", "/tasks"),
        ("verb of a task", "DELETE", "/tasks/t"),
        ("verb of a task", "POST", "/tasks/t"),
        ("verb of a cancel", "GET", "/tasks/t:cancel"),
        ("verb of configurations", "DELETE", "/tasks/t/pushNotificationConfigs"),
        ("verb of a configuration", "POST", "/tasks/t/pushNotificationConfigs/c"),
        ("verb of the card", "POST", "/extendedAgentCard"),
        ("verb of 0.3", "GET", "/v1/message:send"),
        ("verb of 0.3", "GET", "/v1/tasks/t:cancel"),
        ("unknown verb after the colon", "POST", "/tasks/t:fly"),
        ("unknown verb after the colon", "GET", "/tasks/t:fly"),
        ("two colons", "POST", "/tasks/t:cancel:cancel"),
        ("only a verb", "POST", "/tasks/:cancel"),
        ("unknown operation", "POST", "/message:sing"),
        ("unknown page", "GET", "/nowhere"),
        ("unknown page of the agent", "GET", "/agents/weather/nowhere"),
        ("slash at the end", "POST", "/message:send/"),
        ("two slashes", "GET", "//tasks/t"),
        ("unknown agent", "GET", "/agents/nobody/tasks"),
        ("unknown agent's task", "GET", "/agents/nobody/tasks/t"),
        ("unknown tenant", "GET", "/nobody/tasks"),
        ("unknown tenant of an agent", "GET", "/agents/weather/nobody/tasks"),
        ("agent with a slash", "GET", "/agents/a%2Fb/tasks"),
        ("agent of dots", "GET", "/agents/%2e%2e/tasks"),
        ("dots", "GET", "/agents/../tasks/t"),
        ("task of dots", "GET", "/tasks/..%2f..%2fetc%2fpasswd"),
        ("task with a NUL", "GET", "/tasks/a%00b"),
        ("task with a line break", "GET", "/tasks/a%0d%0ab"),
        ("task that is not UTF-8", "GET", "/tasks/%ff"),
        ("agent that is not UTF-8", "GET", "/agents/%ff/tasks"),
        ("configuration that is not UTF-8", "GET", "/tasks/t/pushNotificationConfigs/%ff"),
        ("half an escape", "GET", "/tasks/%z"),
        ("escaped twice", "GET", "/tasks/%2561"),
        ("escaped colon", "POST", "/tasks/t%3Acancel"),
        ("task of spaces", "GET", "/tasks/%20"),
        ("history that is no number", "GET", "/tasks/t?historyLength=x"),
        ("history beyond numbers", "GET", "/tasks/t?historyLength=99999999999999999999"),
        ("history twice", "GET", "/tasks/t?historyLength=1&historyLength=2"),
        ("half of a query", "GET", "/tasks/t?historyLength"),
        ("page of no number", "GET", "/tasks?pageSize=ten"),
        ("page below nothing", "GET", "/tasks?pageSize=-1"),
        ("unknown state", "GET", "/tasks?status=TASK_STATE_TIRED"),
        ("state of a later number", "GET", "/tasks?status=99"),
        ("moment that is none", "GET", "/tasks?statusTimestampAfter=yesterday"),
        ("artifacts perhaps", "GET", "/tasks?includeArtifacts=maybe"),
        ("token that is none", "GET", "/tasks?pageToken=x"),
        ("token that is not UTF-8", "GET", "/tasks?pageToken=%ff"),
        ("token of another", "GET", "/tasks?pageToken=1.%2e%2e%2fx"),
        ("configurations of nobody", "GET", "/tasks/t/pushNotificationConfigs"),
    ] {
        add(name, method, path, NONE);
    }
    add("cursor that is no number", "GET", "/tasks/t:subscribe", &[("last-event-id", "x")]);
    add("cursor below nothing", "POST", "/tasks/t:subscribe", &[("last-event-id", "-1")]);
    let generation = [("a2a-extensions", baton_wire::a2a::v1::GENERATION)];
    add("generation below nothing", "GET", "/tasks/t?currentGeneration=-1", &generation);
    add("huge task", "GET", &format!("/tasks/{long}"), NONE);
    add("huge agent", "GET", &format!("/agents/{long}/tasks"), NONE);
    add("huge configuration", "DELETE", &format!("/tasks/t/pushNotificationConfigs/{long}"), NONE);
    insta::assert_snapshot!(table(cases).await);
}

#[tokio::test]
async fn bodies_over_the_limit_wherever_bodies_are_read() {
    let app = weather();
    for path in ["/message:send", "/v1/message:stream", "/tasks/t:cancel", "/tasks/t/pushNotificationConfigs"] {
        let response = raw(&app, "POST", path, headers(JSON), vec![b' '; 50 * 1024 * 1024]).await;
        assert_eq!(response.status(), 413, "{path}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&body).contains("BTN-1002"));
    }
    // The size of an unread body is not limited.
    assert_eq!(raw(&app, "GET", "/tasks", headers(JSON), vec![b' '; 50 * 1024 * 1024]).await.status(), 200);
    check_still_serves(&app).await;
}

#[tokio::test]
async fn non_utf8_names_are_rejected_as_json() {
    let app = weather();
    for (method, path) in [
        ("POST", "/agents/%80"),
        ("GET", "/agents/%80/.well-known/agent-card.json"),
        ("GET", "/agents/%80/.well-known/contextcore.json"),
        ("GET", "/agents/%80/tasks"),
        ("GET", "/api/v1/tasks/%80"),
        ("GET", "/api/v1/tasks/%80/events"),
        ("GET", "/api/v1/handoffs/%80"),
    ] {
        let response = raw(&app, method, path, headers(JSON), "").await;
        assert_eq!(response.status(), 404, "{path}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&body).contains("BTN-1001"), "{path}");
    }
}

#[tokio::test]
async fn path_takes_precedence_over_body() {
    let app = weather();
    let hello = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "ask"}]}});
    let sent = ask(&app, Binding::Rest, Op::Send, &hello, &[]).await.unwrap();
    let task = sent.task()["id"].as_str().unwrap();
    let config = json!({"taskId": "another", "url": "https://example.com/hook"}).to_string();
    let created = raw(&app, "POST", &format!("/tasks/{task}/pushNotificationConfigs"), headers(JSON), config).await;
    assert_eq!(Reply::read(Binding::Rest, Op::CreatePush, created).await.one()["taskId"], task);
    let canceled = raw(&app, "POST", &format!("/tasks/{task}:cancel"), headers(JSON), r#"{"id":"another"}"#).await;
    assert_eq!(Reply::read(Binding::Rest, Op::Cancel, canceled).await.one()["id"], task);
    let wrong = json!({"tenant": "nobody"}).to_string();
    let canceled = raw(&app, "POST", &format!("/weather/tasks/{task}:cancel"), headers(JSON), wrong).await;
    assert_eq!(canceled.status(), 200, "the tenant of the path takes precedence");
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_rejected_in_every_binding() {
    let app = weather();
    for (name, value) in [("host", "evil.example.com"), ("origin", "https://evil.example.com")] {
        for binding in Binding::ALL {
            let refused =
                crate::bindings::open(&app, binding, Op::Get, &json!({"id": "t"}), &[(name, value)]).await.unwrap();
            assert_eq!(refused.status(), 403, "{binding:?} {name}");
            assert_eq!(refused.headers()[header::CONTENT_TYPE], "application/json");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn anything_at_any_path_is_answered(
        method in "(GET|POST|DELETE|PUT|PATCH|HEAD|OPTIONS)",
        path in path(),
        media in "(application/json|application/a2a\\+json|text/plain|application/grpc)",
        body in body(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let app = weather();
            let headers = headers(&[("content-type", &media), ("a2a-version", "")]);
            let response = raw(&app, &method, &path, headers, Body::from(body)).await;
            let status = response.status().as_u16();
            assert!(status < 500 || status == 503 || status == 501 && path.contains("/v1"), "{status} {method} {path}");
            if status >= 400 && method != "HEAD" {
                let body = response.into_body().collect().await.unwrap().to_bytes();
                let error: Value = serde_json::from_slice(&body).unwrap();
                let is_openai = path.contains("/v1") && error["error"]["type"] == "invalid_request_error";
                assert!(is_openai || error.to_string().contains("\"batonCode\":\"BTN-"), "{path}: {error}");
            }
        });
    }
}

fn path() -> impl Strategy<Value = String> {
    let escaped = proptest::collection::vec(any::<u8>(), 0..6)
        .prop_map(|bytes| bytes.iter().map(|byte| format!("%{byte:02X}")).collect::<String>());
    let word = "(agents|weather|nobody|v1|tasks|message:send|message:stream|extendedAgentCard|card|t|t:cancel|\
        t:subscribe|pushNotificationConfigs|\\.\\.|\\.well-known|agent-card\\.json|a2a|api|events|)";
    let segment = prop_oneof![4 => word.boxed(), 1 => escaped.boxed()];
    let query = "(\\?[a-zA-Z=&%0-9]{0,24})?";
    (proptest::collection::vec(segment, 1..6), query).prop_map(|(segments, query)| {
        format!("/{}{}", segments.join("/"), if query.ends_with('%') { "" } else { query.as_str() })
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let message = "\\{\"(message|request|url|id)\":(\\{\"(messageId|role|parts|content)\":(1|\"x\"|\\[\\{\"text\":\"a\"\\}\\])\\}|1|null)\\}";
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..64),
        "\\PC{0,64}".prop_map(String::into_bytes),
        message.prop_map(String::into_bytes),
    ]
}

//! Addresses of this machine and of private networks.

use super::harness::{AGENT, DIALECTS, ServerSetup, call, config, message, registration, send, webhook};
use baton_testkit::{RawResponse, Server, request};
use baton_types::{PushDialect, TaskId};
use baton_wire::a2a::v1::ListTasksRequest;
use http::Method;
use serde_json::Value;

/// Rejected when only public addresses are allowed.
const PRIVATE: [&str; 22] = [
    "http://10.0.0.1/hook",
    "http://172.16.5.4/hook",
    "https://192.168.1.1/hook",
    "http://100.64.0.1/hook",
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1:8080/hook",
    "http://127.8.9.10/hook",
    "http://0.0.0.0/hook",
    "http://255.255.255.255/hook",
    "http://[::1]/hook",
    "http://[::]/hook",
    "http://[fe80::1]/hook",
    "http://[fd00::1]/hook",
    "http://[::ffff:127.0.0.1]/hook",
    "http://[64:ff9b::10.0.0.1]/hook",
    "http://localhost/hook",
    "http://LocalHost.:8080/hook",
    "http://2130706433/hook",
    "http://0x7f.1/hook",
    "http://127.1/hook",
    "http://public.example@127.0.0.1/hook",
    "file:///etc/passwd",
];

fn assert_forbidden(answer: &RawResponse, what: &str) {
    let text = answer.body.to_string();
    assert!(text.contains("BTN-1006"), "{what}: {} {text}", answer.status);
}

/// Tries to register a receiver by every method of both dialects.
async fn try_all_registrations(server: &Server, task: &TaskId, url: &str) -> Vec<(String, RawResponse)> {
    let mut answers = Vec::new();
    for dialect in DIALECTS {
        let (versions, prefix): (&[(&str, &str)], _) = match dialect {
            PushDialect::V1 => (&[("a2a-version", "1.0")], ""),
            PushDialect::V03 => (&[], "/v1"),
        };
        let send = message(dialect, "inline", "hello", None, &config(dialect, url));
        let (create, registered) = registration(dialect, task, config(dialect, url));
        let method = if dialect == PushDialect::V1 { "SendMessage" } else { "message/send" };
        for (method, params) in [(method, send.clone()), (create, registered)] {
            answers.push((format!("{method} {url}"), call(server, dialect, method, params).await));
        }
        let (rest_send, rest_config) = match dialect {
            PushDialect::V1 => (send, config(dialect, url)),
            PushDialect::V03 => (old_rest_send(url), old_rest_config(task, url)),
        };
        let configs = format!("/tasks/{task}/pushNotificationConfigs");
        for (path, body) in [("/message:send", rest_send), (configs.as_str(), rest_config)] {
            let path = format!("/agents/{AGENT}{prefix}{path}");
            let answer = request(server.url(), Method::POST, &path, versions, &body).await.expect("an answer");
            answers.push((format!("{path} {url}"), answer));
        }
    }
    answers
}

/// HTTP+JSON of 0.3 encodes requests like its protocol buffers.
fn old_rest_send(url: &str) -> Value {
    serde_json::json!({
        "message": {"messageId": "inline", "role": "ROLE_USER", "content": [{"text": "hello"}]},
        "configuration": {"pushNotification": config(PushDialect::V03, url)},
    })
}

fn old_rest_config(task: &TaskId, url: &str) -> Value {
    serde_json::json!({
        "parent": format!("tasks/{task}"),
        "configId": "",
        "config": {"pushNotificationConfig": config(PushDialect::V03, url)},
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn private_addresses_are_refused_at_registration() {
    let place = ServerSetup::new();
    let server = place.up(&[]).await;
    let task = send(&server, PushDialect::V1, "first", "ask", None, &Value::Null).await;
    for url in PRIVATE {
        for (what, answer) in try_all_registrations(&server, &task, url).await {
            assert_forbidden(&answer, &what);
        }
    }
    let tasks = server.client().list(AGENT, &ListTasksRequest::default()).await.expect("tasks").tasks;
    assert_eq!(tasks.len(), 1, "a rejected send creates no task");
    let task_id = task.as_str();
    let list = serde_json::json!({"taskId": task_id});
    let listed = call(&server, PushDialect::V1, "ListTaskPushNotificationConfigs", list).await;
    assert_eq!(listed.body.pointer("/result/configs"), Some(&serde_json::json!([])), "{}", listed.body);
    assert!(server.stop().await.expect("stopped").success());

    // An allowed name does not allow its address, and an allowed address does not allow its names.
    let server = place.up(&["localhost", "127.0.0.2"]).await;
    for (url, allowed) in [
        ("http://localhost:9/hook", true),
        ("http://127.0.0.2:9/hook", true),
        ("http://[::ffff:127.0.0.2]:9/hook", true),
        ("http://127.0.0.1:9/hook", false),
        ("http://127.0.0.3:9/hook", false),
        ("http://[::1]:9/hook", false),
    ] {
        for (what, answer) in try_all_registrations(&server, &task, url).await {
            let taken = answer.status < 300 && answer.body["error"].is_null();
            assert_eq!(taken, allowed, "{what}: {}", answer.body);
            if !allowed {
                assert_forbidden(&answer, &what);
            }
        }
    }
    assert!(server.stop().await.expect("stopped").success());
    // The name resolves to an address that is not allowed.
    let server = place.up(&["127.0.0.2"]).await;
    for (what, answer) in try_all_registrations(&server, &task, "http://localhost:9/hook").await {
        assert_forbidden(&answer, &what);
    }
}

/// Other systems have only one loopback address.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn private_address_is_unreachable_by_redirect_or_restart() {
    use super::harness::{RegisteredReceiver, await_all_deliveries};
    use baton_testkit::{Receiver, WebhookReaction};

    let place = ServerSetup::new();
    let (allowed, other) = (webhook("127.0.0.1").await, webhook("127.0.0.2").await);
    let private = [307, 308].map(|status| WebhookReaction::Redirect(status, other.url("/hook")));
    let (mut turns, port) = (private.into_iter().cycle(), other.url("").rsplit(':').next().expect("a port").to_owned());
    allowed.set_reaction(move |arrival| match arrival.path.as_str() {
        // The same address in another notation.
        "/disguised" => WebhookReaction::Redirect(307, format!("http://[::ffff:127.0.0.2]:{port}/hook")),
        "/relative" => WebhookReaction::Redirect(308, format!("//127.0.0.2:{port}/hook")),
        _ => turns.next().unwrap_or(WebhookReaction::HangUp),
    });
    let server = place.up(&["127.0.0.1/32"]).await;
    let mut registered = Vec::new();
    for (number, path) in ["/plain", "/disguised", "/relative"].into_iter().enumerate() {
        let dialect = DIALECTS[number % 2];
        let message = format!("m-{number}");
        let task = send(&server, dialect, &message, "hello", None, &config(dialect, &allowed.url(path))).await;
        let receiver = Receiver { message: message.as_str().into(), dialect, after: 0, attempts: Vec::new() };
        registered.push(RegisteredReceiver { task, paths: vec![path.to_owned()], receiver });
    }
    let tried = |arrivals: &[baton_testkit::WebhookArrival]| {
        registered.iter().all(|one| arrivals.iter().filter(|arrival| one.is_at(arrival)).count() >= 2)
    };
    allowed.wait_until("two redirected tries each", tried).await.expect("tries");
    assert_eq!(other.connections(), 0, "a redirect led to an address that is not allowed");

    // The address policy of the new process applies to existing registrations, too.
    server.kill().await.expect("killed");
    let server = place.up(&["127.0.0.2"]).await;
    other.set_reaction(|_| WebhookReaction::Answer(500));
    let (connections, arrived) = (allowed.connections(), allowed.arrivals().len());
    send(&server, PushDialect::V1, "other", "hello", None, &config(PushDialect::V1, &other.url("/hook"))).await;
    // At the third attempt here, the backoff of the other receivers has long elapsed.
    other.wait_until("three tries at the allowed one", |arrivals| arrivals.len() >= 3).await.expect("tries");
    assert_eq!((allowed.connections(), allowed.arrivals().len()), (connections, arrived));

    server.kill().await.expect("killed");
    let server = place.up(&["127.0.0.1"]).await;
    allowed.set_reaction(|_| WebhookReaction::Answer(204));
    await_all_deliveries(&server, &allowed, &registered).await;
}

//! Push notifications to a local receiver.

use super::{
    operations::{BINDINGS, Op, send_params},
    schema::assert_schema,
    sut::Sut,
};
use baton_wire::a2a::v1;
use http_body_util::{BodyExt as _, Empty};
use hyper::{Request, Response, body::Bytes, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::{convert::Infallible, time::Duration};
use tokio::{net::TcpListener, sync::mpsc};

/// The timeout of the kits.
const NOTIFICATION_TIMEOUT: Duration = Duration::from_secs(15);

/// A received notification.
struct Notification {
    path: String,
    headers: hyper::HeaderMap,
    body: Value,
}

/// Accepts every request and forwards it to the returned channel.
async fn receiver() -> (String, mpsc::Receiver<Notification>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let (sender, notifications) = mpsc::channel(64);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let sender = sender.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let sender = sender.clone();
                async move {
                    let (parts, body) = request.into_parts();
                    let bytes = body.collect().await.expect("a whole body").to_bytes();
                    let body = serde_json::from_slice(&bytes).expect("JSON");
                    let path = parts.uri.path().to_owned();
                    let _ = sender.send(Notification { path, headers: parts.headers, body }).await;
                    Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (url, notifications)
}

/// The notifications for one path up to the completed task.
async fn until_done(notifications: &mut mpsc::Receiver<Notification>, path: &str) -> Vec<Notification> {
    let mut seen = Vec::new();
    let all = async {
        while let Some(notification) = notifications.recv().await {
            assert_eq!(notification.path, path);
            let inner = notification.body.get("statusUpdate").or(notification.body.get("task"));
            let done = inner.is_some_and(|inner| inner["status"]["state"] == "TASK_STATE_COMPLETED");
            seen.push(notification);
            if done {
                return;
            }
        }
    };
    tokio::time::timeout(NOTIFICATION_TIMEOUT, all).await.expect("everything arrives in time");
    seen
}

#[tokio::test]
async fn push_config_in_a_send_receives_notifications() {
    let sut = Sut::start(None).await;
    let (url, mut notifications) = receiver().await;
    for binding in BINDINGS {
        let path = format!("/{binding:?}");
        let mut params = send_params("tck-artifact-text-push", "x");
        params["configuration"] = json!({"taskPushNotificationConfig": {"url": format!("{url}{path}"),
            "token": "known-to-us", "authentication": {"scheme": "Bearer", "credentials": "s3cret.token-1"}}});
        let answer = sut.call(binding, Op::Send, &params).await.expect("a task");
        for notification in until_done(&mut notifications, &path).await {
            assert_schema::<v1::StreamResponse<'_>>(&notification.body);
            let header = |name: &str| notification.headers.get(name).map(|value| value.to_str().expect("text"));
            assert_eq!(header("authorization"), Some("Bearer s3cret.token-1"), "{binding:?}");
            assert_eq!(header("content-type"), Some("application/a2a+json"));
            assert_eq!(header("x-a2a-notification-token"), Some("known-to-us"));
            let inner = notification.body.as_object().expect("an object").values().next().expect("one member");
            let task = inner.get("taskId").unwrap_or(&inner["id"]);
            assert_eq!(*task, answer["task"]["id"], "{}", notification.body);
        }
    }
}

#[tokio::test]
async fn push_configs_work_for_open_and_completed_tasks() {
    let sut = Sut::start(None).await;
    let (url, mut notifications) = receiver().await;
    for binding in BINDINGS {
        let path = format!("/{binding:?}");
        let asked = sut.call(binding, Op::Send, &send_params("tck-input-required-push", "x")).await.expect("a task");
        let task = asked["task"]["id"].clone();
        let config = json!({"taskId": task, "url": format!("{url}{path}"), "authentication": {"scheme": "Basic", "credentials": "dTpw"}});
        let created = sut.call(binding, Op::CreatePush, &config).await.expect("a configuration");
        let named = json!({"taskId": task, "id": created["id"]});
        assert_eq!(sut.call(binding, Op::GetPush, &named).await.expect("it"), created);
        let listed = sut.call(binding, Op::ListPush, &json!({"taskId": task})).await.expect("a list");
        assert_eq!(listed["configs"], json!([created]));
        let mut further = send_params("tck-complete-task-push", "x");
        further["message"]["taskId"] = task.clone();
        sut.call(binding, Op::Send, &further).await.expect("done");
        let seen = until_done(&mut notifications, &path).await;
        assert!(seen.iter().all(|notification| notification.headers["authorization"] == "Basic dTpw"));

        // A completed task can still have configurations.
        let late = json!({"taskId": task, "id": "late", "url": format!("{url}/never")});
        let created = sut.call(binding, Op::CreatePush, &late).await.expect("a configuration");
        assert_eq!((&created["id"], &created["taskId"]), (&json!("late"), &task));
        for _ in 0..2 {
            sut.call(binding, Op::DeletePush, &json!({"taskId": task, "id": "late"})).await.expect("deleted");
        }
        let gone = sut.call(binding, Op::GetPush, &json!({"taskId": task, "id": "late"})).await;
        assert_eq!(gone.err().map(|refused| refused.0).as_deref(), Some("TASK_NOT_FOUND"), "{binding:?}");
    }
}

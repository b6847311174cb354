//! Notifications to a receiver on this machine.

use super::{
    strict::strict,
    sut::Sut,
    talk::{BINDINGS, Op, saying},
};
use baton_wire::a2a::v1;
use http_body_util::{BodyExt as _, Empty};
use hyper::{Request, Response, body::Bytes, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::{convert::Infallible, time::Duration};
use tokio::{net::TcpListener, sync::mpsc};

/// How long kits wait.
const DEADLINE: Duration = Duration::from_secs(15);

/// One notification as it arrived.
struct Notice {
    path: String,
    headers: hyper::HeaderMap,
    body: Value,
}

/// Listens, takes everything, and hands it on.
async fn receiver() -> (String, mpsc::Receiver<Notice>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let (sender, notices) = mpsc::channel(64);
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
                    let _ = sender.send(Notice { path, headers: parts.headers, body }).await;
                    Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
                }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (url, notices)
}

/// Notifications for one path, to the one that says the task is done.
async fn until_done(notices: &mut mpsc::Receiver<Notice>, path: &str) -> Vec<Notice> {
    let mut seen = Vec::new();
    let all = async {
        while let Some(notice) = notices.recv().await {
            assert_eq!(notice.path, path);
            let inner = notice.body.get("statusUpdate").or(notice.body.get("task"));
            let done = inner.is_some_and(|inner| inner["status"]["state"] == "TASK_STATE_COMPLETED");
            seen.push(notice);
            if done {
                return;
            }
        }
    };
    tokio::time::timeout(DEADLINE, all).await.expect("everything arrives in time");
    seen
}

#[tokio::test]
async fn a_configuration_inside_a_send_is_delivered_to() {
    let sut = Sut::start(None).await;
    let (url, mut notices) = receiver().await;
    for binding in BINDINGS {
        let path = format!("/{binding:?}");
        let mut params = saying("tck-artifact-text-push", "x");
        params["configuration"] = json!({"taskPushNotificationConfig": {"url": format!("{url}{path}"),
            "token": "known-to-us", "authentication": {"scheme": "Bearer", "credentials": "s3cret.token-1"}}});
        let answer = sut.call(binding, Op::Send, &params).await.expect("a task");
        for notice in until_done(&mut notices, &path).await {
            strict::<v1::StreamResponse<'_>>(&notice.body);
            let header = |name: &str| notice.headers.get(name).map(|value| value.to_str().expect("text"));
            assert_eq!(header("authorization"), Some("Bearer s3cret.token-1"), "{binding:?}");
            assert_eq!(header("content-type"), Some("application/a2a+json"));
            assert_eq!(header("x-a2a-notification-token"), Some("known-to-us"));
            let inner = notice.body.as_object().expect("an object").values().next().expect("one member");
            let task = inner.get("taskId").unwrap_or(&inner["id"]);
            assert_eq!(*task, answer["task"]["id"], "{}", notice.body);
        }
    }
}

#[tokio::test]
async fn configurations_of_a_task_that_asks_and_of_one_that_is_done() {
    let sut = Sut::start(None).await;
    let (url, mut notices) = receiver().await;
    for binding in BINDINGS {
        let path = format!("/{binding:?}");
        let asked = sut.call(binding, Op::Send, &saying("tck-input-required-push", "x")).await.expect("a task");
        let task = asked["task"]["id"].clone();
        let config = json!({"taskId": task, "url": format!("{url}{path}"), "authentication": {"scheme": "Basic", "credentials": "dTpw"}});
        let created = sut.call(binding, Op::CreatePush, &config).await.expect("a configuration");
        let named = json!({"taskId": task, "id": created["id"]});
        assert_eq!(sut.call(binding, Op::GetPush, &named).await.expect("it"), created);
        let listed = sut.call(binding, Op::ListPush, &json!({"taskId": task})).await.expect("a list");
        assert_eq!(listed["configs"], json!([created]));
        let mut further = saying("tck-complete-task-push", "x");
        further["message"]["taskId"] = task.clone();
        sut.call(binding, Op::Send, &further).await.expect("done");
        let seen = until_done(&mut notices, &path).await;
        assert!(seen.iter().all(|notice| notice.headers["authorization"] == "Basic dTpw"));

        // The task is done; it can still have configurations.
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

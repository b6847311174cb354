//! Servers that respond differently from Baton.

use super::requests::{binding_for, get, send_request};
use crate::{
    loopback::Keys,
    scripted_server::{Answer, ScriptedServer},
};
use baton_peers::{A2aDialect, Anonymous, BindingChoice, CallError, RequestMetadata};
use baton_wire::a2a::v1::{StreamResponse, SubscribeToTaskRequest, TaskState};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const WAYS: [(BindingChoice, A2aDialect); 4] = [
    (BindingChoice::JsonRpc, A2aDialect::V1),
    (BindingChoice::JsonRpc, A2aDialect::V03),
    (BindingChoice::HttpJson, A2aDialect::V1),
    (BindingChoice::HttpJson, A2aDialect::V03),
];

/// A task in the format of the binding and dialect.
fn task(way: (BindingChoice, A2aDialect)) -> Value {
    match way {
        (_, A2aDialect::V1) => {
            json!({"task": {"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_COMPLETED"}}})
        }
        (BindingChoice::JsonRpc, _) => {
            json!({"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "completed"}})
        }
        _ => json!({"task": {"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_COMPLETED"}}}),
    }
}

fn enveloped(way: (BindingChoice, A2aDialect), result: Value) -> Value {
    if way.0 == BindingChoice::JsonRpc { json!({"jsonrpc": "2.0", "id": 1, "result": result}) } else { result }
}

fn state(item: &StreamResponse<'_>) -> TaskState {
    item.task.as_ref().map(|task| task.status.state).unwrap()
}

#[tokio::test]
async fn single_response_instead_of_a_stream_is_one_event() {
    for way in WAYS {
        let server = ScriptedServer::start(move |_| Answer::json(enveloped(way, task(way)).to_string())).await;
        let peer = binding_for(&server, way, Arc::new(Anonymous));
        let mut stream = peer.stream(send_request("Hello"), &RequestMetadata::default()).await.unwrap();
        let heard = stream.next().await.unwrap().unwrap();
        assert_eq!((state(&heard.item), heard.cursor), (TaskState::Completed, None), "{way:?}");
        assert!(stream.next().await.is_none());
    }
}

#[tokio::test]
async fn named_events_comments_and_unknown_kinds_are_parsed() {
    for way in WAYS {
        let item = enveloped(way, task(way)).to_string();
        let later = enveloped(way, json!({"liveUpdate": {}, "kind": "task"})).to_string();
        let later = if way.1 == A2aDialect::V1 { format!("data: {later}\n\n") } else { String::new() };
        let body = format!(": hello\r\n\r\n{later}event: message\r\nid: 7\r\ndata: {item}\r\n\r\ndata:\n\n: bye\n\n");
        let server = ScriptedServer::start(move |_| Answer::events(&body)).await;
        let peer = binding_for(&server, way, Arc::new(Anonymous));
        let mut stream = peer.stream(send_request("Hello"), &RequestMetadata::default()).await.unwrap();
        let heard = stream.next().await.unwrap().unwrap();
        assert_eq!((state(&heard.item), heard.cursor.as_deref()), (TaskState::Completed, Some("7")), "{way:?}");
        assert!(stream.next().await.is_none(), "{way:?}");
    }
}

#[tokio::test]
async fn error_event_ends_the_stream() {
    for way in WAYS {
        let error = match way {
            (BindingChoice::JsonRpc, _) => {
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "gone"}})
            }
            (_, A2aDialect::V1) => json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "gone", "details": [
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND"}]}}),
            _ => json!({"code": -32001, "message": "gone"}),
        };
        let body =
            format!("data: {}\n\ndata: {error}\n\ndata: {}\n\n", enveloped(way, task(way)), enveloped(way, task(way)));
        let server = ScriptedServer::start(move |_| Answer::events(&body)).await;
        let peer = binding_for(&server, way, Arc::new(Anonymous));
        let mut stream = peer.stream(send_request("Hello"), &RequestMetadata::default()).await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        let error = stream.next().await.unwrap().unwrap_err();
        let expect = CallError::Refused { code: -32001, status: 404, message: "gone".to_owned(), retry_after: None };
        assert_eq!(error, expect, "{way:?}");
        assert!(stream.next().await.is_none());
    }
}

#[tokio::test]
async fn broken_stream_is_an_error_and_truncated_stream_ends() {
    for way in WAYS {
        let item = enveloped(way, task(way)).to_string();
        let server = ScriptedServer::start(move |request| {
            let body = format!("data: {item}\n\ndata: {{\"half");
            let answer = Answer::events(body);
            if request.body.contains("break") { answer.broken() } else { answer }
        })
        .await;
        let peer = binding_for(&server, way, Arc::new(Anonymous));
        let mut stream = peer.stream(send_request("break"), &RequestMetadata::default()).await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        let error = stream.next().await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::ConnectionLost(_)), "{way:?}: {error:?}");
        let mut stream = peer.stream(send_request("stop"), &RequestMetadata::default()).await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        assert!(stream.next().await.is_none(), "{way:?}");
    }
}

#[tokio::test]
async fn broken_and_invalid_responses_are_classified() {
    for way in WAYS {
        let whole = enveloped(way, task(way)).to_string();
        let server = ScriptedServer::start(move |request| match request.body.as_str() {
            body if body.contains("break") => Answer::json(&whole[..20]).broken(),
            body if body.contains("deep") => Answer::json("[".repeat(200)),
            body if body.contains("gateway") => Answer::new(502, "<html>bad gateway</html>"),
            body if body.contains("page") => Answer::new(404, "<html>\n nothing   here</html>"),
            body if body.contains("busy") => Answer::new(503, "later").with("retry-after", "7"),
            _ => Answer::json("\"hello\""),
        })
        .await;
        let peer = binding_for(&server, way, Arc::new(Anonymous));
        let with = RequestMetadata::default();
        let broken = peer.send(send_request("break"), &with).await.unwrap_err();
        assert!(matches!(broken, CallError::ConnectionLost(_)), "{way:?}: {broken:?}");
        for nonsense in ["deep", "nonsense"] {
            let error = peer.send(send_request(nonsense), &with).await.unwrap_err();
            assert!(matches!(error, CallError::InvalidReply(_)), "{way:?}: {error:?}");
            let error = peer.stream(send_request(nonsense), &with).await.map(drop).unwrap_err();
            assert!(matches!(error, CallError::InvalidReply(_)), "{way:?}: {error:?}");
        }
        let gateway = peer.send(send_request("gateway"), &with).await.unwrap_err();
        assert!(matches!(gateway, CallError::ConnectionLost(_)), "{way:?}: {gateway:?}");
        for (asked, code, status, said_, retry_after) in [
            ("page", -32600, 404, "the remote agent answered 404 Not Found: <html> nothing here</html>", None),
            (
                "busy",
                -32603,
                503,
                "the remote agent answered 503 Service Unavailable: later",
                Some(Duration::from_secs(7)),
            ),
        ] {
            let error = peer.send(send_request(asked), &with).await.unwrap_err();
            let expect = CallError::Refused { code, status, message: said_.to_owned(), retry_after };
            assert_eq!(error, expect, "{way:?}");
        }
    }
}

#[tokio::test]
async fn rejected_credential_is_replaced_once_and_redacted() {
    for way in WAYS {
        let answer = enveloped(way, task(way)).to_string();
        let server = ScriptedServer::start(move |request| match request.header("authorization") {
            Some("Bearer key-2") => Answer::json(&answer),
            shown => Answer::new(401, format!("I do not know {}", shown.unwrap())),
        })
        .await;
        let keys = Arc::new(Keys::default());
        let peer = binding_for(&server, way, Arc::clone(&keys) as _);
        peer.send(send_request("Hello"), &RequestMetadata::default()).await.unwrap();
        assert_eq!(server.received().len(), 2, "{way:?}");
        let stubborn = ScriptedServer::start(|request| {
            Answer::new(401, format!("I do not know {}", request.header("authorization").unwrap()))
        })
        .await;
        let peer = binding_for(&stubborn, way, Arc::new(Keys::default()));
        let expect = CallError::Refused {
            code: -32600,
            status: 401,
            message: "the remote agent answered 401 Unauthorized: I do not know Bearer ...".to_owned(),
            retry_after: None,
        };
        assert_eq!(peer.send(send_request("Hello"), &RequestMetadata::default()).await.unwrap_err(), expect, "{way:?}");
        assert_eq!(stubborn.received().len(), 2, "exactly one retry");
        assert_eq!(
            peer.stream(send_request("Hello"), &RequestMetadata::default()).await.map(drop).unwrap_err(),
            expect,
            "{way:?}"
        );
    }
}

#[tokio::test]
async fn messages_and_credentials_do_not_follow_redirects_to_other_origins() {
    for way in WAYS {
        let stranger = ScriptedServer::start(|_| Answer::json("{}")).await;
        let to = stranger.url("/");
        let server = ScriptedServer::start(move |_| Answer::new(307, "").with("location", &to)).await;
        let peer = binding_for(&server, way, Arc::new(Keys::default()));
        for error in [
            peer.send(send_request("Hello"), &RequestMetadata::default()).await.map(drop).unwrap_err(),
            peer.stream(send_request("Hello"), &RequestMetadata::default()).await.map(drop).unwrap_err(),
            peer.get(get("t1"), &RequestMetadata::default()).await.map(drop).unwrap_err(),
        ] {
            assert!(matches!(error, CallError::Refused { status: 307, .. }), "{way:?}: {error:?}");
        }
        assert!(stranger.received().is_empty());
    }
}

#[tokio::test]
async fn subscription_falls_back_to_the_supported_method() {
    for dialect in [A2aDialect::V1, A2aDialect::V03] {
        let way = (BindingChoice::HttpJson, dialect);
        let item = task(way).to_string();
        let server = ScriptedServer::start(move |request| match request.method.as_str() {
            "POST" => Answer::events(format!("data: {item}\n\n")),
            _ => Answer::new(405, "no"),
        })
        .await;
        let peer = binding_for(&server, way, Arc::new(Anonymous));
        let subscribe = SubscribeToTaskRequest { id: "t1".into(), tenant: None };
        let mut stream = peer.subscribe(subscribe, &RequestMetadata::default()).await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
    }
}

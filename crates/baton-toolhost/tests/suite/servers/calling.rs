//! Calls: timeouts, keep-alive, cancellation.

use super::{
    script::{Script, text, tool},
    world::{eventually, name, single_server, status},
};
use baton_ports::ServerState;
use baton_toolhost::{CallObserver, CallOptions, McpServers, ServerError, ServerReply};
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::mpsc;

async fn call(servers: &McpServers, options: CallOptions) -> Result<CallToolResult, ServerError> {
    match servers.call_tool(&name(), "s", "t", options).await? {
        ServerReply::Done(result) => Ok(result),
        ServerReply::InputRequired { .. } => panic!("unexpected input request"),
    }
}

fn result_text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

#[derive(Default)]
struct ProgressRecorder(Mutex<Vec<f64>>);

impl CallObserver for ProgressRecorder {
    fn progress(&self, progress: ProgressNotificationParam) {
        self.0.lock().unwrap().push(progress.progress);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_timeout_and_arrives_in_order() {
    for era in ["modern", "legacy"] {
        let script = Script::new(move |mut wire| async move {
            match era {
                "modern" => wire.modern(json!([tool("t")])).await,
                _ => wire.legacy(json!([tool("t")])).await,
            }
            let call = wire.until("tools/call").await;
            let token = &call["params"]["_meta"]["progressToken"];
            assert!(!token.is_null());
            for done in 1..=5 {
                tokio::time::sleep(Duration::from_secs(100)).await;
                wire.send(json!({
                    "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": done, "total": 5},
                }))
                .await;
            }
            wire.answer(&call, text("done")).await;
            wire.wait().await;
        });
        let (_agents, servers) = single_server(&script);
        let heard = Arc::new(ProgressRecorder::default());
        let options = CallOptions { events: Some(Arc::clone(&heard) as _), ..CallOptions::default() };
        assert_eq!(result_text(&call(&servers, options).await.unwrap()), "done");
        assert_eq!(*heard.0.lock().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0], "{era}");
    }
}

/// A server that records messages from the call on.
fn recording_script(notes: mpsc::Sender<Value>, keeps_alive: bool) -> Script {
    Script::new(move |mut wire| {
        let notes = notes.clone();
        async move {
            wire.legacy(json!([tool("t")])).await;
            let call = wire.until("tools/call").await;
            let token = call["params"]["_meta"]["progressToken"].clone();
            notes.send(call).await.unwrap();
            loop {
                let sign = tokio::time::sleep(Duration::from_secs(60));
                tokio::select! {
                    message = wire.next() => match message {
                        Some(message) => notes.send(message).await.unwrap(),
                        None => return,
                    },
                    () = sign, if keeps_alive => wire.send(json!({
                        "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": {"progressToken": token, "progress": 1},
                    })).await,
                }
            }
        }
    })
}

#[tokio::test(start_paused = true)]
async fn timed_out_call_is_cancelled_at_the_server() {
    for (keeps_alive, limit) in [(false, 120), (true, 3600)] {
        let (notes, mut noted) = mpsc::channel(1000);
        let (_agents, servers) = single_server(&recording_script(notes, keeps_alive));
        let error = call(&servers, CallOptions::default()).await.unwrap_err();
        let expect = format!("the MCP server 's' did not answer within {limit}s");
        assert_eq!(error.to_string(), expect);
        let id = noted.recv().await.unwrap()["id"].clone();
        let cancelled = noted.recv().await.unwrap();
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_call_is_cancelled_at_the_server() {
    let (notes, mut noted) = mpsc::channel(1000);
    let (_agents, servers) = single_server(&recording_script(notes, false));
    let calling = tokio::spawn({
        let servers = servers.clone();
        async move { call(&servers, CallOptions::default()).await }
    });
    let id = noted.recv().await.unwrap()["id"].clone();
    calling.abort();
    let cancelled = noted.recv().await.unwrap();
    assert_eq!((&cancelled["method"], &cancelled["params"]["requestId"]), (&json!("notifications/cancelled"), &id));
}

#[tokio::test(start_paused = true)]
async fn lost_connection_fails_the_call_and_the_next_reconnects() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        let call = wire.until("tools/call").await;
        if wire.nth > 0 {
            wire.answer(&call, text("back")).await;
            wire.wait().await;
        }
    });
    let (_agents, servers) = single_server(&script);
    let error = call(&servers, CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, ServerError::Broken { .. }), "{error}");
    assert_eq!(result_text(&call(&servers, CallOptions::default()).await.unwrap()), "back");
}

#[tokio::test(start_paused = true)]
async fn failing_server_is_retried_only_on_demand() {
    let script = Script::new(|_| async {});
    let (_agents, servers) = single_server(&script);
    servers.start_servers(&name());
    let mut events = servers.events(&name());
    for _ in 0..1000 {
        if tokio::time::timeout(Duration::from_secs(3600), events.recv()).await.is_err() {
            break;
        }
    }
    // Each attempt opens two connections: a probe and an `initialize`.
    assert_eq!(script.opened(), 10);
    let error = call(&servers, CallOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("it closed the connection before it was ready; see its log"), "{error}");
    eventually(&servers, |statuses| statuses[0].state == ServerState::Failed && script.opened() > 10).await;
}

#[tokio::test(start_paused = true)]
async fn failure_reason_is_kept_during_a_retry() {
    let script = Script::new(|mut wire| async move {
        // The probe and the `initialize` fail.
        if wire.nth > 1 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            wire.legacy(json!([tool("t")])).await;
            wire.wait().await;
        }
    });
    let (_agents, servers) = single_server(&script);
    servers.start_servers(&name());
    while script.opened() < 3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let known = status(&servers, "s");
    assert_eq!(known.state, ServerState::Failed);
    assert_eq!(known.reason.as_deref(), Some("it closed the connection before it was ready"));
    eventually(&servers, |statuses| statuses[0].state == ServerState::Ready).await;
    let known = status(&servers, "s");
    assert_eq!((known.reason, known.hint), (None, None));
}

#[tokio::test(start_paused = true)]
async fn server_that_floods_with_requests_is_disconnected() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        if wire.nth == 0 {
            for id in 0..20_000 {
                wire.send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).await;
            }
        }
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    servers.start_servers(&name());
    eventually(&servers, |statuses| statuses[0].reason.as_deref().is_some_and(|reason| reason.contains("floods")))
        .await;
    eventually(&servers, |statuses| statuses[0].state == ServerState::Ready).await;
}

#[tokio::test(start_paused = true)]
async fn server_that_floods_with_messages_is_disconnected() {
    let script = Script::new(|mut wire| async move {
        wire.legacy(json!([tool("t")])).await;
        if wire.nth == 0 {
            for _ in 0..20_000 {
                wire.send(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}))
                    .await;
            }
        }
        wire.wait().await;
    });
    let (_agents, servers) = single_server(&script);
    servers.start_servers(&name());
    eventually(&servers, |statuses| statuses[0].reason.as_deref().is_some_and(|reason| reason.contains("floods")))
        .await;
    eventually(&servers, |statuses| statuses[0].state == ServerState::Ready).await;
}

//! The profile for kits of 0.3: tasks stay open, continue and can be canceled, over the three bindings of that version.

use super::{
    operations::{BINDINGS, Binding, MAX_EVENT, next_event},
    sut::{Sut, json, request},
};
use baton_encoding::sse::SseParser;
use baton_proto::v03::pb::{self, a2a_service_client::A2aServiceClient};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tonic::Streaming;

/// Headers of a 0.3 kit, without a version.
const HEADERS: [(&str, &str); 1] = [("content-type", "application/json")];

/// A task of 0.3, independent of the binding.
#[derive(Debug, PartialEq, Eq)]
struct Task {
    id: String,
    state: String,
    history: usize,
}

/// `TASK_STATE_INPUT_REQUIRED` and `input-required` are the same.
fn state_of(state: &str) -> String {
    state.trim_start_matches("TASK_STATE_").to_ascii_lowercase().replace('_', "-").replace("cancelled", "canceled")
}

fn task_of(task: &Value) -> Task {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("a task: {task:#}")).to_owned();
    let history = task["history"].as_array().map_or(0, Vec::len);
    Task { id: text(&task["id"]), state: state_of(&text(&task["status"]["state"])), history }
}

fn task_of_grpc(task: &pb::Task) -> Task {
    let state = task.status.as_ref().expect("a status").state();
    Task { id: task.id.clone(), state: state_of(state.as_str_name()), history: task.history.len() }
}

/// A message of a kit in the format of a binding.
fn message(binding: Binding, id: &str, text: &str, task: Option<&str>) -> Value {
    let mut message = match binding {
        Binding::JsonRpc => {
            json!({"kind": "message", "messageId": id, "role": "user", "parts": [{"kind": "text", "text": text}]})
        }
        Binding::Rest | Binding::Grpc => json!({"messageId": id, "role": "ROLE_USER", "content": [{"text": text}]}),
    };
    if let Some(task) = task {
        message["taskId"] = task.into();
    }
    json!({ "message": message })
}

fn grpc_message(id: &str, text: &str, task: Option<&str>) -> pb::SendMessageRequest {
    let message = pb::Message {
        message_id: id.to_owned(),
        role: pb::Role::User.into(),
        content: vec![pb::Part { part: Some(pb::part::Part::Text(text.to_owned())), ..pb::Part::default() }],
        task_id: task.unwrap_or_default().to_owned(),
        ..pb::Message::default()
    };
    pb::SendMessageRequest { request: Some(message), ..pb::SendMessageRequest::default() }
}

impl Sut {
    async fn old_grpc(&self) -> A2aServiceClient<super::sut::Channel> {
        let (service, origin) = self.channel().await;
        A2aServiceClient::with_origin(service, origin)
    }

    async fn old_rpc(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let body = json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params}).to_string();
        let (status, reply) = json(request("POST", &format!("{}/", self.url()), &HEADERS, &body).await).await;
        assert_eq!((status, &reply["id"]), (200, &json!("1")), "{reply:#}");
        if reply["error"].is_null() { Ok(reply["result"].clone()) } else { Err(reply["error"]["code"].clone()) }
    }

    async fn old_rest(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, reply) = json(request(method, &format!("{}/v1{path}", self.url()), &HEADERS, &body).await).await;
        if status == 200 { Ok(reply) } else { Err(reply) }
    }

    async fn send(&self, binding: Binding, id: &str, text: &str, task: Option<&str>) -> Task {
        let params = message(binding, id, text, task);
        match binding {
            Binding::JsonRpc => task_of(&self.old_rpc("message/send", &params).await.expect("a task")),
            Binding::Rest => task_of(&self.old_rest("POST", "/message:send", &params).await.expect("a task")["task"]),
            Binding::Grpc => {
                let sent = self.old_grpc().await.send_message(grpc_message(id, text, task)).await.expect("a task");
                match sent.into_inner().payload.expect("a payload") {
                    pb::send_message_response::Payload::Task(task) => task_of_grpc(&task),
                    other => panic!("a task: {other:?}"),
                }
            }
        }
    }

    async fn get(&self, binding: Binding, task: &str, history: u32) -> Task {
        match binding {
            Binding::JsonRpc => {
                let params = json!({"id": task, "historyLength": history});
                task_of(&self.old_rpc("tasks/get", &params).await.expect("a task"))
            }
            Binding::Rest => {
                let path = format!("/tasks/{task}?historyLength={history}");
                task_of(&self.old_rest("GET", &path, &Value::Null).await.expect("a task"))
            }
            Binding::Grpc => {
                let name = format!("tasks/{task}");
                let asked = pb::GetTaskRequest { name, history_length: i32::try_from(history).expect("small") };
                task_of_grpc(&self.old_grpc().await.get_task(asked).await.expect("a task").into_inner())
            }
        }
    }

    async fn cancel(&self, binding: Binding, task: &str) -> Task {
        match binding {
            Binding::JsonRpc => task_of(&self.old_rpc("tasks/cancel", &json!({"id": task})).await.expect("a task")),
            Binding::Rest => {
                let path = format!("/tasks/{task}:cancel");
                let name = json!({"name": format!("tasks/{task}")});
                task_of(&self.old_rest("POST", &path, &name).await.expect("a task"))
            }
            Binding::Grpc => {
                let asked = pb::CancelTaskRequest { name: format!("tasks/{task}") };
                task_of_grpc(&self.old_grpc().await.cancel_task(asked).await.expect("a task").into_inner())
            }
        }
    }

    async fn stream_message(&self, binding: Binding, id: &str, text: &str) -> OldEvents {
        let params = message(binding, id, text, None);
        match binding {
            Binding::JsonRpc => self.old_rpc_events("message/stream", &params).await,
            Binding::Rest => self.old_rest_events("POST", "/message:stream", &params.to_string()).await,
            Binding::Grpc => {
                let asked = grpc_message(id, text, None);
                let stream = self.old_grpc().await.send_streaming_message(asked).await.expect("a stream");
                OldEvents::Grpc(stream.into_inner())
            }
        }
    }

    async fn resubscribe(&self, binding: Binding, task: &str) -> OldEvents {
        match binding {
            Binding::JsonRpc => self.old_rpc_events("tasks/resubscribe", &json!({"id": task})).await,
            Binding::Rest => self.old_rest_events("GET", &format!("/tasks/{task}:subscribe"), "").await,
            Binding::Grpc => {
                let asked = pb::TaskSubscriptionRequest { name: format!("tasks/{task}") };
                OldEvents::Grpc(self.old_grpc().await.task_subscription(asked).await.expect("a stream").into_inner())
            }
        }
    }

    async fn old_rpc_events(&self, method: &str, params: &Value) -> OldEvents {
        let body = json!({"jsonrpc": "2.0", "id": "s", "method": method, "params": params}).to_string();
        let response = request("POST", &format!("{}/", self.url()), &HEADERS, &body).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        OldEvents::Sse { body: response.into_body(), parser: SseParser::new(MAX_EVENT), enveloped: true }
    }

    async fn old_rest_events(&self, method: &str, path: &str, body: &str) -> OldEvents {
        let response = request(method, &format!("{}/v1{path}", self.url()), &HEADERS, body).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        OldEvents::Sse { body: response.into_body(), parser: SseParser::new(MAX_EVENT), enveloped: false }
    }
}

/// Events of a stream of 0.3.
enum OldEvents {
    Sse { body: Incoming, parser: SseParser, enveloped: bool },
    Grpc(Streaming<pb::StreamResponse>),
}

impl OldEvents {
    /// The task and the state of the next event that has one.
    async fn next(&mut self) -> Option<(String, String)> {
        loop {
            let told = match self {
                Self::Grpc(stream) => {
                    use pb::stream_response::Payload;
                    match stream.message().await.expect("no fault")?.payload {
                        Some(Payload::Task(task)) => {
                            let task = task_of_grpc(&task);
                            Some((task.id, task.state))
                        }
                        Some(Payload::StatusUpdate(update)) => {
                            let state = update.status.as_ref().expect("a status").state();
                            Some((update.task_id.clone(), state_of(state.as_str_name())))
                        }
                        _ => None,
                    }
                }
                Self::Sse { body, parser, enveloped } => {
                    let data = next_event(body, parser).await?;
                    let event = if *enveloped { &data["result"] } else { &data };
                    let inner = ["task", "statusUpdate"].iter().map(|name| &event[*name]).find(|one| one.is_object());
                    let event = inner.unwrap_or(event);
                    let id = event["taskId"].as_str().or_else(|| event["id"].as_str());
                    let state = event["status"]["state"].as_str();
                    id.zip(state).map(|(id, state)| (id.to_owned(), state_of(state)))
                }
            };
            if told.is_some() {
                return told;
            }
        }
    }

    /// The states up to the end of the stream.
    async fn states(mut self) -> Vec<String> {
        let mut states = Vec::new();
        while let Some((_, state)) = self.next().await {
            states.push(state);
        }
        states
    }
}

#[tokio::test]
async fn open_tasks_continue_and_can_be_canceled() {
    let sut = Sut::start(Some("kit-0.3.yaml")).await;
    assert_eq!(sut.card["supportsAuthenticatedExtendedCard"], json!(false), "{:#}", sut.card);
    for binding in BINDINGS {
        // By the message id, or else by the text.
        let opened =
            sut.send(binding, "test-history-create-message-id-1f", "Initial message for history test", None).await;
        assert_eq!(opened.state, "input-required", "{binding:?}");
        for (number, id) in [(1, "test-history-message-1-2e"), (2, "continuation-message-id-3d"), (3, "4c5b6a")] {
            let text = format!("Follow-up message {number} for history test");
            let went_on = sut.send(binding, id, &text, Some(&opened.id)).await;
            assert_eq!((went_on.id.as_str(), went_on.state.as_str()), (opened.id.as_str(), "input-required"), "{id}");
        }
        assert_eq!(sut.get(binding, &opened.id, 2).await.history, 2, "{binding:?}");
        let whole = sut.get(binding, &opened.id, 100).await;
        assert!(whole.state == "input-required" && whole.history >= 4, "{binding:?}: {whole:?}");

        let canceled = sut.cancel(binding, &opened.id).await;
        assert_eq!((canceled.id.as_str(), canceled.state.as_str()), (opened.id.as_str(), "canceled"), "{binding:?}");
        assert_eq!(sut.get(binding, &opened.id, 1).await.state, "canceled", "{binding:?}");
        let by_text = sut.send(binding, "a-b-c", "Task for cancel test", None).await;
        assert_eq!(by_text.state, "input-required", "{binding:?}");
    }
}

#[tokio::test]
async fn streams_end_at_open_tasks_and_running_tasks_are_resubscribed() {
    let sut = Sut::start(Some("kit-0.3.yaml")).await;
    for binding in BINDINGS {
        let states = sut.stream_message(binding, "stream-message-id-1f", "Stream test message").await.states().await;
        assert_eq!(states.last().map(String::as_str), Some("input-required"), "{binding:?}: {states:?}");
        assert!(states.len() > 1, "{binding:?}: {states:?}");

        let mut first =
            sut.stream_message(binding, "test-resubscribe-message-id-2e", "Test message for resubscribe").await;
        let (task, state) = first.next().await.expect("an event");
        assert!(matches!(state.as_str(), "submitted" | "working"), "{binding:?}: {state}");
        let mut second = sut.resubscribe(binding, &task).await;
        let (again, state) = second.next().await.expect("an event");
        assert!(again == task && matches!(state.as_str(), "submitted" | "working"), "{binding:?}: {again} {state}");
        assert_eq!(sut.cancel(binding, &task).await.state, "canceled", "{binding:?}");
        for stream in [first, second] {
            let states = stream.states().await;
            assert_eq!(states.last().map(String::as_str), Some("canceled"), "{binding:?}: {states:?}");
        }
    }
}

#[tokio::test]
async fn ids_and_texts_of_other_kits_are_unaffected() {
    let sut = Sut::start(Some("kit-0.3.yaml")).await;
    for (id, text) in [("tck-complete-task-1f", "Task for completion"), ("m-1", "something else")] {
        assert_eq!(sut.send(Binding::JsonRpc, id, text, None).await.state, "completed", "{id}");
    }
    let gone = sut.old_rpc("tasks/get", &json!({"id": "nowhere"})).await;
    assert_eq!(gone, Err(json!(-32001)));
}

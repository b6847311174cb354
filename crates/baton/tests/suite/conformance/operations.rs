//! The operations in the three bindings; results are converted to the JSON of 1.0.

use super::{
    schema::assert_schema,
    sut::{Sut, json, request},
};
use baton_encoding::sse::SseParser;
use baton_proto::{error_from_status, v1::pb};
use baton_wire::a2a::v1;
use http_body_util::BodyExt as _;
use hyper::{Response, body::Incoming};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tonic::{Status, Streaming};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    JsonRpc,
    Rest,
    Grpc,
}

pub(super) const BINDINGS: [Binding; 3] = [Binding::JsonRpc, Binding::Rest, Binding::Grpc];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Send,
    Get,
    List,
    Cancel,
    CreatePush,
    GetPush,
    ListPush,
    DeletePush,
    Card,
}

/// The reason in the error details, which is the same in every binding.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rejection(pub(super) String);

const HEADERS: [(&str, &str); 2] = [("content-type", "application/json"), ("a2a-version", "1.0")];

fn read<T: DeserializeOwned>(params: &Value) -> T {
    serde_json::from_str(&params.to_string()).expect("parameters of 1.0")
}

fn to_json(value: impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(&value).expect("JSON")).expect("JSON")
}

/// The response of a gRPC call in the JSON of 1.0.
macro_rules! grpc {
    ($client:expr, $method:ident, $params:expr, $request:ty => $message:ty, $answer:ty) => {{
        let asked = <$message>::try_from(read::<$request>($params)).expect("a request");
        match $client.$method(asked).await {
            Ok(answer) => Ok(to_json(<$answer>::try_from(answer.into_inner()).expect("an answer"))),
            Err(status) => Err(rejection(&status)),
        }
    }};
}

fn rejection(status: &Status) -> Rejection {
    Rejection(error_from_status(status, baton_types::ErrorCode::SHARED_CODES).kind.reason().to_owned())
}

impl Sut {
    pub(super) async fn call(&self, binding: Binding, op: Op, params: &Value) -> Result<Value, Rejection> {
        let answer = match binding {
            Binding::JsonRpc => self.by_rpc(op, params).await,
            Binding::Rest => self.by_rest(op, params).await,
            Binding::Grpc => self.by_grpc(op, params).await,
        }?;
        match op {
            Op::Send => assert_schema::<v1::SendMessageResponse<'_>>(&answer),
            Op::Get | Op::Cancel => assert_schema::<v1::Task<'_>>(&answer),
            Op::List => assert_schema::<v1::ListTasksResponse<'_>>(&answer),
            Op::CreatePush | Op::GetPush => assert_schema::<v1::TaskPushNotificationConfig<'_>>(&answer),
            Op::ListPush => assert_schema::<v1::ListTaskPushNotificationConfigsResponse<'_>>(&answer),
            Op::Card => assert_schema::<v1::AgentCard>(&answer),
            Op::DeletePush => assert!(answer.is_null() || answer == json!({}), "{answer}"),
        }
        Ok(answer)
    }

    async fn by_rpc(&self, op: Op, params: &Value) -> Result<Value, Rejection> {
        let method = match op {
            Op::Send => "SendMessage",
            Op::Get => "GetTask",
            Op::List => "ListTasks",
            Op::Cancel => "CancelTask",
            Op::CreatePush => "CreateTaskPushNotificationConfig",
            Op::GetPush => "GetTaskPushNotificationConfig",
            Op::ListPush => "ListTaskPushNotificationConfigs",
            Op::DeletePush => "DeleteTaskPushNotificationConfig",
            Op::Card => "GetExtendedAgentCard",
        };
        let body = json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params}).to_string();
        // With a trailing slash, as kits send it.
        let (status, reply) = json(request("POST", &format!("{}/", self.json_rpc), &HEADERS, &body).await).await;
        assert_eq!((status, &reply["id"]), (200, &json!("1")));
        rpc_result(&reply)
    }

    async fn by_rest(&self, op: Op, params: &Value) -> Result<Value, Rejection> {
        let base = &self.rest;
        let word = |name: &str| params[name].as_str().unwrap_or_default();
        let query = |left_out: &[&str]| {
            let given = params.as_object().expect("an object").iter();
            let given = given.filter(|(name, _)| !left_out.contains(&name.as_str()));
            given
                .map(|(name, value)| format!("{name}={}", value.as_str().map_or(value.to_string(), str::to_owned)))
                .collect::<Vec<_>>()
                .join("&")
        };
        let configs = format!("{base}/tasks/{}/pushNotificationConfigs", word("taskId"));
        let (method, url, body) = match op {
            Op::Send => ("POST", format!("{base}/message:send"), params.to_string()),
            Op::Get => ("GET", format!("{base}/tasks/{}?{}", word("id"), query(&["id"])), String::new()),
            Op::List => ("GET", format!("{base}/tasks?{}", query(&[])), String::new()),
            // An empty body with a content type.
            Op::Cancel => ("POST", format!("{base}/tasks/{}:cancel", word("id")), String::new()),
            Op::CreatePush => {
                let mut body = params.clone();
                body.as_object_mut().expect("an object").remove("taskId");
                ("POST", configs, body.to_string())
            }
            Op::GetPush => ("GET", format!("{configs}/{}", word("id")), String::new()),
            Op::ListPush => ("GET", configs, String::new()),
            Op::DeletePush => ("DELETE", format!("{configs}/{}", word("id")), String::new()),
            Op::Card => ("GET", format!("{base}/extendedAgentCard"), String::new()),
        };
        let response = request(method, &url, &HEADERS, &body).await;
        assert_eq!(response.headers()["content-type"], "application/json", "{method} {url}");
        rest_result(json(response).await)
    }

    async fn by_grpc(&self, op: Op, params: &Value) -> Result<Value, Rejection> {
        let mut client = self.grpc().await;
        match op {
            Op::Send => {
                grpc!(client, send_message, params, v1::SendMessageRequest<'_> => pb::SendMessageRequest, v1::SendMessageResponse<'_>)
            }
            Op::Get => grpc!(client, get_task, params, v1::GetTaskRequest<'_> => pb::GetTaskRequest, v1::Task<'_>),
            Op::List => {
                grpc!(client, list_tasks, params, v1::ListTasksRequest<'_> => pb::ListTasksRequest, v1::ListTasksResponse<'_>)
            }
            Op::Cancel => {
                grpc!(client, cancel_task, params, v1::CancelTaskRequest<'_> => pb::CancelTaskRequest, v1::Task<'_>)
            }
            Op::CreatePush => {
                grpc!(client, create_task_push_notification_config, params, v1::TaskPushNotificationConfig<'_> => pb::TaskPushNotificationConfig, v1::TaskPushNotificationConfig<'_>)
            }
            Op::GetPush => {
                grpc!(client, get_task_push_notification_config, params, v1::TaskPushNotificationConfigRequest<'_> => pb::GetTaskPushNotificationConfigRequest, v1::TaskPushNotificationConfig<'_>)
            }
            Op::ListPush => {
                grpc!(client, list_task_push_notification_configs, params, v1::ListTaskPushNotificationConfigsRequest<'_> => pb::ListTaskPushNotificationConfigsRequest, v1::ListTaskPushNotificationConfigsResponse<'_>)
            }
            Op::DeletePush => {
                let asked = read::<v1::TaskPushNotificationConfigRequest<'_>>(params);
                let asked = pb::DeleteTaskPushNotificationConfigRequest::try_from(asked).expect("a request");
                let deleted = client.delete_task_push_notification_config(asked).await;
                deleted.map(|_| Value::Null).map_err(|status| rejection(&status))
            }
            Op::Card => {
                grpc!(client, get_extended_agent_card, params, v1::GetExtendedAgentCardRequest<'_> => pb::GetExtendedAgentCardRequest, v1::AgentCard)
            }
        }
    }

    /// A streaming send.
    pub(super) async fn stream(&self, binding: Binding, params: &Value) -> Result<Events, Rejection> {
        match binding {
            Binding::JsonRpc => self.rpc_events("SendStreamingMessage", params).await,
            Binding::Rest => {
                let url = format!("{}/message:stream", self.rest);
                rest_events(request("POST", &url, &HEADERS, &params.to_string()).await).await
            }
            Binding::Grpc => {
                let asked =
                    pb::SendMessageRequest::try_from(read::<v1::SendMessageRequest<'_>>(params)).expect("a request");
                let answer = self.grpc().await.send_streaming_message(asked).await;
                answer.map(|answer| Events::Grpc(answer.into_inner())).map_err(|status| rejection(&status))
            }
        }
    }

    /// A subscription.
    pub(super) async fn subscribe(&self, binding: Binding, task: &str) -> Result<Events, Rejection> {
        match binding {
            Binding::JsonRpc => self.rpc_events("SubscribeToTask", &json!({"id": task})).await,
            Binding::Rest => {
                let url = format!("{}/tasks/{task}:subscribe", self.rest);
                rest_events(request("POST", &url, &HEADERS, "").await).await
            }
            Binding::Grpc => {
                let asked = pb::SubscribeToTaskRequest { id: task.to_owned(), tenant: String::new() };
                let answer = self.grpc().await.subscribe_to_task(asked).await;
                answer.map(|answer| Events::Grpc(answer.into_inner())).map_err(|status| rejection(&status))
            }
        }
    }

    async fn rpc_events(&self, method: &str, params: &Value) -> Result<Events, Rejection> {
        let body = json!({"jsonrpc": "2.0", "id": "s", "method": method, "params": params}).to_string();
        let response = request("POST", &self.json_rpc, &HEADERS, &body).await;
        if response.headers()["content-type"] == "text/event-stream" {
            return Ok(Events::Sse { body: response.into_body(), parser: SseParser::new(MAX_EVENT), enveloped: true });
        }
        // A rejection before the stream starts is an ordinary response.
        assert_eq!(response.headers()["content-type"], "application/json");
        Err(rpc_result(&json(response).await.1).expect_err("a refusal"))
    }
}

fn rpc_result(reply: &Value) -> Result<Value, Rejection> {
    let Some(error) = reply.get("error") else { return Ok(reply["result"].clone()) };
    let members: Vec<_> = error.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(members, ["code", "message", "data"]);
    Err(Rejection(error["data"][0]["reason"].as_str().expect("a reason").to_owned()))
}

fn rest_result((status, body): (u16, Value)) -> Result<Value, Rejection> {
    if status == 200 {
        return Ok(body);
    }
    let error = &body["error"];
    assert_eq!(error["code"], status);
    Err(Rejection(error["details"][0]["reason"].as_str().expect("a reason").to_owned()))
}

async fn rest_events(response: Response<Incoming>) -> Result<Events, Rejection> {
    if response.headers()["content-type"] == "text/event-stream" {
        return Ok(Events::Sse { body: response.into_body(), parser: SseParser::new(MAX_EVENT), enveloped: false });
    }
    Err(rest_result(json(response).await).expect_err("a refusal"))
}

/// Maximum size of an event, in bytes.
pub(super) const MAX_EVENT: usize = 1024 * 1024;

/// Stream responses as they arrive.
pub(super) enum Events {
    Sse { body: Incoming, parser: SseParser, enveloped: bool },
    Grpc(Streaming<pb::StreamResponse>),
}

impl Events {
    pub(super) async fn next(&mut self) -> Option<Value> {
        let event = match self {
            Self::Grpc(stream) => {
                let message = stream.message().await.expect("no fault")?;
                to_json(v1::StreamResponse::try_from(message).expect("a stream response"))
            }
            Self::Sse { body, parser, enveloped } => {
                let data = next_event(body, parser).await?;
                if *enveloped { rpc_result(&data).expect("a result") } else { data }
            }
        };
        assert_schema::<v1::StreamResponse<'_>>(&event);
        Some(event)
    }

    /// All events up to the end of the stream.
    pub(super) async fn all(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// The data of the next event of a stream.
pub(super) async fn next_event(body: &mut Incoming, parser: &mut SseParser) -> Option<Value> {
    loop {
        if let Some(event) = parser.next() {
            return Some(serde_json::from_str(&event.data).expect("JSON"));
        }
        let frame = body.frame().await?.expect("no fault");
        parser.feed(&frame.into_data().unwrap_or_default()).expect("an event stream");
    }
}

/// The parameters of a send, as a kit sends them.
pub(super) fn send_params(id: &str, text: &str) -> Value {
    json!({"message": {"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]}})
}

//! HTTP+JSON, 1.0.

use super::{
    super::{
        operation::{Answer, AnswerBody, ClientRequest, Operation, Result},
        world::{Place, World},
    },
    http::{ReplyBody, exchange, items, query, segment},
    refusal,
};
use baton_wire::a2a::v1::{ErrorKind, RestError};
use http::Method;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub(super) async fn ask(world: &World, ask: &ClientRequest) -> Answer {
    let base = match world.place {
        Place::Sole => "",
        Place::Named => "/agents/weather",
        Place::Tenant => "/weather",
    };
    let (method, path, body) = encode(ask);
    let extensions = ask.extensions.join(",");
    let headers = [("a2a-version", "1.0"), ("a2a-extensions", extensions.as_str())];
    let reply = exchange(world, ask, (method, format!("{base}{path}")), body, &headers).await;
    let body = match reply.body {
        ReplyBody::Events(body) => AnswerBody::Stream(items(body, |data| (serde_json::from_str(data).unwrap(), None))),
        ReplyBody::Text(text) if reply.status == 200 => AnswerBody::Unary(Box::new(read(&ask.operation, &text))),
        ReplyBody::Text(text) => {
            let error = parse_body::<RestError>(&text).into_object();
            let code = |kind: ErrorKind| kind.http_status() == reply.status && -i32::from(reply.status) == error.code;
            AnswerBody::Unary(Box::new(Result::Refused(refusal(&error, code))))
        }
    };
    Answer { acknowledged: reply.acknowledged, body }
}

/// Method, path and body of a request.
fn encode(ask: &ClientRequest) -> (Method, String, Option<String>) {
    let (get, post) = (Method::GET, Method::POST);
    let task = |id: &str| format!("/tasks/{}", segment(id));
    let configs = |id: &str| format!("{}/pushNotificationConfigs", task(id));
    let config = |id: &str, config: &str| format!("{}/{}", configs(id), segment(config));
    match &ask.operation {
        Operation::Send(request) => (post, "/message:send".to_owned(), Some(json(request))),
        Operation::Stream(request) => (post, "/message:stream".to_owned(), Some(json(request))),
        Operation::Get(request) => (get, task(&request.id) + &query(request, &["id"]), None),
        Operation::List(request) => (get, format!("/tasks{}", query(request, &[])), None),
        Operation::Cancel(request) => (post, task(&request.id) + ":cancel", Some(json(request))),
        Operation::Subscribe(request) if ask.alternate => (post, task(&request.id) + ":subscribe", None),
        Operation::Subscribe(request) => (get, task(&request.id) + ":subscribe", None),
        Operation::CreatePush(request) => (post, configs(&request.task_id), Some(json(request))),
        Operation::GetPush(request) => (get, config(&request.task_id, &request.id), None),
        Operation::ListPush(request) => (get, configs(&request.task_id) + &query(request, &["taskId"]), None),
        Operation::DeletePush(request) => (Method::DELETE, config(&request.task_id, &request.id), None),
        Operation::Card => (get, "/extendedAgentCard".to_owned(), None),
    }
}

fn json(request: &impl Serialize) -> String {
    serde_json::to_string(request).unwrap()
}

pub(super) fn parse_body<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn read(operation: &Operation, text: &str) -> Result {
    match operation {
        Operation::Send(_) => Result::Sent(parse_body(text)),
        Operation::Stream(_) | Operation::Subscribe(_) => panic!("no stream: {text}"),
        Operation::Get(_) | Operation::Cancel(_) => Result::Task(parse_body(text)),
        Operation::List(_) => Result::Page(parse_body(text)),
        Operation::CreatePush(_) | Operation::GetPush(_) => Result::Push(parse_body(text)),
        Operation::ListPush(_) => Result::Pushes(parse_body(text)),
        Operation::DeletePush(_) => {
            assert_eq!(parse_body::<Value>(text), serde_json::json!({}));
            Result::Deleted
        }
        Operation::Card => Result::Card(parse_body(text)),
    }
}

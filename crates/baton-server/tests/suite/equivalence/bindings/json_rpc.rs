//! JSON-RPC, 1.0.

use super::{
    super::{
        operation::{Answer, AnswerBody, ClientRequest, Operation, Result},
        world::{Place, World},
    },
    http::{ReplyBody, exchange, items},
    refusal,
};
use baton_wire::{
    a2a::v1::{ErrorKind, StreamResponse},
    jsonrpc,
};
use http::Method;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub(super) async fn ask(world: &World, ask: &ClientRequest) -> Answer {
    let (method, params) = match &ask.operation {
        Operation::Send(request) => ("SendMessage", params(request)),
        Operation::Stream(request) => ("SendStreamingMessage", params(request)),
        Operation::Get(request) => ("GetTask", params(request)),
        Operation::List(request) => ("ListTasks", params(request)),
        Operation::Cancel(request) => ("CancelTask", params(request)),
        Operation::Subscribe(request) => ("SubscribeToTask", params(request)),
        Operation::CreatePush(request) => ("CreateTaskPushNotificationConfig", params(request)),
        Operation::GetPush(request) => ("GetTaskPushNotificationConfig", params(request)),
        Operation::ListPush(request) => ("ListTaskPushNotificationConfigs", params(request)),
        Operation::DeletePush(request) => ("DeleteTaskPushNotificationConfig", params(request)),
        Operation::Card => ("GetExtendedAgentCard", "{}".to_owned()),
    };
    let (path, params) = match world.place {
        Place::Sole => ("/", params),
        Place::Named => ("/agents/weather", params),
        Place::Tenant => ("/", params.replacen('{', r#"{"tenant":"weather","#, 1).replace(",}", "}")),
    };
    let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let extensions = ask.extensions.join(", ");
    let headers = [("a2a-version", "1.0"), ("a2a-extensions", extensions.as_str())];
    let reply = exchange(world, ask, (Method::POST, path.to_owned()), Some(body), &headers).await;
    let body = match reply.body {
        ReplyBody::Events(body) => {
            AnswerBody::Stream(items(body, |data| (result::<StreamResponse<'_>>(data).unwrap(), None)))
        }
        ReplyBody::Text(text) => AnswerBody::Unary(Box::new(read(&ask.operation, &text))),
    };
    Answer { acknowledged: reply.acknowledged, body }
}

fn params(request: &impl Serialize) -> String {
    serde_json::to_string(request).unwrap()
}

pub(in super::super) fn result<T: DeserializeOwned>(
    text: &str,
) -> std::result::Result<T, baton_wire::a2a::v1::ErrorObject> {
    assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":7,"#), "{text}");
    let reply: jsonrpc::RpcResponse<'_> = serde_json::from_str(text).unwrap();
    match (reply.result, reply.error) {
        (Some(result), None) => Ok(serde_json::from_str(result.get()).unwrap()),
        (None, Some(error)) => Err(error),
        // `null` is a valid result and deserializes as `None`.
        (None, None) => Ok(serde_json::from_str("null").unwrap()),
        both => panic!("{both:?}"),
    }
}

fn read(operation: &Operation, text: &str) -> Result {
    let read = match operation {
        Operation::Send(_) => result(text).map(Result::Sent),
        Operation::Stream(_) | Operation::Subscribe(_) => result(text).map(|()| Result::Deleted),
        Operation::Get(_) | Operation::Cancel(_) => result(text).map(Result::Task),
        Operation::List(_) => result(text).map(Result::Page),
        Operation::CreatePush(_) | Operation::GetPush(_) => result(text).map(Result::Push),
        Operation::ListPush(_) => result(text).map(Result::Pushes),
        Operation::DeletePush(_) => result(text).map(|value: Value| {
            assert_eq!(value, serde_json::json!({}));
            Result::Deleted
        }),
        Operation::Card => result(text).map(Result::Card),
    };
    let code = |kind: ErrorKind, code: i32| code == kind.rpc_code();
    read.unwrap_or_else(|error| Result::Refused(refusal(&error, |kind| code(kind, error.code))))
}

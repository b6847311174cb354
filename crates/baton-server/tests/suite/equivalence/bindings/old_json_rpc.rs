//! JSON-RPC, 0.3.

use super::{
    super::{
        operation::{Answer, AnswerBody, ClientRequest, Operation, Result},
        world::{Place, World},
    },
    http::{ReplyBody, exchange, items},
    json_rpc::result,
    old_history, refusal,
};
use baton_wire::a2a::{
    v1::{Error, ErrorKind, SendMessageRequest},
    v03,
};
use http::Method;
use serde::Serialize;

pub(super) async fn ask(world: &World, ask: &ClientRequest) -> Option<Answer> {
    let (method, params) = encode(ask)?;
    let path = if world.place == Place::Sole { "/" } else { "/agents/weather" };
    let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let extensions = ask.extensions.join(", ");
    let mut headers = vec![("x-a2a-extensions", extensions.as_str())];
    headers.extend(ask.alternate.then_some(("a2a-version", "0.3.0")));
    let reply = exchange(world, ask, (Method::POST, path.to_owned()), Some(body), &headers).await;
    let body = match reply.body {
        ReplyBody::Events(body) => AnswerBody::Stream(items(body, |data| {
            let item = result::<v03::StreamItem<'_>>(data).unwrap();
            let is_final = item.is_final();
            (item.into_v1().unwrap(), Some(is_final))
        })),
        ReplyBody::Text(text) => AnswerBody::Unary(Box::new(read(&ask.operation, &text))),
    };
    Some(Answer { acknowledged: reply.acknowledged, body })
}

fn encode(ask: &ClientRequest) -> Option<(&'static str, String)> {
    Some(match &ask.operation {
        Operation::Send(request) => ("message/send", json(&send(ask, request))),
        Operation::Stream(request) => ("message/stream", json(&send(ask, request))),
        Operation::Get(request) => {
            let mut params = v03::TaskQueryParams::from(request.clone());
            params.history_length = all_of(ask, old_history(request.history_length));
            ("tasks/get", json(&params))
        }
        Operation::List(_) => return None,
        // 0.3 has no pages of push configurations.
        Operation::ListPush(request) if request.page_size.unwrap_or(0) != 0 || request.page_token.is_some() => {
            return None;
        }
        Operation::Cancel(request) => ("tasks/cancel", json(&v03::TaskIdParams::from(request.clone()))),
        Operation::Subscribe(request) => ("tasks/resubscribe", json(&v03::TaskIdParams::from(request.clone()))),
        Operation::CreatePush(config) => {
            ("tasks/pushNotificationConfig/set", json(&v03::TaskPushNotificationConfig::from(config.clone())))
        }
        Operation::GetPush(request) => {
            ("tasks/pushNotificationConfig/get", json(&v03::GetPushParams::from(request.clone())))
        }
        Operation::ListPush(request) => {
            ("tasks/pushNotificationConfig/list", json(&v03::TaskIdParams::from(request.clone())))
        }
        Operation::DeletePush(request) => {
            ("tasks/pushNotificationConfig/delete", json(&v03::DeletePushParams::from(request.clone())))
        }
        Operation::Card => ("agent/getAuthenticatedExtendedCard", "{}".to_owned()),
    })
}

fn send(ask: &ClientRequest, request: &SendMessageRequest<'static>) -> v03::MessageSendParams<'static> {
    let mut params = v03::MessageSendParams::from(request.clone());
    if let Some(configuration) = &mut params.configuration {
        configuration.history_length = all_of(ask, configuration.history_length);
    }
    params
}

/// The whole history is requested with 0 or without a length.
fn all_of(ask: &ClientRequest, length: Option<i32>) -> Option<i32> {
    length.or(ask.alternate.then_some(0))
}

fn json(request: &impl Serialize) -> String {
    serde_json::to_string(request).unwrap()
}

fn read(operation: &Operation, text: &str) -> Result {
    let read = match operation {
        Operation::Send(_) => result(text).map(|sent: v03::SendResult<'_>| Result::Sent(sent.into_v1().unwrap())),
        Operation::Stream(_) | Operation::Subscribe(_) => result(text).map(|()| Result::Deleted),
        Operation::Get(_) | Operation::Cancel(_) => {
            result(text).map(|task: v03::Task<'_>| Result::Task(task.into_v1().unwrap()))
        }
        Operation::List(_) => panic!("0.3 lists nothing"),
        Operation::CreatePush(_) | Operation::GetPush(_) => {
            result(text).map(|config: v03::TaskPushNotificationConfig<'_>| Result::Push(config.into_v1()))
        }
        Operation::ListPush(_) => {
            result(text).map(|configs: v03::TaskPushNotificationConfigs<'_>| Result::Pushes(configs.into_v1()))
        }
        Operation::DeletePush(_) => result(text).map(|()| Result::Deleted),
        Operation::Card => result(text).map(|card: v03::AgentCard| Result::Card(Box::new(card.into_v1()))),
    };
    read.unwrap_or_else(|error| Result::Refused(refusal(&error, |kind| code_of(kind) == error.code)))
}

/// Error code of a kind in 0.3.
pub(super) fn code_of(kind: ErrorKind) -> i32 {
    v03::error_object(&Error::new(kind, baton_types::ErrorCode::INTERNAL, "")).code
}

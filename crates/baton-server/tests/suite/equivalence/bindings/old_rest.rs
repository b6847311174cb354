//! HTTP+JSON, 0.3.

use super::{
    super::{
        operation::{Answer, AnswerBody, ClientRequest, Operation, Result},
        world::{Place, World},
    },
    http::{ReplyBody, exchange, items, query, segment},
    old_history,
    old_json_rpc::code_of,
    refusal,
    rest::parse_body,
};
use baton_wire::a2a::{
    v1::{ErrorKind, ErrorObject, SendMessageRequest},
    v03::{self, rest},
};
use http::Method;
use serde::Serialize;
use serde_json::Value;

pub(super) async fn ask(world: &World, ask: &ClientRequest) -> Option<Answer> {
    let (method, path, body) = encode(ask)?;
    let base = if world.place == Place::Sole { "/v1" } else { "/agents/weather/v1" };
    let extensions = ask.extensions.join(",");
    let mut headers = vec![("x-a2a-extensions", extensions.as_str())];
    headers.extend(ask.alternate.then_some(("a2a-version", "0.3")));
    let reply = exchange(world, ask, (method, format!("{base}{path}")), body, &headers).await;
    let body = match reply.body {
        ReplyBody::Events(body) => AnswerBody::Stream(items(body, |data| {
            let item: rest::StreamResponse<'_> = parse_body(data);
            let is_final = item.is_final();
            (item.into_v1().unwrap(), Some(is_final))
        })),
        ReplyBody::Text(text) if reply.status == 200 => AnswerBody::Unary(Box::new(read(&ask.operation, &text))),
        ReplyBody::Text(text) => {
            let error: ErrorObject = parse_body(&text);
            let code = |kind: ErrorKind| rest::http_status(kind) == reply.status && code_of(kind) == error.code;
            AnswerBody::Unary(Box::new(Result::Refused(refusal(&error, code))))
        }
    };
    Some(Answer { acknowledged: reply.acknowledged, body })
}

/// Method, path and body of a request.
fn encode(ask: &ClientRequest) -> Option<(Method, String, Option<String>)> {
    let (get, post) = (Method::GET, Method::POST);
    let task = |id: &str| format!("/tasks/{}", segment(id));
    let configs = |id: &str| format!("{}/pushNotificationConfigs", task(id));
    let config = |id: &str, config: &str| format!("{}/{}", configs(id), segment(config));
    Some(match &ask.operation {
        Operation::Send(request) => (post, "/message:send".to_owned(), Some(json(&send(ask, request)))),
        Operation::Stream(request) => (post, "/message:stream".to_owned(), Some(json(&send(ask, request)))),
        Operation::Get(request) => {
            let length = old_history(request.history_length).or(ask.alternate.then_some(0));
            let query = length.map(|length| format!("?historyLength={length}")).unwrap_or_default();
            (get, task(&request.id) + &query, None)
        }
        Operation::List(_) => return None,
        Operation::Cancel(request) => {
            let name = serde_json::json!({"name": rest::task_name(&request.id)});
            (post, task(&request.id) + ":cancel", Some(name.to_string()))
        }
        Operation::Subscribe(request) if ask.alternate => (post, task(&request.id) + ":subscribe", None),
        Operation::Subscribe(request) => (get, task(&request.id) + ":subscribe", None),
        Operation::CreatePush(request) => {
            let created = rest::CreatePushRequest::from(request.clone());
            let body = if ask.alternate { json(&created.config) } else { json(&created) };
            (post, configs(&request.task_id), Some(body))
        }
        Operation::GetPush(request) => (get, config(&request.task_id, &request.id), None),
        Operation::ListPush(request) => (get, configs(&request.task_id) + &query(request, &["taskId"]), None),
        Operation::DeletePush(request) => (Method::DELETE, config(&request.task_id, &request.id), None),
        Operation::Card => (get, "/card".to_owned(), None),
    })
}

fn send(ask: &ClientRequest, request: &SendMessageRequest<'static>) -> rest::SendMessageRequest<'static> {
    let mut body = rest::SendMessageRequest::from(request.clone());
    if let Some(configuration) = &mut body.configuration {
        configuration.history_length = configuration.history_length.or(ask.alternate.then_some(0));
    }
    body
}

fn json(request: &impl Serialize) -> String {
    serde_json::to_string(request).unwrap()
}

fn read(operation: &Operation, text: &str) -> Result {
    match operation {
        Operation::Send(_) => Result::Sent(parse_body::<rest::SendMessageResponse<'_>>(text).into_v1().unwrap()),
        Operation::Stream(_) | Operation::Subscribe(_) => panic!("no stream: {text}"),
        Operation::Get(_) | Operation::Cancel(_) => Result::Task(parse_body::<rest::Task<'_>>(text).into_v1().unwrap()),
        Operation::List(_) => panic!("0.3 lists nothing"),
        Operation::CreatePush(_) | Operation::GetPush(_) => {
            Result::Push(parse_body::<rest::TaskPushNotificationConfig<'_>>(text).into_v1())
        }
        Operation::ListPush(_) => Result::Pushes(parse_body::<rest::ListPushResponse<'_>>(text).into_v1()),
        Operation::DeletePush(_) => {
            assert_eq!(parse_body::<Value>(text), serde_json::json!({}));
            Result::Deleted
        }
        Operation::Card => Result::Card(Box::new(parse_body::<v03::AgentCard>(text).into_v1())),
    }
}

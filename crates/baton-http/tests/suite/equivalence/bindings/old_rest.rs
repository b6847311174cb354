//! HTTP+JSON, 0.3.

use super::{
    super::{
        ask::{Answer, Arriving, Ask, Operation, Result},
        world::{Place, World},
    },
    http::{Reading, exchange, items, query, segment},
    old_history,
    old_json_rpc::code_of,
    refusal,
    rest::whole,
};
use baton_wire::a2a::{
    v1::{ErrorKind, ErrorObject, SendMessageRequest},
    v03::{self, rest},
};
use http::Method;
use serde::Serialize;
use serde_json::Value;

pub(super) async fn ask(world: &World, ask: &Ask) -> Option<Answer> {
    let (method, path, body) = said(ask)?;
    let base = if world.place == Place::Sole { "/v1" } else { "/agents/weather/v1" };
    let extensions = ask.extensions.join(",");
    let mut headers = vec![("x-a2a-extensions", extensions.as_str())];
    headers.extend(ask.otherwise.then_some(("a2a-version", "0.3")));
    let reply = exchange(world, ask, (method, format!("{base}{path}")), body, &headers).await;
    let arriving = match reply.body {
        Reading::Events(body) => Arriving::Piecemeal(items(body, |data| {
            let item: rest::StreamResponse<'_> = whole(data);
            let is_final = item.is_final();
            (item.into_v1().unwrap(), Some(is_final))
        })),
        Reading::Text(text) if reply.status == 200 => Arriving::Whole(Box::new(read(&ask.operation, &text))),
        Reading::Text(text) => {
            let error: ErrorObject = whole(&text);
            let code = |kind: ErrorKind| rest::http_status(kind) == reply.status && code_of(kind) == error.code;
            Arriving::Whole(Box::new(Result::Refused(refusal(&error, code))))
        }
    };
    Some(Answer { acknowledged: reply.acknowledged, arriving })
}

/// Method, path and body.
fn said(ask: &Ask) -> Option<(Method, String, Option<String>)> {
    let (get, post) = (Method::GET, Method::POST);
    let task = |id: &str| format!("/tasks/{}", segment(id));
    let configs = |id: &str| format!("{}/pushNotificationConfigs", task(id));
    let config = |id: &str, config: &str| format!("{}/{}", configs(id), segment(config));
    Some(match &ask.operation {
        Operation::Send(request) => (post, "/message:send".to_owned(), Some(json(&send(ask, request)))),
        Operation::Stream(request) => (post, "/message:stream".to_owned(), Some(json(&send(ask, request)))),
        Operation::Get(request) => {
            let length = old_history(request.history_length).or(ask.otherwise.then_some(0));
            let query = length.map(|length| format!("?historyLength={length}")).unwrap_or_default();
            (get, task(&request.id) + &query, None)
        }
        Operation::List(_) => return None,
        Operation::Cancel(request) => {
            let name = serde_json::json!({"name": rest::task_name(&request.id)});
            (post, task(&request.id) + ":cancel", Some(name.to_string()))
        }
        Operation::Subscribe(request) if ask.otherwise => (post, task(&request.id) + ":subscribe", None),
        Operation::Subscribe(request) => (get, task(&request.id) + ":subscribe", None),
        Operation::CreatePush(request) => {
            let created = rest::CreatePushRequest::from(request.clone());
            let body = if ask.otherwise { json(&created.config) } else { json(&created) };
            (post, configs(&request.task_id), Some(body))
        }
        Operation::GetPush(request) => (get, config(&request.task_id, &request.id), None),
        Operation::ListPush(request) => (get, configs(&request.task_id) + &query(request, &["taskId"]), None),
        Operation::DeletePush(request) => (Method::DELETE, config(&request.task_id, &request.id), None),
        Operation::Card => (get, "/card".to_owned(), None),
    })
}

fn send(ask: &Ask, request: &SendMessageRequest<'static>) -> rest::SendMessageRequest<'static> {
    let mut body = rest::SendMessageRequest::from(request.clone());
    if let Some(configuration) = &mut body.configuration {
        configuration.history_length = configuration.history_length.or(ask.otherwise.then_some(0));
    }
    body
}

fn json(request: &impl Serialize) -> String {
    serde_json::to_string(request).unwrap()
}

fn read(operation: &Operation, text: &str) -> Result {
    match operation {
        Operation::Send(_) => Result::Sent(whole::<rest::SendMessageResponse<'_>>(text).into_v1().unwrap()),
        Operation::Stream(_) | Operation::Subscribe(_) => panic!("no stream: {text}"),
        Operation::Get(_) | Operation::Cancel(_) => Result::Task(whole::<rest::Task<'_>>(text).into_v1().unwrap()),
        Operation::List(_) => panic!("0.3 lists nothing"),
        Operation::CreatePush(_) | Operation::GetPush(_) => {
            Result::Push(whole::<rest::TaskPushNotificationConfig<'_>>(text).into_v1())
        }
        Operation::ListPush(_) => Result::Pushes(whole::<rest::ListPushResponse<'_>>(text).into_v1()),
        Operation::DeletePush(_) => {
            assert_eq!(whole::<Value>(text), serde_json::json!({}));
            Result::Deleted
        }
        Operation::Card => Result::Card(Box::new(whole::<v03::AgentCard>(text).into_v1())),
    }
}

//! Paths of A2A 0.3, all under `v1`; bodies are the JSON form of its protocol buffers.

use super::{
    super::{
        ops::{self, ShownTask, TaskStreamItem},
        sse::{self, EventEncoder},
        version::A2aVersion,
    },
    request::{RestRequest, answer},
    v1::named_push,
};
use crate::{cards::CardForm, state::A2aState};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_types::{PushConfig, TaskId};
use baton_wire::a2a::{
    v1::{self, CancelTaskRequest, Error, GetTaskRequest, SubscribeToTaskRequest},
    v03::rest,
};
use serde_json::json;
use std::sync::Arc;

type AppState = State<Arc<A2aState>>;

/// `POST /v1/message:send`.
pub(super) async fn send(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        let request = rest_request.body::<rest::SendMessageRequest<'static>>()?.into_v1()?;
        let shown = ops::send(&rest_request.call(), request).await?;
        Ok(rest_request.json(&rest::SendMessageResponse::from(shown.response())))
    })
    .await
}

/// `POST /v1/message:stream`.
pub(super) async fn stream(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        let request = rest_request.body::<rest::SendMessageRequest<'static>>()?.into_v1()?;
        Ok(sse::response(ops::stream(&rest_request.call(), request).await?, V03RestEncoder))
    })
    .await
}

/// `GET /v1/tasks/{task}` and `GET /v1/tasks/{task}:subscribe`.
pub(super) async fn task_get(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| match rest_request.verb.as_deref() {
        None => {
            let mut request: GetTaskRequest<'static> = rest_request.query()?;
            // In protocol buffers, 0 means that the number is unset.
            request.history_length = request.history_length.filter(|length| *length != 0);
            let request = GetTaskRequest { id: rest_request.task.clone().into(), ..request };
            let shown = ops::get(&rest_request.call(), request).await?;
            Ok(task(rest_request, &shown))
        }
        Some("subscribe") => subscribe(rest_request).await,
        Some(_) => Err(rest_request.no_such_verb()),
    })
    .await
}

/// `POST /v1/tasks/{task}:cancel` and `POST /v1/tasks/{task}:subscribe`.
pub(super) async fn task_post(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| match rest_request.verb.as_deref() {
        Some("cancel") => {
            let request = CancelTaskRequest { id: rest_request.task.clone().into(), ..CancelTaskRequest::default() };
            let shown = ops::cancel(&rest_request.call(), request).await?;
            Ok(task(rest_request, &shown))
        }
        Some("subscribe") => subscribe(rest_request).await,
        _ => Err(rest_request.no_such_verb()),
    })
    .await
}

/// `POST /v1/tasks/{task}/pushNotificationConfigs`.
pub(super) async fn create_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        let request = rest_request.body::<rest::CreatePushRequest<'static>>()?.into_v1();
        let request = v1::TaskPushNotificationConfig { task_id: rest_request.task.clone().into(), ..request };
        let (task, config) = ops::create_push(&rest_request.call(), request).await?;
        Ok(rest_request.json(&shown_push(&task, &config)))
    })
    .await
}

/// `GET /v1/tasks/{task}/pushNotificationConfigs`.
pub(super) async fn list_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        let request: v1::ListTaskPushNotificationConfigsRequest<'static> = rest_request.query()?;
        let task_id = rest_request.task.clone().into();
        let request = v1::ListTaskPushNotificationConfigsRequest { tenant: None, task_id, ..request };
        let shown = ops::list_push(&rest_request.call(), request).await?;
        Ok(rest_request.json(&rest::ListPushResponse::from(shown.response())))
    })
    .await
}

/// `GET /v1/tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn get_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        let (task, config) = ops::get_push(&rest_request.call(), named_push(rest_request)).await?;
        Ok(rest_request.json(&shown_push(&task, &config)))
    })
    .await
}

/// `DELETE /v1/tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn delete_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        ops::delete_push(&rest_request.call(), named_push(rest_request)).await?;
        Ok(rest_request.json(&json!({})))
    })
    .await
}

/// `GET /v1/card`: the extended card.
pub(super) async fn card(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |rest_request| {
        Ok(rest_request.json(&ops::extended_card(&rest_request.call(), &Default::default(), CardForm::V03)?))
    })
    .await
}

async fn subscribe(rest_request: &mut RestRequest) -> Result<Response, Error> {
    let request = SubscribeToTaskRequest { tenant: None, id: rest_request.task.clone().into() };
    Ok(sse::response(ops::subscribe(&rest_request.call(), request).await?, V03RestEncoder))
}

fn task(rest_request: &RestRequest, shown: &ShownTask) -> Response {
    rest_request.json(&rest::Task::from(shown.task()))
}

fn shown_push<'a>(task: &'a TaskId, config: &'a PushConfig) -> rest::TaskPushNotificationConfig<'a> {
    v1::TaskPushNotificationConfig::from_config(task, config).into()
}

/// Writes every event as a plain stream response.
struct V03RestEncoder;

impl EventEncoder for V03RestEncoder {
    fn write(&self, out: &mut Vec<u8>, item: TaskStreamItem<'_>) {
        // Writing to memory fails only for values that are not valid JSON; these always are.
        let _ = serde_json::to_writer(out, &rest::StreamResponse::from_v1(item.item, item.last));
    }
}

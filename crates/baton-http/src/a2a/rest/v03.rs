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
use crate::{app::HttpState, cards::CardForm};
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

type AppState = State<Arc<HttpState>>;

/// `POST /v1/message:send`.
pub(super) async fn send(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        let request = asked.body::<rest::SendMessageRequest<'static>>()?.into_v1()?;
        let shown = ops::send(&asked.call(), request).await?;
        Ok(asked.json(&rest::SendMessageResponse::from(shown.response())))
    })
    .await
}

/// `POST /v1/message:stream`.
pub(super) async fn stream(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        let request = asked.body::<rest::SendMessageRequest<'static>>()?.into_v1()?;
        Ok(sse::response(ops::stream(&asked.call(), request).await?, V03RestEncoder))
    })
    .await
}

/// `GET /v1/tasks/{task}` and `GET /v1/tasks/{task}:subscribe`.
pub(super) async fn task_get(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| match asked.verb.as_deref() {
        None => {
            let mut request: GetTaskRequest<'static> = asked.query()?;
            // In protocol buffers, 0 means that the number is unset.
            request.history_length = request.history_length.filter(|wanted| *wanted != 0);
            let request = GetTaskRequest { id: asked.task.clone().into(), ..request };
            let shown = ops::get(&asked.call(), request).await?;
            Ok(task(asked, &shown))
        }
        Some("subscribe") => subscribe(asked).await,
        Some(_) => Err(asked.no_such_verb()),
    })
    .await
}

/// `POST /v1/tasks/{task}:cancel` and `POST /v1/tasks/{task}:subscribe`.
pub(super) async fn task_post(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| match asked.verb.as_deref() {
        Some("cancel") => {
            let request = CancelTaskRequest { id: asked.task.clone().into(), ..CancelTaskRequest::default() };
            let shown = ops::cancel(&asked.call(), request).await?;
            Ok(task(asked, &shown))
        }
        Some("subscribe") => subscribe(asked).await,
        _ => Err(asked.no_such_verb()),
    })
    .await
}

/// `POST /v1/tasks/{task}/pushNotificationConfigs`.
pub(super) async fn create_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        let request = asked.body::<rest::CreatePushRequest<'static>>()?.into_v1();
        let request = v1::TaskPushNotificationConfig { task_id: asked.task.clone().into(), ..request };
        let (task, config) = ops::create_push(&asked.call(), request).await?;
        Ok(asked.json(&shown_push(&task, &config)))
    })
    .await
}

/// `GET /v1/tasks/{task}/pushNotificationConfigs`.
pub(super) async fn list_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        let request: v1::ListTaskPushNotificationConfigsRequest<'static> = asked.query()?;
        let task_id = asked.task.clone().into();
        let request = v1::ListTaskPushNotificationConfigsRequest { tenant: None, task_id, ..request };
        let shown = ops::list_push(&asked.call(), request).await?;
        Ok(asked.json(&rest::ListPushResponse::from(shown.response())))
    })
    .await
}

/// `GET /v1/tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn get_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        let (task, config) = ops::get_push(&asked.call(), named_push(asked)).await?;
        Ok(asked.json(&shown_push(&task, &config)))
    })
    .await
}

/// `DELETE /v1/tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn delete_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        ops::delete_push(&asked.call(), named_push(asked)).await?;
        Ok(asked.json(&json!({})))
    })
    .await
}

/// `GET /v1/card`: the extended card.
pub(super) async fn card(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V03, request, async |asked| {
        Ok(asked.json(&ops::extended_card(&asked.call(), &Default::default(), CardForm::V03)?))
    })
    .await
}

async fn subscribe(asked: &mut RestRequest) -> Result<Response, Error> {
    let request = SubscribeToTaskRequest { tenant: None, id: asked.task.clone().into() };
    Ok(sse::response(ops::subscribe(&asked.call(), request).await?, V03RestEncoder))
}

fn task(asked: &RestRequest, shown: &ShownTask) -> Response {
    asked.json(&rest::Task::from(shown.task()))
}

fn shown_push<'a>(task: &'a TaskId, config: &'a PushConfig) -> rest::TaskPushNotificationConfig<'a> {
    v1::TaskPushNotificationConfig::from_config(task, config).into()
}

/// Writes every event as a plain stream response.
struct V03RestEncoder;

impl EventEncoder for V03RestEncoder {
    fn write(&self, out: &mut Vec<u8>, told: TaskStreamItem<'_>) {
        // Writing to memory fails only for values that are not valid JSON; these always are.
        let _ = serde_json::to_writer(out, &rest::StreamResponse::from_v1(told.item, told.last));
    }
}

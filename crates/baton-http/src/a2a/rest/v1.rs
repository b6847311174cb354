//! Paths of A2A 1.0.

use super::{
    super::{
        ops::{self, ShownTask, TaskStreamItem},
        sse::{self, EventEncoder},
        version::A2aVersion,
    },
    request::{RestRequest, answer},
};
use crate::{app::HttpState, cards::CardForm};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_wire::a2a::v1::{
    CancelTaskRequest, Error, GetExtendedAgentCardRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
    TaskPushNotificationConfigRequest,
};
use serde_json::json;
use std::{borrow::Cow, sync::Arc};

type AppState = State<Arc<HttpState>>;

/// `POST /message:send`.
pub(super) async fn send(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let request: SendMessageRequest<'static> = asked.body()?;
        let request = SendMessageRequest { tenant: tenant(asked).or(request.tenant), ..request };
        let shown = ops::send(&asked.call(), request).await?;
        Ok(asked.json(&shown.response()))
    })
    .await
}

/// `POST /message:stream`.
pub(super) async fn stream(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let request: SendMessageRequest<'static> = asked.body()?;
        let request = SendMessageRequest { tenant: tenant(asked).or(request.tenant), ..request };
        Ok(sse::response(ops::stream(&asked.call(), request).await?, V1RestEncoder))
    })
    .await
}

/// `GET /tasks`.
pub(super) async fn list(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let request: ListTasksRequest<'static> = asked.query()?;
        let request = ListTasksRequest { tenant: tenant(asked).or(request.tenant), ..request };
        let shown = ops::list(&asked.call(), request).await?;
        Ok(asked.json(&shown.response()))
    })
    .await
}

/// `GET /tasks/{task}` and `GET /tasks/{task}:subscribe`.
pub(super) async fn task_get(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| match asked.verb.as_deref() {
        None => {
            let request: GetTaskRequest<'static> = asked.query()?;
            let request =
                GetTaskRequest { tenant: tenant(asked).or(request.tenant), id: asked.task.clone().into(), ..request };
            let shown = ops::get(&asked.call(), request).await?;
            Ok(task(asked, &shown))
        }
        Some("subscribe") => subscribe(asked).await,
        Some(_) => Err(asked.no_such_verb()),
    })
    .await
}

/// `POST /tasks/{task}:cancel` and `POST /tasks/{task}:subscribe`.
pub(super) async fn task_post(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| match asked.verb.as_deref() {
        Some("cancel") => {
            let request: CancelTaskRequest<'static> = asked.body_or_default()?;
            let request = CancelTaskRequest {
                tenant: tenant(asked).or(request.tenant),
                id: asked.task.clone().into(),
                ..request
            };
            let shown = ops::cancel(&asked.call(), request).await?;
            Ok(task(asked, &shown))
        }
        Some("subscribe") => subscribe(asked).await,
        _ => Err(asked.no_such_verb()),
    })
    .await
}

/// `POST /tasks/{task}/pushNotificationConfigs`.
pub(super) async fn create_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let request: TaskPushNotificationConfig<'static> = asked.body()?;
        let request = TaskPushNotificationConfig {
            tenant: tenant(asked).or(request.tenant),
            task_id: asked.task.clone().into(),
            ..request
        };
        let (task, config) = ops::create_push(&asked.call(), request).await?;
        Ok(asked.json(&TaskPushNotificationConfig::from_config(&task, &config)))
    })
    .await
}

/// `GET /tasks/{task}/pushNotificationConfigs`.
pub(super) async fn list_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let request: ListTaskPushNotificationConfigsRequest<'static> = asked.query()?;
        let request = ListTaskPushNotificationConfigsRequest {
            tenant: tenant(asked).or(request.tenant),
            task_id: asked.task.clone().into(),
            ..request
        };
        Ok(asked.json(&ops::list_push(&asked.call(), request).await?.response()))
    })
    .await
}

/// `GET /tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn get_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let (task, config) = ops::get_push(&asked.call(), named_push(asked)).await?;
        Ok(asked.json(&TaskPushNotificationConfig::from_config(&task, &config)))
    })
    .await
}

/// `DELETE /tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn delete_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        ops::delete_push(&asked.call(), named_push(asked)).await?;
        Ok(asked.json(&json!({})))
    })
    .await
}

/// `GET /extendedAgentCard`.
pub(super) async fn extended_card(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |asked| {
        let request = GetExtendedAgentCardRequest { tenant: tenant(asked) };
        Ok(asked.json(&ops::extended_card(&asked.call(), &request, CardForm::V1)?))
    })
    .await
}

async fn subscribe(asked: &mut RestRequest) -> Result<Response, Error> {
    let request = SubscribeToTaskRequest { tenant: tenant(asked), id: asked.task.clone().into() };
    Ok(sse::response(ops::subscribe(&asked.call(), request).await?, V1RestEncoder))
}

fn task(asked: &RestRequest, shown: &ShownTask) -> Response {
    asked.json(&shown.task())
}

/// Tenant from the path, which takes precedence over the body.
fn tenant(asked: &RestRequest) -> Option<Cow<'static, str>> {
    asked.tenant.clone().map(Cow::Owned)
}

pub(super) fn named_push(asked: &RestRequest) -> TaskPushNotificationConfigRequest<'static> {
    TaskPushNotificationConfigRequest {
        tenant: tenant(asked),
        task_id: asked.task.clone().into(),
        id: asked.config.clone().into(),
    }
}

/// Writes every event as a plain stream response.
struct V1RestEncoder;

impl EventEncoder for V1RestEncoder {
    fn write(&self, out: &mut Vec<u8>, told: TaskStreamItem<'_>) {
        // Writing to memory fails only for values that are not valid JSON; these always are.
        let _ = serde_json::to_writer(out, &told.item);
    }
}

//! Paths of A2A 1.0.

use super::{
    super::{
        ops::{self, ShownTask, TaskStreamItem},
        sse::{self, EventEncoder},
        version::A2aVersion,
    },
    request::{RestRequest, answer},
};
use crate::{cards::CardForm, state::A2aState};
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

type AppState = State<Arc<A2aState>>;

/// `POST /message:send`.
pub(super) async fn send(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let request: SendMessageRequest<'static> = rest_request.body()?;
        let request = SendMessageRequest { tenant: tenant(rest_request).or(request.tenant), ..request };
        let shown = ops::send(&rest_request.call(), request).await?;
        Ok(rest_request.json(&shown.response()))
    })
    .await
}

/// `POST /message:stream`.
pub(super) async fn stream(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let request: SendMessageRequest<'static> = rest_request.body()?;
        let request = SendMessageRequest { tenant: tenant(rest_request).or(request.tenant), ..request };
        Ok(sse::response(ops::stream(&rest_request.call(), request).await?, V1RestEncoder))
    })
    .await
}

/// `GET /tasks`.
pub(super) async fn list(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let request: ListTasksRequest<'static> = rest_request.query()?;
        let request = ListTasksRequest { tenant: tenant(rest_request).or(request.tenant), ..request };
        let shown = ops::list(&rest_request.call(), request).await?;
        Ok(rest_request.json(&shown.response()))
    })
    .await
}

/// `GET /tasks/{task}` and `GET /tasks/{task}:subscribe`.
pub(super) async fn task_get(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| match rest_request.verb.as_deref() {
        None => {
            let request: GetTaskRequest<'static> = rest_request.query()?;
            let request = GetTaskRequest {
                tenant: tenant(rest_request).or(request.tenant),
                id: rest_request.task.clone().into(),
                ..request
            };
            let shown = ops::get(&rest_request.call(), request).await?;
            Ok(task(rest_request, &shown))
        }
        Some("subscribe") => subscribe(rest_request).await,
        Some(_) => Err(rest_request.no_such_verb()),
    })
    .await
}

/// `POST /tasks/{task}:cancel` and `POST /tasks/{task}:subscribe`.
pub(super) async fn task_post(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| match rest_request.verb.as_deref() {
        Some("cancel") => {
            let request: CancelTaskRequest<'static> = rest_request.body_or_default()?;
            let request = CancelTaskRequest {
                tenant: tenant(rest_request).or(request.tenant),
                id: rest_request.task.clone().into(),
                ..request
            };
            let shown = ops::cancel(&rest_request.call(), request).await?;
            Ok(task(rest_request, &shown))
        }
        Some("subscribe") => subscribe(rest_request).await,
        _ => Err(rest_request.no_such_verb()),
    })
    .await
}

/// `POST /tasks/{task}/pushNotificationConfigs`.
pub(super) async fn create_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let request: TaskPushNotificationConfig<'static> = rest_request.body()?;
        let request = TaskPushNotificationConfig {
            tenant: tenant(rest_request).or(request.tenant),
            task_id: rest_request.task.clone().into(),
            ..request
        };
        let (task, config) = ops::create_push(&rest_request.call(), request).await?;
        Ok(rest_request.json(&TaskPushNotificationConfig::from_config(&task, &config)))
    })
    .await
}

/// `GET /tasks/{task}/pushNotificationConfigs`.
pub(super) async fn list_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let request: ListTaskPushNotificationConfigsRequest<'static> = rest_request.query()?;
        let request = ListTaskPushNotificationConfigsRequest {
            tenant: tenant(rest_request).or(request.tenant),
            task_id: rest_request.task.clone().into(),
            ..request
        };
        Ok(rest_request.json(&ops::list_push(&rest_request.call(), request).await?.response()))
    })
    .await
}

/// `GET /tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn get_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let (task, config) = ops::get_push(&rest_request.call(), named_push(rest_request)).await?;
        Ok(rest_request.json(&TaskPushNotificationConfig::from_config(&task, &config)))
    })
    .await
}

/// `DELETE /tasks/{task}/pushNotificationConfigs/{config}`.
pub(super) async fn delete_push(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        ops::delete_push(&rest_request.call(), named_push(rest_request)).await?;
        Ok(rest_request.json(&json!({})))
    })
    .await
}

/// `GET /extendedAgentCard`.
pub(super) async fn extended_card(State(shared): AppState, request: Request) -> Response {
    answer(shared, A2aVersion::V1, request, async |rest_request| {
        let request = GetExtendedAgentCardRequest { tenant: tenant(rest_request) };
        Ok(rest_request.json(&ops::extended_card(&rest_request.call(), &request, CardForm::V1)?))
    })
    .await
}

async fn subscribe(rest_request: &mut RestRequest) -> Result<Response, Error> {
    let request = SubscribeToTaskRequest { tenant: tenant(rest_request), id: rest_request.task.clone().into() };
    Ok(sse::response(ops::subscribe(&rest_request.call(), request).await?, V1RestEncoder))
}

fn task(rest_request: &RestRequest, shown: &ShownTask) -> Response {
    rest_request.json(&shown.task())
}

/// Tenant from the path, which takes precedence over the body.
fn tenant(rest_request: &RestRequest) -> Option<Cow<'static, str>> {
    rest_request.tenant.clone().map(Cow::Owned)
}

pub(super) fn named_push(rest_request: &RestRequest) -> TaskPushNotificationConfigRequest<'static> {
    TaskPushNotificationConfigRequest {
        tenant: tenant(rest_request),
        task_id: rest_request.task.clone().into(),
        id: rest_request.config.clone().into(),
    }
}

/// Writes every event as a plain stream response.
struct V1RestEncoder;

impl EventEncoder for V1RestEncoder {
    fn write(&self, out: &mut Vec<u8>, item: TaskStreamItem<'_>) {
        // Writing to memory fails only for values that are not valid JSON; these always are.
        let _ = serde_json::to_writer(out, &item.item);
    }
}

//! Methods of A2A 0.3, also used for 0.2.

use super::{JsonRpcId, envelope::JsonRpcParams, method::unknown_method, v1::result};
use crate::{
    call::A2aCall,
    cards::CardForm,
    operation::A2aOperation,
    ops::{self, TaskStreamItem},
    reply,
    sse::{self, EventEncoder},
};
use axum::response::Response;
use baton_types::{PushConfig, TaskId};
use baton_wire::{
    a2a::{
        v1::{self, Error},
        v03,
    },
    jsonrpc,
};
use serde_json::value::RawValue;

pub(super) async fn answer(
    call: &A2aCall<'_>,
    id: JsonRpcId<'_>,
    operation: A2aOperation,
    params: JsonRpcParams,
) -> Result<Response, Error> {
    Ok(match operation {
        A2aOperation::Send => {
            let request = params.read::<v03::MessageSendParams<'static>>()?.into_v1()?;
            result(id, &v03::SendResult::from(ops::send(call, request).await?.response()))
        }
        A2aOperation::Stream => {
            let request = params.read::<v03::MessageSendParams<'static>>()?.into_v1()?;
            stream(id, ops::stream(call, request).await?)
        }
        A2aOperation::Subscribe => {
            let named = params.read::<v03::TaskIdParams<'static>>()?;
            named.check()?;
            stream(id, ops::subscribe(call, named.into_subscribe()).await?)
        }
        A2aOperation::Get => {
            let shown = ops::get(call, params.read::<v03::TaskQueryParams<'static>>()?.into_v1()).await?;
            result(id, &v03::Task::from(shown.task()))
        }
        A2aOperation::Cancel => {
            let named = params.read::<v03::TaskIdParams<'static>>()?;
            named.check()?;
            let shown = ops::cancel(call, named.into_cancel()).await?;
            result(id, &v03::Task::from(shown.task()))
        }
        A2aOperation::CreatePush => {
            let request = params.read::<v03::TaskPushNotificationConfig<'static>>()?;
            request.check()?;
            let (task, config) = ops::create_push(call, request.into_v1()).await?;
            result(id, &shown_push(&task, &config))
        }
        A2aOperation::GetPush => {
            let (task, config) = get_push(call, params).await?;
            result(id, &shown_push(&task, &config))
        }
        A2aOperation::ListPush => {
            let named = params.read::<v03::TaskIdParams<'static>>()?;
            named.check()?;
            let shown = ops::list_push(call, named.into_list_push()).await?;
            result(id, &v03::TaskPushNotificationConfigs::from(shown.response()))
        }
        A2aOperation::DeletePush => {
            let named = params.read::<v03::DeletePushParams<'static>>()?;
            named.check()?;
            ops::delete_push(call, named.into_v1()).await?;
            result(id, &())
        }
        A2aOperation::ExtendedCard => result(id, &ops::extended_card(call, &Default::default(), CardForm::V03)?),
        A2aOperation::List => return Err(unknown_method("tasks/list")),
    })
}

/// In 0.3 the configuration id is optional; the default is the first configuration.
async fn get_push(call: &A2aCall<'_>, params: JsonRpcParams) -> Result<(TaskId, PushConfig), Error> {
    let named = params.read::<v03::GetPushParams<'static>>()?;
    named.check()?;
    let (task_id, config) = named.into_v1();
    if config.is_none() {
        let request = v1::ListTaskPushNotificationConfigsRequest { task_id: task_id.clone(), ..Default::default() };
        if let Some(first) = ops::list_push(call, request).await?.into_first() {
            return Ok(first);
        }
    }
    let id = config.unwrap_or_else(|| task_id.clone());
    ops::get_push(call, v1::TaskPushNotificationConfigRequest { tenant: None, task_id, id }).await
}

fn shown_push<'a>(task: &'a TaskId, config: &'a PushConfig) -> v03::TaskPushNotificationConfig<'a> {
    v1::TaskPushNotificationConfig::from_config(task, config).into()
}

/// Error reply with error codes of 0.3.
pub(super) fn refusal(id: JsonRpcId<'_>, error: &Error) -> Response {
    let mut bytes = Vec::with_capacity(512);
    jsonrpc::write_error_object(&mut bytes, id, &v03::error_object(error));
    reply::rpc_bytes(bytes, error)
}

fn stream(id: JsonRpcId<'_>, following: ops::TaskStream) -> Response {
    sse::response(following, V03RpcEncoder { id: id.map(ToOwned::to_owned) })
}

/// Writes every event as a complete reply to the request.
struct V03RpcEncoder {
    id: Option<Box<RawValue>>,
}

impl EventEncoder for V03RpcEncoder {
    fn write(&self, out: &mut Vec<u8>, item: TaskStreamItem<'_>) {
        jsonrpc::write_result(out, self.id.as_deref(), &v03::StreamItem::from_v1(item.item, item.last));
    }
}

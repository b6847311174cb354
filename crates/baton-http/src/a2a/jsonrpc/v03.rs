//! Methods of A2A 0.3, also used for 0.2.

use super::{Id, envelope::Params, method::unknown, v1::result};
use crate::{
    a2a::{
        call::Call,
        operation::Operation,
        ops::{self, Told},
        sse::{self, Frame},
    },
    cards::CardForm,
    reply,
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
    call: &Call<'_>,
    id: Id<'_>,
    operation: Operation,
    params: Params,
) -> Result<Response, Error> {
    Ok(match operation {
        Operation::Send => {
            let request = params.read::<v03::MessageSendParams<'static>>()?.into_v1()?;
            result(id, &v03::SendResult::from(ops::send(call, request).await?.response()))
        }
        Operation::Stream => {
            let request = params.read::<v03::MessageSendParams<'static>>()?.into_v1()?;
            stream(id, ops::stream(call, request).await?)
        }
        Operation::Subscribe => {
            let named = params.read::<v03::TaskIdParams<'static>>()?;
            named.check()?;
            stream(id, ops::subscribe(call, named.into_subscribe()).await?)
        }
        Operation::Get => {
            let shown = ops::get(call, params.read::<v03::TaskQueryParams<'static>>()?.into_v1()).await?;
            result(id, &v03::Task::from(shown.task()))
        }
        Operation::Cancel => {
            let named = params.read::<v03::TaskIdParams<'static>>()?;
            named.check()?;
            let shown = ops::cancel(call, named.into_cancel()).await?;
            result(id, &v03::Task::from(shown.task()))
        }
        Operation::CreatePush => {
            let given = params.read::<v03::TaskPushNotificationConfig<'static>>()?;
            given.check()?;
            let (task, config) = ops::create_push(call, given.into_v1()).await?;
            result(id, &shown_push(&task, &config))
        }
        Operation::GetPush => {
            let (task, config) = get_push(call, params).await?;
            result(id, &shown_push(&task, &config))
        }
        Operation::ListPush => {
            let named = params.read::<v03::TaskIdParams<'static>>()?;
            named.check()?;
            let shown = ops::list_push(call, named.into_list_push()).await?;
            result(id, &v03::TaskPushNotificationConfigs::from(shown.response()))
        }
        Operation::DeletePush => {
            let named = params.read::<v03::DeletePushParams<'static>>()?;
            named.check()?;
            ops::delete_push(call, named.into_v1()).await?;
            result(id, &())
        }
        Operation::ExtendedCard => result(id, &ops::extended_card(call, &Default::default(), CardForm::V03)?),
        Operation::List => return Err(unknown("tasks/list")),
    })
}

/// In 0.3 the configuration id is optional; the default is the first configuration.
async fn get_push(call: &Call<'_>, params: Params) -> Result<(TaskId, PushConfig), Error> {
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
    v1::TaskPushNotificationConfig::of(task, config).into()
}

/// Error reply with error codes of 0.3.
pub(super) fn refusal(id: Id<'_>, error: &Error) -> Response {
    let mut bytes = Vec::with_capacity(512);
    jsonrpc::write_error_object(&mut bytes, id, &v03::error_object(error));
    reply::rpc_bytes(bytes, error)
}

fn stream(id: Id<'_>, following: ops::Following) -> Response {
    sse::response(following, Reply { id: id.map(ToOwned::to_owned) })
}

/// Writes every event as a complete reply to the request.
struct Reply {
    id: Option<Box<RawValue>>,
}

impl Frame for Reply {
    fn write(&self, out: &mut Vec<u8>, told: Told<'_>) {
        jsonrpc::write_result(out, self.id.as_deref(), &v03::StreamItem::of(told.item, told.last));
    }
}

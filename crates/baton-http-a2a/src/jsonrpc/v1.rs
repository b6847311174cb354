//! Methods of A2A 1.0.

use super::{JsonRpcId, envelope::JsonRpcParams};
use crate::{
    call::A2aCall,
    cards::CardForm,
    operation::A2aOperation,
    ops::{self, TaskStreamItem},
    reply,
    sse::{self, EventEncoder},
};
use axum::response::Response;
use baton_wire::{
    a2a::v1::{Error, TaskPushNotificationConfig},
    jsonrpc,
};
use serde::Serialize;
use serde_json::{json, value::RawValue};

pub(super) async fn answer(
    call: &A2aCall<'_>,
    id: JsonRpcId<'_>,
    operation: A2aOperation,
    params: JsonRpcParams,
) -> Result<Response, Error> {
    Ok(match operation {
        A2aOperation::Send => result(id, &ops::send(call, params.read()?).await?.response()),
        A2aOperation::Stream => stream(id, ops::stream(call, params.read()?).await?),
        A2aOperation::Subscribe => stream(id, ops::subscribe(call, params.read()?).await?),
        A2aOperation::Get => result(id, &ops::get(call, params.read()?).await?.task()),
        A2aOperation::Cancel => result(id, &ops::cancel(call, params.read()?).await?.task()),
        A2aOperation::List => result(id, &ops::list(call, params.read()?).await?.response()),
        A2aOperation::CreatePush => {
            let (task, config) = ops::create_push(call, params.read()?).await?;
            result(id, &TaskPushNotificationConfig::from_config(&task, &config))
        }
        A2aOperation::GetPush => {
            let (task, config) = ops::get_push(call, params.read()?).await?;
            result(id, &TaskPushNotificationConfig::from_config(&task, &config))
        }
        A2aOperation::ListPush => result(id, &ops::list_push(call, params.read()?).await?.response()),
        A2aOperation::DeletePush => {
            ops::delete_push(call, params.read()?).await?;
            result(id, &json!({}))
        }
        A2aOperation::ExtendedCard => result(id, &ops::extended_card(call, &params.read()?, CardForm::V1)?),
    })
}

pub(super) fn result(id: JsonRpcId<'_>, value: &impl Serialize) -> Response {
    let mut bytes = Vec::with_capacity(1024);
    jsonrpc::write_result(&mut bytes, id, value);
    reply::json_bytes(bytes)
}

fn stream(id: JsonRpcId<'_>, following: ops::TaskStream) -> Response {
    sse::response(following, V1RpcEncoder { id: id.map(ToOwned::to_owned) })
}

/// Writes every event as a complete reply to the request.
struct V1RpcEncoder {
    id: Option<Box<RawValue>>,
}

impl EventEncoder for V1RpcEncoder {
    fn write(&self, out: &mut Vec<u8>, item: TaskStreamItem<'_>) {
        jsonrpc::write_result(out, self.id.as_deref(), &item.item);
    }
}

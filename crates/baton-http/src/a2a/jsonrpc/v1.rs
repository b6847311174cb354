//! Methods of A2A 1.0.

use super::{Id, envelope::Params};
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
use baton_wire::{
    a2a::v1::{Error, TaskPushNotificationConfig},
    jsonrpc,
};
use serde::Serialize;
use serde_json::{json, value::RawValue};

pub(super) async fn answer(
    call: &Call<'_>,
    id: Id<'_>,
    operation: Operation,
    params: Params,
) -> Result<Response, Error> {
    Ok(match operation {
        Operation::Send => result(id, &ops::send(call, params.read()?).await?.response()),
        Operation::Stream => stream(id, ops::stream(call, params.read()?).await?),
        Operation::Subscribe => stream(id, ops::subscribe(call, params.read()?).await?),
        Operation::Get => result(id, &ops::get(call, params.read()?).await?.task()),
        Operation::Cancel => result(id, &ops::cancel(call, params.read()?).await?.task()),
        Operation::List => result(id, &ops::list(call, params.read()?).await?.response()),
        Operation::CreatePush => {
            let (task, config) = ops::create_push(call, params.read()?).await?;
            result(id, &TaskPushNotificationConfig::of(&task, &config))
        }
        Operation::GetPush => {
            let (task, config) = ops::get_push(call, params.read()?).await?;
            result(id, &TaskPushNotificationConfig::of(&task, &config))
        }
        Operation::ListPush => result(id, &ops::list_push(call, params.read()?).await?.response()),
        Operation::DeletePush => {
            ops::delete_push(call, params.read()?).await?;
            result(id, &json!({}))
        }
        Operation::ExtendedCard => result(id, &ops::extended_card(call, &params.read()?, CardForm::V1)?),
    })
}

pub(super) fn result(id: Id<'_>, value: &impl Serialize) -> Response {
    let mut bytes = Vec::with_capacity(1024);
    jsonrpc::write_result(&mut bytes, id, value);
    reply::json_bytes(bytes)
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
        jsonrpc::write_result(out, self.id.as_deref(), &told.item);
    }
}

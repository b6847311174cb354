//! Dotted methods of ContextCore.

use super::{JsonRpcId, envelope::JsonRpcParams, method::unknown_method, v1::result};
use crate::{
    call::A2aCall,
    cards::CardForm,
    operation::A2aOperation,
    ops::{self, ShownTask},
};
use axum::response::Response;
use baton_types::{TaskId, Timestamp};
use baton_wire::{
    a2a::v1::{Error, ErrorKind, Task},
    contextcore,
};

pub(super) async fn answer(
    call: &A2aCall<'_>,
    id: JsonRpcId<'_>,
    operation: A2aOperation,
    params: JsonRpcParams,
) -> Result<Response, Error> {
    Ok(match operation {
        A2aOperation::Send => {
            let request = params.read::<contextcore::SendParams>()?;
            let request = request.into_v1(|| call.shared.engine.fresh_id())?;
            result(id, &convert_shown_task(call, &ops::send(call, request).await?))
        }
        A2aOperation::Get => {
            let request = params.read::<contextcore::TaskParams>()?.into_get()?;
            result(id, &convert_shown_task(call, &ops::get(call, request).await?))
        }
        A2aOperation::List => {
            let request = params.read::<contextcore::ListParams>()?.into_v1()?;
            let page = ops::list(call, request).await?;
            let tasks = page.response().tasks.into_iter().zip(page.created_at());
            let tasks = tasks.map(|(task, created_at)| convert_task(call, task, created_at)).collect();
            result(id, &contextcore::TaskList { tasks })
        }
        A2aOperation::Cancel => {
            let request = params.read::<contextcore::TaskParams>()?.into_cancel()?;
            let task = TaskId::from(request.id.as_ref());
            match ops::cancel(call, request).await {
                Ok(shown) => result(id, &contextcore::CancelResult::from(shown.task())),
                Err(error) if error.kind == ErrorKind::TaskNotCancelable => {
                    result(id, &contextcore::CancelResult::already_ended(&task))
                }
                Err(error) => return Err(error),
            }
        }
        A2aOperation::ExtendedCard => result(id, &ops::extended_card(call, &Default::default(), CardForm::Union)?),
        _ => return Err(unknown_method("that")),
    })
}

fn convert_shown_task(call: &A2aCall<'_>, task: &ShownTask) -> contextcore::Task {
    convert_task(call, task.task(), task.created_at())
}

fn convert_task(call: &A2aCall<'_>, task: Task<'_>, created_at: Timestamp) -> contextcore::Task {
    contextcore::Task::from(task).with_agent(call.agent).with_created_time(created_at)
}

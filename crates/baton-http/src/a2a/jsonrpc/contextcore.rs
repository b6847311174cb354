//! Dotted methods of ContextCore.

use super::{Id, envelope::Params, method::unknown, v1::result};
use crate::{
    a2a::{
        call::Call,
        operation::Operation,
        ops::{self, ShownTask},
    },
    cards::CardForm,
};
use axum::response::Response;
use baton_types::{TaskId, Timestamp};
use baton_wire::{
    a2a::v1::{Error, ErrorKind, Task},
    contextcore,
};

pub(super) async fn answer(
    call: &Call<'_>,
    id: Id<'_>,
    operation: Operation,
    params: Params,
) -> Result<Response, Error> {
    Ok(match operation {
        Operation::Send => {
            let request = params.read::<contextcore::SendParams>()?;
            let request = request.into_v1(|| call.shared.engine.fresh_id())?;
            result(id, &one(call, &ops::send(call, request).await?))
        }
        Operation::Get => {
            let request = params.read::<contextcore::TaskParams>()?.into_get()?;
            result(id, &one(call, &ops::get(call, request).await?))
        }
        Operation::List => {
            let request = params.read::<contextcore::ListParams>()?.into_v1()?;
            let page = ops::list(call, request).await?;
            let tasks = page.response().tasks.into_iter().zip(page.created_at());
            let tasks = tasks.map(|(task, created_at)| shown(call, task, created_at)).collect();
            result(id, &contextcore::TaskList { tasks })
        }
        Operation::Cancel => {
            let request = params.read::<contextcore::TaskParams>()?.into_cancel()?;
            let task = TaskId::from(request.id.as_ref());
            match ops::cancel(call, request).await {
                Ok(shown) => result(id, &contextcore::Canceled::from(shown.task())),
                Err(error) if error.kind == ErrorKind::TaskNotCancelable => {
                    result(id, &contextcore::Canceled::not_possible(&task))
                }
                Err(error) => return Err(error),
            }
        }
        Operation::ExtendedCard => result(id, &ops::extended_card(call, &Default::default(), CardForm::Union)?),
        _ => return Err(unknown("that")),
    })
}

fn one(call: &Call<'_>, task: &ShownTask) -> contextcore::Task {
    shown(call, task.task(), task.created_at())
}

fn shown(call: &Call<'_>, task: Task<'_>, created_at: Timestamp) -> contextcore::Task {
    contextcore::Task::from(task).with_agent(call.agent).with_created_time(created_at)
}

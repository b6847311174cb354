//! `CancelTask`: cancels a task and returns its resulting state.

use super::{
    super::{extensions::ActiveExtensions, presentation::PresentationPolicy},
    ShownTask,
};
use crate::{call::A2aCall, span_attributes::A2aSpan as _};
use baton_wire::a2a::v1::{CancelTaskRequest, Error, HistoryLength};

pub(in super::super) async fn cancel(
    call: &A2aCall<'_>,
    request: CancelTaskRequest<'static>,
) -> Result<ShownTask, Error> {
    call.check_may_call()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let task = call.task(request.id);
    call.span.set_task_id(task.task.as_str());
    let canceled = call.shared.engine.cancel(call.principal(), &task).await;
    let view = canceled.map_err(|error| call.refuse(error))?;
    call.span.set_task(&view);
    let active = ActiveExtensions::from_call(call);
    let policy = PresentationPolicy::new(call, &active);
    Ok(ShownTask { view, history: HistoryLength::All, active, policy })
}

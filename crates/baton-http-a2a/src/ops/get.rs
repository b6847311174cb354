//! `GetTask`: returns a task, optionally after waiting for a change.

use super::{
    super::{extensions::ActiveExtensions, presentation::PresentationPolicy},
    ShownTask,
};
use crate::{call::A2aCall, span_attributes::A2aSpan as _};
use baton_types::FieldViolation;
use baton_wire::a2a::v1::{Error, GetTaskRequest};

/// Header with the last known generation, for callers that cannot send it as a parameter.
const KNOWN_GENERATION: &str = "baton-current-generation";

pub(in super::super) async fn get(call: &A2aCall<'_>, request: GetTaskRequest<'static>) -> Result<ShownTask, Error> {
    call.check_tenant(request.tenant.as_deref())?;
    let history = request.check()?;
    let active = ActiveExtensions::from_call(call);
    let known = if active.generation() { known_generation(call, request.current_generation)? } else { None };
    let task = call.task(request.id);
    call.span.set_task_id(task.task.as_str());
    let (engine, principal) = (&call.shared.engine, call.principal());
    let view = match known {
        None => engine.task(principal, &task).await,
        Some(known) => engine.wait_for_change(principal, &task, known, call.shared.options.max_poll_wait).await,
    };
    let view = view.map_err(|error| call.refuse(error))?;
    call.span.set_task(&view);
    let policy = PresentationPolicy::new(call, &active);
    Ok(ShownTask { view, history, active, policy })
}

fn known_generation(call: &A2aCall<'_>, generation: Option<i64>) -> Result<Option<u64>, Error> {
    let number = match (generation, call.header(KNOWN_GENERATION)) {
        (Some(generation), _) => u64::try_from(generation).ok(),
        (None, Some(text)) => text.parse().ok(),
        (None, None) => return Ok(None),
    };
    number.map(Some).ok_or_else(|| {
        let description = "must be a generation of the task, 0 or more".to_owned();
        Error::invalid_params(FieldViolation { field: "currentGeneration".to_owned(), description }.into())
    })
}

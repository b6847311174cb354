//! `SubscribeToTask`: streams the current task, or the events after the client's cursor, then live events to its end.

use super::{
    super::extensions::ActiveExtensions,
    follow::{StreamStart, TaskStream},
};
use crate::{call::A2aCall, span_attributes::A2aSpan as _};
use baton_types::{FieldViolation, JournalEvent};
use baton_wire::a2a::v1::{Error, SubscribeToTaskRequest};

/// Number of earlier events searched for the start of an attempt whose text the client may still hold.
const MAX_LOOKBACK_EVENTS: u64 = 16;

pub(in super::super) async fn subscribe(
    call: &A2aCall<'_>,
    request: SubscribeToTaskRequest<'static>,
) -> Result<TaskStream, Error> {
    call.check_streaming()?;
    call.check_tenant(request.tenant.as_deref())?;
    request.check()?;
    let cursor = cursor(call)?;
    let permit = TaskStream::permit(call)?;
    let task = call.task(request.id);
    call.span.set_task_id(task.task.as_str());
    let (engine, principal) = (&call.shared.engine, call.principal());
    let subscribed = engine.subscribe(principal, &task, cursor).await;
    let subscription = subscribed.map_err(|error| call.refuse(error))?;
    let beginning = match cursor {
        None => StreamStart::Subscribed,
        Some(cursor) => {
            let first = cursor.saturating_sub(MAX_LOOKBACK_EVENTS);
            let stored = engine.visible_events(principal, &task, first, MAX_LOOKBACK_EVENTS as usize).await;
            let stored = stored.map_err(|error| call.refuse(error))?.into_iter();
            let facts = stored.take_while(|event| event.number <= cursor).map(|event| event.fact.clone());
            let earlier =
                facts.filter_map(|fact| if let JournalEvent::Task(event) = fact { Some(event) } else { None });
            StreamStart::Resumed { earlier: earlier.collect() }
        }
    };
    Ok(TaskStream::new(call, subscription, beginning, &ActiveExtensions::from_call(call), permit))
}

/// Last event id that the client received.
fn cursor(call: &A2aCall<'_>) -> Result<Option<u64>, Error> {
    let Some(value) = call.headers.get("last-event-id") else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Ok("") => Ok(None),
        Ok(number) if number.parse::<u64>().is_ok() => Ok(number.parse().ok()),
        _ => Err(Error::invalid_params(
            FieldViolation {
                field: "Last-Event-ID".to_owned(),
                description: "must be the number of an event of this task".to_owned(),
            }
            .into(),
        )),
    }
}

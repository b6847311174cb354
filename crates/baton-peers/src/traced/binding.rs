//! A2A operations with spans.

use super::{TracedBinding, span_attributes};
use crate::{Binding, BindingEventStream, CallError, RequestMetadata};
use async_stream::stream;
use baton_ports::BoxFuture;
use baton_telemetry::{OpenSpan, names};
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use futures_util::StreamExt as _;

impl Binding for TracedBinding {
    fn send<'a>(
        &'a self,
        mut request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("SendMessage", with);
            span_attributes::message(&mut span, &mut request);
            end_span(span, self.inner.send(request, &with).await, span_attributes::response)
        })
    }

    fn stream<'a>(
        &'a self,
        mut request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("SendStreamingMessage", with);
            span_attributes::message(&mut span, &mut request);
            trace_stream(span, self.inner.stream(request, &with).await)
        })
    }

    fn subscribe<'a>(
        &'a self,
        request: SubscribeToTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("SubscribeToTask", with);
            span.set(names::A2A_TASK_ID, request.id.to_string());
            trace_stream(span, self.inner.subscribe(request, &with).await)
        })
    }

    fn get<'a>(
        &'a self,
        request: GetTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("GetTask", with);
            span.set(names::A2A_TASK_ID, request.id.to_string());
            end_span(span, self.inner.get(request, &with).await, span_attributes::task)
        })
    }

    fn list<'a>(
        &'a self,
        request: ListTasksRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("ListTasks", with);
            let conversation = request.context_id.as_ref().map(ToString::to_string);
            span.set_some(names::GEN_AI_CONVERSATION_ID, conversation);
            end_span(span, self.inner.list(request, &with).await, |_, _| {})
        })
    }

    fn cancel<'a>(
        &'a self,
        request: CancelTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("CancelTask", with);
            span.set(names::A2A_TASK_ID, request.id.to_string());
            end_span(span, self.inner.cancel(request, &with).await, span_attributes::task)
        })
    }

    fn create_push<'a>(
        &'a self,
        request: TaskPushNotificationConfig<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>> {
        Box::pin(async move {
            let (mut span, with) = self.start_span("CreateTaskPushNotificationConfig", with);
            span.set(names::A2A_TASK_ID, request.task_id.to_string());
            end_span(span, self.inner.create_push(request, &with).await, |_, _| {})
        })
    }

    fn extended_card<'a>(
        &'a self,
        request: GetExtendedAgentCardRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>> {
        Box::pin(async move {
            let (span, with) = self.start_span("GetExtendedAgentCard", with);
            end_span(span, self.inner.extended_card(request, &with).await, |_, _| {})
        })
    }
}

/// Ends the span with the reply.
fn end_span<T>(
    mut span: OpenSpan,
    answered: Result<T, CallError>,
    record: impl FnOnce(&mut OpenSpan, &T),
) -> Result<T, CallError> {
    match &answered {
        Ok(answer) => record(&mut span, answer),
        Err(error) => span_attributes::failure(&mut span, error),
    }
    answered
}

/// Ends the span with the last event.
fn trace_stream(
    mut span: OpenSpan,
    answered: Result<BindingEventStream, CallError>,
) -> Result<BindingEventStream, CallError> {
    let mut events = match answered {
        Ok(events) => events,
        Err(error) => {
            span_attributes::failure(&mut span, &error);
            return Err(error);
        }
    };
    Ok(Box::pin(stream! {
        while let Some(event) = events.next().await {
            match &event {
                Ok(event) => span_attributes::item(&mut span, &event.item),
                Err(error) => span_attributes::failure(&mut span, error),
            }
            yield event;
        }
    }))
}

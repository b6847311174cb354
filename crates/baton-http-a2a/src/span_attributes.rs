//! Span attributes of an A2A request.

use super::operation::A2aOperation;
use baton_http::RequestSpan;
use baton_telemetry::names;
use baton_types::{AgentName, TaskState, TaskView};
use baton_wire::a2a::v1;
use http::Extensions;

/// Protocol of an A2A request, as recorded on its span.
pub(super) struct RequestProtocol {
    /// Value of `rpc.system`; `None` for bindings without one.
    pub(super) system: Option<&'static str>,
    /// Protocol version, for dialects that have one.
    pub(super) version: Option<&'static str>,
}

/// Version number of A2A 0.3.
pub(super) const V03_VERSION: &str = "0.3";

impl RequestProtocol {
    /// Names the span after the operation.
    pub(super) fn record_operation(&self, span: &RequestSpan, operation: A2aOperation, extensions: &Extensions) {
        span.edit(|span| {
            span.rename(operation.name());
            span.set(names::A2A_METHOD_NAME, operation.name());
            span.set_some(names::RPC_SYSTEM, self.system);
            span.set_some(names::A2A_PROTOCOL_VERSION, self.version);
        });
        span.record_route(extensions);
    }
}

/// Attributes of A2A requests on their span.
pub(super) trait A2aSpan {
    /// Records the called agent.
    fn set_agent(&self, agent: &AgentName);

    /// Records the id of the message.
    fn set_message_id(&self, message: &str);

    /// Records the id of the task.
    fn set_task_id(&self, task: &str);

    /// Records the id, context and state of the returned task.
    fn set_task(&self, view: &TaskView);

    /// Records the current state of the task.
    fn set_task_state(&self, state: TaskState);

    /// Records a rejection; only server errors mark the span as failed.
    fn record_rejection(&self, error: &v1::Error);
}

impl A2aSpan for RequestSpan {
    fn set_agent(&self, agent: &AgentName) {
        self.edit(|span| span.set(names::GEN_AI_AGENT_NAME, agent.as_str().to_owned()));
    }

    fn set_message_id(&self, message: &str) {
        self.edit(|span| span.set(names::A2A_MESSAGE_ID, message.to_owned()));
    }

    fn set_task_id(&self, task: &str) {
        self.edit(|span| span.set(names::A2A_TASK_ID, task.to_owned()));
    }

    fn set_task(&self, view: &TaskView) {
        self.edit(|span| {
            span.set(names::A2A_TASK_ID, view.id.as_str().to_owned());
            span.set(names::GEN_AI_CONVERSATION_ID, view.context.as_str().to_owned());
            span.set(names::A2A_TASK_STATE, v1::TaskState::from(view.state).as_str());
        });
    }

    fn set_task_state(&self, state: TaskState) {
        self.edit(|span| span.set(names::A2A_TASK_STATE, v1::TaskState::from(state).as_str()));
    }

    fn record_rejection(&self, error: &v1::Error) {
        self.record_error(error.code, error.kind.http_status());
    }
}

//! Blocking agent calls for surfaces without tasks.

use crate::{Engine, EngineError, SendCommand, TaskRef, run::answer_of};
use baton_ports::{AgentInvokeError, AgentInvoker, AgentReply, AgentRequest, BoxFuture};
use baton_rules::{CallStage, CallState, is_run_by_caller};
use baton_types::{CallId, ErrorCode, Message, Part, Principal, Role, TaskId, TaskState, TaskView};
use std::sync::Arc;

impl AgentInvoker for Engine {
    fn invoke<'a>(
        &'a self,
        principal: &'a Principal,
        request: AgentRequest,
    ) -> BoxFuture<'a, Result<AgentReply, AgentInvokeError>> {
        Box::pin(async move {
            let max_depth = self.inner.options.max_handoff_depth;
            if usize::try_from(request.depth).is_ok_and(|depth| depth > max_depth) {
                let detail =
                    format!("the work was handed over {} times already; {max_depth} is the limit", request.depth);
                return Err(AgentInvokeError { code: ErrorCode::HANDOFF_REFUSED, detail });
            }
            let principal = Arc::new(principal.clone());
            let mut message = Message::new(self.fresh_id().into(), Role::User, vec![Part::text(request.text)]);
            (message.context, message.task) = (request.context, request.task);
            let command = SendCommand {
                depth: request.depth,
                autonomous: request.autonomous,
                trace: request.trace.map(Into::into),
                ..SendCommand::new(request.agent, message)
            };
            let sent = self.send(&principal, command).await.map_err(|error| invoke_error(&error))?;
            let cancel_guard = CancelOnDrop::new(self, &principal, &sent.task.id);
            let view = self.inner.wait_settled(&sent.task.id).await;
            cancel_guard.disarm();
            view.map(|view| reply_of(&view)).map_err(|error| invoke_error(&error))
        })
    }

    fn is_client_tool_call<'a>(
        &'a self,
        principal: &'a Principal,
        task: &'a TaskId,
        call: &'a CallId,
    ) -> BoxFuture<'a, Result<Option<bool>, AgentInvokeError>> {
        Box::pin(async move {
            let reference = TaskRef { task: task.clone(), agent: None };
            let task = match self.inner.load(principal, &reference).await {
                Ok(task) => task,
                Err(EngineError::TaskNotFound(_)) => return Ok(None),
                Err(error) => return Err(invoke_error(&error)),
            };
            let is_callers = |state: &CallState| {
                state.stage == CallStage::Pending
                    && task.state == TaskState::InputRequired
                    && is_run_by_caller(&task, &state.call)
            };
            Ok(task.call(call).map(is_callers))
        })
    }
}

/// Reply of a settled task.
pub(crate) fn reply_of(view: &TaskView) -> AgentReply {
    let status_text = view.status_message.as_ref().map(Message::text).unwrap_or_default();
    let text = if view.state == TaskState::Completed { answer_of(view, status_text) } else { status_text };
    AgentReply { task: view.id.clone(), context: view.context.clone(), state: view.state, text }
}

pub(crate) fn invoke_error(error: &EngineError) -> AgentInvokeError {
    AgentInvokeError { code: error.code(), detail: error.to_string() }
}

/// Cancels the task on drop, unless its result was received.
pub(crate) struct CancelOnDrop<'a> {
    engine: &'a Engine,
    principal: Arc<Principal>,
    task: Option<TaskId>,
}

impl<'a> CancelOnDrop<'a> {
    pub(crate) fn new(engine: &'a Engine, principal: &Arc<Principal>, task: &TaskId) -> Self {
        Self { engine, principal: Arc::clone(principal), task: Some(task.clone()) }
    }

    /// Disarms the guard after the result was received.
    pub(crate) fn disarm(mut self) {
        self.task = None;
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let Some(task) = self.task.take() else { return };
        if self.engine.inner.stopping.is_cancelled() {
            return;
        }
        let (engine, principal) = (self.engine.clone(), Arc::clone(&self.principal));
        self.engine.inner.drivers.spawn(async move {
            let task = TaskRef { task, agent: None };
            if let Err(error) = engine.cancel(&principal, &task).await {
                tracing::debug!(task = %task.task, %error, "an abandoned task could not be canceled");
            }
        });
    }
}

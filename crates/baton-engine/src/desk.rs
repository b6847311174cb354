//! Blocking agent calls for surfaces without tasks.

use crate::{Engine, EngineError, SendCommand, TaskRef, run::answer_of};
use baton_ports::{AgentAsk, AgentAskError, AgentDesk, AgentReply, BoxFuture};
use baton_rules::{CallStage, CallState, waiting_on_caller};
use baton_types::{CallId, ErrorCode, Message, Part, Principal, Role, TaskId, TaskState, TaskView};
use std::sync::Arc;

impl AgentDesk for Engine {
    fn ask<'a>(&'a self, principal: &'a Principal, ask: AgentAsk) -> BoxFuture<'a, Result<AgentReply, AgentAskError>> {
        Box::pin(async move {
            let deepest = self.inner.options.max_handoff_depth;
            if usize::try_from(ask.depth).is_ok_and(|depth| depth > deepest) {
                let detail = format!("the work was handed over {} times already; {deepest} is the limit", ask.depth);
                return Err(AgentAskError { code: ErrorCode::HANDOFF_REFUSED, detail });
            }
            let principal = Arc::new(principal.clone());
            let mut message = Message::new(self.fresh_id().into(), Role::User, vec![Part::text(ask.text)]);
            (message.context, message.task) = (ask.context, ask.task);
            let command = SendCommand {
                depth: ask.depth,
                autonomous: ask.autonomous,
                trace: ask.trace.map(Into::into),
                ..SendCommand::new(ask.agent, message)
            };
            let sent = self.send(&principal, command).await.map_err(|error| refused(&error))?;
            let unheard = Unheard::new(self, &principal, &sent.task.id);
            let view = self.inner.settled(&sent.task.id).await;
            unheard.heard();
            view.map(|view| reply_of(&view)).map_err(|error| refused(&error))
        })
    }

    fn is_callers_call<'a>(
        &'a self,
        principal: &'a Principal,
        task: &'a TaskId,
        call: &'a CallId,
    ) -> BoxFuture<'a, Result<Option<bool>, AgentAskError>> {
        Box::pin(async move {
            let reference = TaskRef { task: task.clone(), agent: None };
            let task = match self.inner.load(principal, &reference).await {
                Ok(task) => task,
                Err(EngineError::TaskNotFound(_)) => return Ok(None),
                Err(error) => return Err(refused(&error)),
            };
            let is_callers = |state: &CallState| {
                state.stage == CallStage::Pending
                    && task.state == TaskState::InputRequired
                    && waiting_on_caller(&task, &state.call)
            };
            Ok(task.call(call).map(is_callers))
        })
    }
}

/// Reply of a settled task.
pub(crate) fn reply_of(view: &TaskView) -> AgentReply {
    let said = view.status_message.as_ref().map(Message::text).unwrap_or_default();
    let text = if view.state == TaskState::Completed { answer_of(view, said) } else { said };
    AgentReply { task: view.id.clone(), context: view.context.clone(), state: view.state, text }
}

pub(crate) fn refused(error: &EngineError) -> AgentAskError {
    AgentAskError { code: error.code(), detail: error.to_string() }
}

/// Cancels the task on drop, unless its result was received.
pub(crate) struct Unheard<'a> {
    engine: &'a Engine,
    principal: Arc<Principal>,
    task: Option<TaskId>,
}

impl<'a> Unheard<'a> {
    pub(crate) fn new(engine: &'a Engine, principal: &Arc<Principal>, task: &TaskId) -> Self {
        Self { engine, principal: Arc::clone(principal), task: Some(task.clone()) }
    }

    /// Disarms the guard after the result was received.
    pub(crate) fn heard(mut self) {
        self.task = None;
    }
}

impl Drop for Unheard<'_> {
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

//! Prints the progress of remote agents and tracks the status of their task.

use super::{
    super::{finish::prompt_answer, printer::RunPrinter},
    handoff_permission::{HandoffDecisions, HandoffPermissionRequest},
};
use crate::{
    follow::{FollowOutcome, StepObserver as _},
    form::is_interactive,
    steps::{InputRequest, StepStatus, StepToolCall, TaskStep, output_summary},
};
use baton_orchestrator::{AgentAnswer, AgentQuestion, CalledAgent, OrchestrationObserver};
use baton_ports::{BoxFuture, ToolOutput};
use baton_types::{Part, QuestionKind, ToolCall};
use baton_wire::a2a::v1::{StreamResponse, TaskState};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Prints steps as they arrive; tools of one agent run concurrently.
pub(super) struct RemoteRunObserver<'a> {
    state: Mutex<RemoteRunState<'a>>,
    handoff_decisions: tokio::sync::Mutex<HandoffDecisions>,
}

struct RemoteRunState<'a> {
    printer: &'a mut RunPrinter,
    /// Latest status of the root task.
    status: Option<StepStatus>,
    /// Ids of the latest calls that the agent announced before it delegated them to this process.
    announced_calls: VecDeque<String>,
}

/// Maximum number of remembered calls.
const MAX_ANNOUNCED_CALLS: usize = 256;

impl<'a> RemoteRunObserver<'a> {
    pub(super) fn new(telling: &'a mut RunPrinter) -> Self {
        let state = Mutex::new(RemoteRunState { printer: telling, status: None, announced_calls: VecDeque::new() });
        Self { state, handoff_decisions: tokio::sync::Mutex::default() }
    }

    pub(super) fn printer(&mut self) -> &mut RunPrinter {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).printer
    }

    fn state(&self) -> MutexGuard<'_, RemoteRunState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Final state of the task; `None` for a reply without a task.
    pub(super) fn ended(&mut self, answer: &AgentAnswer) -> Option<FollowOutcome> {
        let task = answer.task.clone()?;
        let status = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).status.clone();
        Some(FollowOutcome { task, status: status_of(answer, status) })
    }
}

/// Combines both sources: the last streamed status has the failure reason, the answer has the text.
fn status_of(answer: &AgentAnswer, streamed_status: Option<StepStatus>) -> StepStatus {
    let state = TaskState::from(answer.state);
    let fresh =
        StepStatus { state, message: String::new(), calls: Vec::new(), input_requests: Vec::new(), reason: None };
    let mut status = streamed_status.filter(|status| status.state == state).unwrap_or(fresh);
    if status.message.trim().is_empty() || answer.has_tool_questions() {
        status.message.clone_from(&answer.text);
    }
    if answer.has_tool_questions() {
        status.calls.clear();
        status.input_requests = answer.questions.iter().map(input_request).collect();
    }
    status
}

/// Converts a question of a local tool to the form of agent questions.
fn input_request(question: &AgentQuestion) -> InputRequest {
    let (schema, url) = match &question.wants {
        Some(QuestionKind::Form { schema }) => (Some(schema.clone()), None),
        Some(QuestionKind::Visit { url }) => (None, Some(url.clone())),
        Some(QuestionKind::Approval) | None => (None, None),
    };
    InputRequest {
        task_id: question.task.clone(),
        call_id: question.call.clone(),
        key: question.key.clone(),
        agent: question.agent.clone(),
        message: question.message.clone(),
        schema,
        url,
        approval: question.arguments.clone(),
        digest: question.digest.clone(),
    }
}

impl RemoteRunState<'_> {
    fn step(&mut self, callee: CalledAgent<'_>, step: &TaskStep) {
        let depth = usize::try_from(callee.depth).unwrap_or(usize::MAX);
        self.printer.on_step(callee.agent, depth, step);
    }
}

impl OrchestrationObserver for RemoteRunObserver<'_> {
    fn on_stream_item(&self, callee: CalledAgent<'_>, item: &StreamResponse<'static>) {
        let mut seen = self.state();
        if callee.depth == 0
            && seen.printer.task.is_none()
            && let Some(task) = task_of(item)
        {
            seen.printer.task = Some(task);
        }
        let Some(step) = TaskStep::from_stream_item(item) else { return };
        if let (TaskStep::Snapshot { status, .. } | TaskStep::StatusChange(status), 0) = (&step, callee.depth) {
            seen.status = Some(status.clone());
        }
        if let TaskStep::ToolCalls(calls) = &step {
            seen.announced_calls.extend(calls.iter().map(|call| call.id.clone()));
            let old = seen.announced_calls.len().saturating_sub(MAX_ANNOUNCED_CALLS);
            seen.announced_calls.drain(..old);
        }
        // Delegated calls are printed when they run.
        if matches!(&step, TaskStep::StatusChange(status) if !status.calls.is_empty()) {
            return;
        }
        seen.step(callee, &step);
    }

    fn on_tool_call(&self, callee: CalledAgent<'_>, call: &ToolCall) {
        let mut seen = self.state();
        if seen.announced_calls.iter().any(|id| id == call.id.as_str()) {
            return;
        }
        let arguments = call.arguments.as_str().to_owned();
        let call = StepToolCall { id: call.id.to_string(), name: call.name.clone(), arguments };
        seen.step(callee, &TaskStep::ToolCalls(vec![call]));
    }

    fn on_tool_result(&self, callee: CalledAgent<'_>, call: &ToolCall, output: &ToolOutput) {
        let (name, output, failed) = (call.name.clone(), output_summary(&output.output), output.is_error);
        self.state().step(callee, &TaskStep::ToolResult { name, output, failed });
    }

    fn may_hand_over<'a>(&'a self, callee: CalledAgent<'a>, to: &'a str, has_credential: bool) -> BoxFuture<'a, bool> {
        let screen = self.state().printer.screen;
        Box::pin(async move {
            // Tools run concurrently; the lock serializes the questions to the user.
            let mut leave = self.handoff_decisions.lock().await;
            if let Some(allowed) = leave.decision(to) {
                return allowed;
            }
            let request = HandoffPermissionRequest { from: callee.agent, to, has_credential };
            self.state().printer.answer.end_line();
            let allowed = match leave.may_ask() && is_interactive(screen) {
                true => request.ask(screen).await,
                false => request.report_denial(screen),
            };
            leave.record(to, allowed);
            allowed
        })
    }

    fn on_handoff(&self, callee: CalledAgent<'_>, to: &str) {
        self.state().step(callee, &TaskStep::Handoff { agent: to.to_owned(), task: String::new() });
    }

    fn answer_questions<'a>(
        &'a self,
        callee: CalledAgent<'a>,
        asks: &'a AgentAnswer,
    ) -> BoxFuture<'a, Option<Vec<Part>>> {
        let screen = self.state().printer.screen;
        Box::pin(async move {
            let mut status = status_of(asks, None);
            if !asks.has_tool_questions() {
                status.input_requests = asks.questions.iter().map(input_request).collect();
            }
            let ended = FollowOutcome { task: asks.task.clone().unwrap_or_default(), status };
            prompt_answer(callee.agent, &ended, screen).await
        })
    }
}

/// Id of the task that an item belongs to; not every stream starts with the task itself.
fn task_of(item: &StreamResponse<'_>) -> Option<String> {
    let task = item.task.as_ref().map(|task| &task.id);
    let task = task.or(item.status_update.as_ref().map(|update| &update.task_id));
    let task = task.or(item.artifact_update.as_ref().map(|update| &update.task_id));
    task.filter(|id| !id.is_empty()).map(|id| id.clone().into_owned())
}

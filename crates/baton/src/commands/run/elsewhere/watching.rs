//! Prints the progress of remote agents and tracks the status of their task.

use super::{
    super::{finish::answer, telling::Telling},
    leave::{HandoffLeave, LeaveRequest},
};
use crate::{
    follow::{FollowOutcome, StepObserver as _},
    form::is_interactive,
    steps::{InputRequest, StepStatus, StepToolCall, TaskStep, output_summary},
};
use baton_orchestrator::{Answer, Question, Watch, Whose};
use baton_ports::{BoxFuture, ToolOutput};
use baton_types::{Part, QuestionKind, ToolCall};
use baton_wire::a2a::v1::{StreamResponse, TaskState};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Prints steps as they arrive; tools of one agent run concurrently.
pub(super) struct Watching<'a> {
    seen: Mutex<Seen<'a>>,
    leave: tokio::sync::Mutex<HandoffLeave>,
}

struct Seen<'a> {
    telling: &'a mut Telling,
    /// Latest status of the root task.
    status: Option<StepStatus>,
    /// Ids of the latest calls that the agent announced before it delegated them to this process.
    told: VecDeque<String>,
}

/// Maximum number of remembered calls.
const MOST_TOLD: usize = 256;

impl<'a> Watching<'a> {
    pub(super) fn new(telling: &'a mut Telling) -> Self {
        let seen = Mutex::new(Seen { telling, status: None, told: VecDeque::new() });
        Self { seen, leave: tokio::sync::Mutex::default() }
    }

    pub(super) fn telling(&mut self) -> &mut Telling {
        self.seen.get_mut().unwrap_or_else(PoisonError::into_inner).telling
    }

    fn seen(&self) -> MutexGuard<'_, Seen<'a>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Final state of the task; `None` for a reply without a task.
    pub(super) fn ended(&mut self, came: &Answer) -> Option<FollowOutcome> {
        let task = came.task.clone()?;
        let status = self.seen.get_mut().unwrap_or_else(PoisonError::into_inner).status.clone();
        Some(FollowOutcome { task, status: status_of(came, status) })
    }
}

/// Combines both sources: the last streamed status has the failure reason, the answer has the text.
fn status_of(came: &Answer, heard: Option<StepStatus>) -> StepStatus {
    let state = TaskState::from(came.state);
    let fresh =
        StepStatus { state, message: String::new(), calls: Vec::new(), input_requests: Vec::new(), reason: None };
    let mut status = heard.filter(|heard| heard.state == state).unwrap_or(fresh);
    if status.message.trim().is_empty() || came.asks_of_tools() {
        status.message.clone_from(&came.text);
    }
    if came.asks_of_tools() {
        status.calls.clear();
        status.input_requests = came.questions.iter().map(request).collect();
    }
    status
}

/// Converts a question of a local tool to the form of agent questions.
fn request(question: &Question) -> InputRequest {
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

impl Seen<'_> {
    fn step(&mut self, whose: Whose<'_>, step: &TaskStep) {
        let depth = usize::try_from(whose.depth).unwrap_or(usize::MAX);
        self.telling.on_step(whose.agent, depth, step);
    }
}

impl Watch for Watching<'_> {
    fn heard(&self, whose: Whose<'_>, item: &StreamResponse<'static>) {
        let mut seen = self.seen();
        if whose.depth == 0
            && seen.telling.task.is_none()
            && let Some(task) = task_of(item)
        {
            seen.telling.task = Some(task);
        }
        let Some(step) = TaskStep::from_stream_item(item) else { return };
        if let (TaskStep::Snapshot { status, .. } | TaskStep::StatusChange(status), 0) = (&step, whose.depth) {
            seen.status = Some(status.clone());
        }
        if let TaskStep::ToolCalls(calls) = &step {
            seen.told.extend(calls.iter().map(|call| call.id.clone()));
            let old = seen.told.len().saturating_sub(MOST_TOLD);
            seen.told.drain(..old);
        }
        // Delegated calls are printed when they run.
        if matches!(&step, TaskStep::StatusChange(status) if !status.calls.is_empty()) {
            return;
        }
        seen.step(whose, &step);
    }

    fn calling(&self, whose: Whose<'_>, call: &ToolCall) {
        let mut seen = self.seen();
        if seen.told.iter().any(|told| told == call.id.as_str()) {
            return;
        }
        let arguments = call.arguments.as_str().to_owned();
        let call = StepToolCall { id: call.id.to_string(), name: call.name.clone(), arguments };
        seen.step(whose, &TaskStep::ToolCalls(vec![call]));
    }

    fn called(&self, whose: Whose<'_>, call: &ToolCall, output: &ToolOutput) {
        let (name, output, failed) = (call.name.clone(), output_summary(&output.output), output.is_error);
        self.seen().step(whose, &TaskStep::ToolResult { name, output, failed });
    }

    fn may_hand_over<'a>(&'a self, whose: Whose<'a>, to: &'a str, has_credential: bool) -> BoxFuture<'a, bool> {
        let screen = self.seen().telling.screen;
        Box::pin(async move {
            // Tools run concurrently; the lock serializes the questions to the user.
            let mut leave = self.leave.lock().await;
            if let Some(given) = leave.given(to) {
                return given;
            }
            let request = LeaveRequest { from: whose.agent, to, has_credential };
            self.seen().telling.answer.end_line();
            let given = match leave.may_ask() && is_interactive(screen) {
                true => request.ask(screen).await,
                false => request.refuse(screen),
            };
            leave.keep(to, given);
            given
        })
    }

    fn handing_over(&self, whose: Whose<'_>, to: &str) {
        self.seen().step(whose, &TaskStep::Handoff { agent: to.to_owned(), task: String::new() });
    }

    fn asked<'a>(&'a self, whose: Whose<'a>, asks: &'a Answer) -> BoxFuture<'a, Option<Vec<Part>>> {
        let screen = self.seen().telling.screen;
        Box::pin(async move {
            let mut status = status_of(asks, None);
            if !asks.asks_of_tools() {
                status.input_requests = asks.questions.iter().map(request).collect();
            }
            let ended = FollowOutcome { task: asks.task.clone().unwrap_or_default(), status };
            answer(whose.agent, &ended, screen).await
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

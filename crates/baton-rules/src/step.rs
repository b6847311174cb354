//! Next step of a run.

use crate::{ASK_USER_TOOL, CallStage, CallState, HANDOFF_TOOL, TaskRecord, ToolFailures, is_built_in};
use baton_types::{
    AgentSpec, Effects, ErrorCode, FailureReason, Message, TaskId, TaskState, Timestamp, ToolCall, ToolExecution,
    ToolInputRequest,
};

/// Next step for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStep {
    /// Start a run.
    StartRun,
    /// Call the model.
    CallModel {
        /// Number of the model call in the run.
        turn: u32,
        /// Attempt at this call.
        attempt: u32,
    },
    /// Send the message to the remote agent, or find out the result of an earlier attempt.
    AskPeer {
        /// Turn of the run.
        turn: u32,
        /// Attempt at receiving its answer.
        attempt: u32,
    },
    /// Advance these calls.
    AdvanceCalls(Vec<CallState>),
    /// Only the caller can continue the open calls; [`caller_requests`] returns the requests.
    AskCaller,
    /// The answer is final: complete the task.
    Complete,
    /// Fail the run.
    Fail(FailureReason),
    /// Wait for a message.
    Wait,
}

/// Pending requests of a task to its caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallerRequests {
    /// Tool calls that the caller runs.
    pub calls: Vec<ToolCall>,
    /// Questions of the model.
    pub questions: Vec<ToolCall>,
    /// Input requests of tools.
    pub input_requests: Vec<(ToolCall, ToolInputRequest)>,
    /// In-doubt calls: interrupted by a crash and not safe to retry.
    pub in_doubt: Vec<ToolCall>,
    /// Questions of child tasks: the call, the child task and its message.
    pub child_questions: Vec<(ToolCall, TaskId, Message)>,
}

impl CallerRequests {
    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.questions.is_empty()
            && self.input_requests.is_empty()
            && self.in_doubt.is_empty()
            && self.child_questions.is_empty()
    }

    fn includes(&self, call: &ToolCall) -> bool {
        let lists = [&self.calls, &self.questions, &self.in_doubt];
        lists.iter().any(|list| list.contains(call))
            || self.input_requests.iter().any(|(asking, _)| asking == call)
            || self.child_questions.iter().any(|(asking, ..)| asking == call)
    }
}

/// Whether the caller runs the call.
pub fn is_run_by_caller(task: &TaskRecord, call: &ToolCall) -> bool {
    let is_delegable = !is_built_in(&call.name) || call.name == HANDOFF_TOOL;
    let is_caller_function = task.wishes.as_ref().is_some_and(|options| options.has_caller_tool(&call.name));
    is_caller_function || task.tool_execution == ToolExecution::Caller && is_delegable
}

/// Requests to the caller, once nothing else can continue.
pub fn caller_requests(task: &TaskRecord, agent: &AgentSpec) -> CallerRequests {
    let mut requests = CallerRequests::default();
    for state @ CallState { call, stage, .. } in task.open_calls() {
        if let CallStage::Asked(request) = stage {
            requests.input_requests.push((call.clone(), request.clone()));
        } else if let CallStage::HandedOff(pending) = stage {
            if let Some((message, _)) = &pending.asked {
                requests.child_questions.push((call.clone(), pending.child.clone(), message.clone()));
            }
        } else if is_run_by_caller(task, call) {
            requests.calls.push(call.clone());
        } else if call.name == ASK_USER_TOOL && may_ask_user(task, agent) {
            requests.questions.push(call.clone());
        } else if *stage == CallStage::Started && !may_repeat(agent, state) {
            requests.in_doubt.push(call.clone());
        }
    }
    requests
}

/// Whether the model may ask the caller: allowed by the definition, and not autonomous.
pub fn may_ask_user(task: &TaskRecord, agent: &AgentSpec) -> bool {
    agent.control_tools.ask_user && !agent.autonomous && !task.autonomous
}

fn may_repeat(agent: &AgentSpec, CallState { call, effects, .. }: &CallState) -> bool {
    let defined = || agent.tools.iter().find(|tool| tool.name == call.name).map(|tool| tool.effects);
    is_built_in(&call.name) || effects.or_else(defined).is_none_or(Effects::may_repeat)
}

/// Decides from the state alone, so that a resumed run continues exactly as the original run.
pub fn next_step(task: &TaskRecord, agent: &AgentSpec, now: Timestamp) -> RunStep {
    let limits = &agent.limits;
    let Some(run) = &task.run else {
        return if task.state == TaskState::Submitted { RunStep::StartRun } else { RunStep::Wait };
    };
    if now >= run.deadline {
        return fail(ErrorCode::RUN_DEADLINE, format!("the run did not end within {} s", limits.deadline.as_secs()));
    }
    let requests = caller_requests(task, agent);
    let own_calls: Vec<CallState> =
        task.open_calls().filter(|state| !requests.includes(&state.call)).cloned().collect();
    if !own_calls.is_empty() {
        return RunStep::AdvanceCalls(own_calls);
    }
    if !requests.is_empty() {
        return if task.autonomous { fail_autonomous(&requests) } else { RunStep::AskCaller };
    }
    let start_attempt = |turn, attempt| match agent.is_peer() {
        true => RunStep::AskPeer { turn, attempt },
        false => RunStep::CallModel { turn, attempt },
    };
    if let Some((tool, failures)) = run.failures.iter().find(|(_, failures)| failures.count > limits.tool_errors) {
        let ToolFailures { count, last } = failures;
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        return fail(
            ErrorCode::TOOL_ERRORS,
            format!("'{tool}' failed {times} in this run, the last time with: {last}"),
        );
    }
    if run.open.is_some() {
        return start_attempt(run.turn, run.attempt + 1);
    }
    if run.answered && task.waiting.is_empty() {
        return RunStep::Complete;
    }
    if run.turn >= limits.max_turns {
        return fail(ErrorCode::TURN_LIMIT, format!("the run made {} model calls without an answer", run.turn));
    }
    start_attempt(run.turn + 1, 1)
}

/// An autonomous run fails where an interactive run would ask.
fn fail_autonomous(requests: &CallerRequests) -> RunStep {
    let names = |calls: &[ToolCall]| calls.iter().map(|call| format!("'{}'", call.name)).collect::<Vec<_>>().join(", ");
    if !requests.in_doubt.is_empty() {
        let tools = names(&requests.in_doubt);
        return fail(
            ErrorCode::TOOL_UNSAFE_TO_REPEAT,
            format!("{tools} was interrupted and may or may not have taken effect"),
        );
    }
    let detail = "the run is autonomous, and it needs an answer to continue";
    fail(ErrorCode::INPUT_NOT_POSSIBLE, detail.to_owned())
}

fn fail(code: ErrorCode, detail: String) -> RunStep {
    RunStep::Fail(FailureReason::new(code.code, detail))
}

impl CallStage {
    /// Whether the call only waits for another agent.
    pub fn is_handed_off(&self) -> bool {
        matches!(self, Self::HandedOff(_))
    }
}

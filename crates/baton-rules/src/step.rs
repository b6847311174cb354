//! Next step of a run.

use crate::{ASK_USER_TOOL, CallStage, CallState, Failures, HANDOFF_TOOL, Task, is_built_in};
use baton_types::{
    AgentSpec, Effects, ErrorCode, Message, Reason, TaskId, TaskState, Timestamp, ToolAsk, ToolCall, ToolExecution,
};

/// Next step for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
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
    Fail(Reason),
    /// Wait for a message.
    Rest,
}

/// Pending requests of a task to its caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Tool calls that the caller runs.
    pub calls: Vec<ToolCall>,
    /// Questions of the model.
    pub questions: Vec<ToolCall>,
    /// Input requests of tools.
    pub asks: Vec<(ToolCall, ToolAsk)>,
    /// In-doubt calls: interrupted by a crash and not safe to retry.
    pub in_doubt: Vec<ToolCall>,
    /// Questions of child tasks: the call, the child task and its message.
    pub passed_up: Vec<(ToolCall, TaskId, Message)>,
}

impl Asked {
    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.questions.is_empty()
            && self.asks.is_empty()
            && self.in_doubt.is_empty()
            && self.passed_up.is_empty()
    }

    fn includes(&self, call: &ToolCall) -> bool {
        let lists = [&self.calls, &self.questions, &self.in_doubt];
        lists.iter().any(|list| list.contains(call))
            || self.asks.iter().any(|(asking, _)| asking == call)
            || self.passed_up.iter().any(|(asking, ..)| asking == call)
    }
}

/// Whether the caller runs the call.
pub fn waiting_on_caller(task: &Task, call: &ToolCall) -> bool {
    let theirs = !is_built_in(&call.name) || call.name == HANDOFF_TOOL;
    let own = task.wishes.as_ref().is_some_and(|wishes| wishes.has_tool(&call.name));
    own || task.tool_execution == ToolExecution::Caller && theirs
}

/// Requests to the caller, once nothing else can continue.
pub fn asked_of_caller(task: &Task, agent: &AgentSpec) -> Asked {
    let mut asked = Asked::default();
    for state @ CallState { call, stage, .. } in task.open_calls() {
        if let CallStage::Asked(ask) = stage {
            asked.asks.push((call.clone(), ask.clone()));
        } else if let CallStage::HandedOff(handed) = stage {
            if let Some((message, _)) = &handed.asked {
                asked.passed_up.push((call.clone(), handed.child.clone(), message.clone()));
            }
        } else if waiting_on_caller(task, call) {
            asked.calls.push(call.clone());
        } else if call.name == ASK_USER_TOOL && may_ask_user(task, agent) {
            asked.questions.push(call.clone());
        } else if *stage == CallStage::Started && !may_repeat(agent, state) {
            asked.in_doubt.push(call.clone());
        }
    }
    asked
}

/// Whether the model may ask the caller: allowed by the definition, and not autonomous.
pub fn may_ask_user(task: &Task, agent: &AgentSpec) -> bool {
    agent.control_tools.ask_user && !agent.autonomous && !task.autonomous
}

fn may_repeat(agent: &AgentSpec, CallState { call, effects, .. }: &CallState) -> bool {
    let defined = || agent.tools.iter().find(|tool| tool.name == call.name).map(|tool| tool.effects);
    is_built_in(&call.name) || effects.or_else(defined).is_none_or(Effects::may_repeat)
}

/// Decides from the state alone, so that a resumed run continues exactly as the original run.
pub fn next_step(task: &Task, agent: &AgentSpec, now: Timestamp) -> Step {
    let limits = &agent.limits;
    let Some(run) = &task.run else {
        return if task.state == TaskState::Submitted { Step::StartRun } else { Step::Rest };
    };
    if now >= run.deadline {
        return fail(ErrorCode::RUN_DEADLINE, format!("the run did not end within {} s", limits.deadline.as_secs()));
    }
    let asked = asked_of_caller(task, agent);
    let ours: Vec<CallState> = task.open_calls().filter(|state| !asked.includes(&state.call)).cloned().collect();
    if !ours.is_empty() {
        return Step::AdvanceCalls(ours);
    }
    if !asked.is_empty() {
        return if task.autonomous { nobody_to_ask(&asked) } else { Step::AskCaller };
    }
    let ask = |turn, attempt| match agent.is_peer() {
        true => Step::AskPeer { turn, attempt },
        false => Step::CallModel { turn, attempt },
    };
    if let Some((tool, failures)) = run.failures.iter().find(|(_, failures)| failures.count > limits.tool_errors) {
        let Failures { count, last } = failures;
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        return fail(
            ErrorCode::TOOL_ERRORS,
            format!("'{tool}' failed {times} in this run, the last time with: {last}"),
        );
    }
    if run.open.is_some() {
        return ask(run.turn, run.attempt + 1);
    }
    if run.answered && task.waiting.is_empty() {
        return Step::Complete;
    }
    if run.turn >= limits.max_turns {
        return fail(ErrorCode::TURN_LIMIT, format!("the run made {} model calls without an answer", run.turn));
    }
    ask(run.turn + 1, 1)
}

/// An autonomous run fails where an interactive run would ask.
fn nobody_to_ask(asked: &Asked) -> Step {
    let names = |calls: &[ToolCall]| calls.iter().map(|call| format!("'{}'", call.name)).collect::<Vec<_>>().join(", ");
    if !asked.in_doubt.is_empty() {
        let tools = names(&asked.in_doubt);
        return fail(
            ErrorCode::TOOL_UNSAFE_TO_REPEAT,
            format!("{tools} was interrupted and may or may not have taken effect"),
        );
    }
    let what = "the run is autonomous, and it needs an answer to continue";
    fail(ErrorCode::NOBODY_TO_ASK, what.to_owned())
}

fn fail(code: ErrorCode, detail: String) -> Step {
    Step::Fail(Reason::new(code.code, detail))
}

impl CallStage {
    /// Whether the call only waits for another agent.
    pub fn is_handed_off(&self) -> bool {
        matches!(self, Self::HandedOff(_))
    }
}

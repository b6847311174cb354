use crate::sample::*;
use baton_rules::{
    ASK_USER_TOOL, CALL_AGENT_TOOL, CallState, CallerRequests, EMIT_ARTIFACT_TOOL, HANDOFF_TOOL, LIST_AGENTS_TOOL,
    READ_OUTPUT_TOOL, REJECT_TASK_TOOL, REPLY_MESSAGE_TOOL, RunStep, TaskRecord, caller_requests, is_built_in,
    next_step,
};
use baton_types::*;

use ToolExecution::{Agent, Caller};

fn step(task: &TaskRecord) -> RunStep {
    next_step(task, &spec(), at(10))
}

fn advance(task: &TaskRecord, ids: &[&str]) -> RunStep {
    let calls: Vec<CallState> = ids.iter().map(|id| task.call(&CallId::from(*id)).unwrap().clone()).collect();
    RunStep::AdvanceCalls(calls)
}

fn with(mut task: TaskRecord, events: &[TaskEvent]) -> TaskRecord {
    apply_all(&mut task, events);
    task
}

fn code(step: RunStep) -> String {
    match step {
        RunStep::Fail(reason) => reason.code,
        other => panic!("{other:?} is no failure"),
    }
}

#[test]
fn from_submission_to_completion() {
    let mut task = task(Agent, &[]);
    assert_eq!(step(&task), RunStep::StartRun);
    for (event, expect) in [
        (run_started(), RunStep::CallModel { turn: 1, attempt: 1 }),
        // An open attempt was interrupted or refused: the same turn again.
        (attempt(1, 1), RunStep::CallModel { turn: 1, attempt: 2 }),
        (attempt(1, 2), RunStep::CallModel { turn: 1, attempt: 3 }),
    ] {
        apply_all(&mut task, &[event]);
        assert_eq!(step(&task), expect);
    }
    apply_all(&mut task, &[tools_called(1, &[call("a", "look"), call("b", "put")])]);
    assert_eq!(step(&task), advance(&task, &["a", "b"]));
    apply_all(&mut task, &[finished("b", "put")]);
    assert_eq!(step(&task), advance(&task, &["a"]));
    apply_all(&mut task, &[finished("a", "look")]);
    assert_eq!(step(&task), RunStep::CallModel { turn: 2, attempt: 1 });
    apply_all(&mut task, &[attempt(2, 1), answered(2)]);
    assert_eq!(step(&task), RunStep::Complete);
    apply_all(&mut task, &[status(TaskState::Completed)]);
    assert_eq!(step(&task), RunStep::Wait);
}

#[test]
fn message_during_a_turn_gets_another_turn() {
    let mut task = task(Agent, &[run_started(), attempt(1, 1)]);
    apply_message(&mut task, caller_message("more", "and tomorrow?", &[]));
    apply_all(&mut task, &[answered(1)]);
    assert_eq!(step(&task), RunStep::CallModel { turn: 2, attempt: 1 });
    assert!(task.apply(at(2), &status(TaskState::Completed)).is_err(), "the message would get no answer");
    apply_all(&mut task, &[attempt(2, 1), answered(2)]);
    assert_eq!(step(&task), RunStep::Complete);
}

#[test]
fn limits_end_a_run() {
    let round = |turn| [attempt(turn, 1), tools_called(turn, &[call("a", "look")]), finished("a", "look")];
    let mut task = with(task(Agent, &[run_started()]), &round(1));
    apply_all(&mut task, &round(2));
    assert_eq!(code(step(&task)), ErrorCode::TURN_LIMIT.code);
    let task = calling(Agent, &[call("a", "look")]);
    assert_eq!(next_step(&task, &spec(), at(DEADLINE.as_millis() - 1)), advance(&task, &["a"]));
    assert_eq!(code(next_step(&task, &spec(), DEADLINE)), ErrorCode::RUN_DEADLINE.code);
    let waiting = asking(Agent, &[call("q", "ask_user")]);
    assert_eq!(next_step(&waiting, &spec(), DEADLINE), RunStep::Wait, "a task that waits for its caller has no run");
}

#[test]
fn callers_run_their_tools_after_built_in_ones_are_done() {
    let calls = [call("a", "look"), call("b", "handoff"), call("e", "emit_artifact")];
    let mut task = calling(Caller, &calls);
    assert_eq!(step(&task), advance(&task, &["e"]));
    apply_all(&mut task, &[finished("e", "emit_artifact")]);
    let asked = CallerRequests { calls: calls[..2].to_vec(), ..CallerRequests::default() };
    assert_eq!((step(&task), caller_requests(&task, &spec())), (RunStep::AskCaller, asked));
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    assert!(apply_message(&mut task, caller_message("r", "", &[result("a", "look"), result("b", "handoff")])));
    apply_all(&mut task, &[run_started()]);
    assert_eq!(step(&task), RunStep::CallModel { turn: 1, attempt: 1 });
}

#[test]
fn questions_and_in_doubt_calls_go_to_the_caller() {
    let calls = [call("q", "ask_user"), call("l", "look"), call("u", "put"), call("p", "pay"), call("x", "gone")];
    let mut task = calling(Agent, &calls);
    assert_eq!(step(&task), advance(&task, &["l", "u", "p", "x"]), "no call started: all may run");
    apply_all(&mut task, &[started("l"), started("u"), started("p"), started("x")]);
    assert_eq!(step(&task), advance(&task, &["l", "u", "x"]), "only a tool that may repeat runs again");
    apply_all(&mut task, &[finished("l", "look"), finished("u", "put"), finished("x", "gone")]);
    let asked = CallerRequests {
        questions: vec![calls[0].clone()],
        in_doubt: vec![calls[3].clone()],
        ..CallerRequests::default()
    };
    assert_eq!((step(&task), caller_requests(&task, &spec())), (RunStep::AskCaller, asked));
    let mute = AgentSpec { control_tools: ControlTools::default(), ..spec() };
    assert_eq!(next_step(&task, &mute, at(10)), advance(&task, &["q"]), "an agent that may not ask does not ask");
}

#[test]
fn autonomous_run_fails_where_an_interactive_one_asks() {
    let begins = TaskEvent::RunStarted {
        run: "run".into(),
        agent: Digest::compute(b"spec"),
        deadline: DEADLINE,
        autonomous: true,
    };
    let alone = |calls: &[ToolCall], more: &[TaskEvent]| {
        with(task(Agent, &[begins.clone(), attempt(1, 1), tools_called(1, calls)]), more)
    };
    let ask = ToolInputRequest { questions: vec![ToolQuestion::approval("May it?".to_owned())], state: None };
    let asks = alone(&[call("g", "gate")], &[TaskEvent::ToolInputRequested { call: "g".into(), ask }]);
    assert_eq!(code(step(&asks)), ErrorCode::INPUT_NOT_POSSIBLE.code);
    let in_doubt = alone(&[call("p", "pay")], &[started("p")]);
    assert_eq!(code(step(&in_doubt)), ErrorCode::TOOL_UNSAFE_TO_REPEAT.code);
    let question = alone(&[call("q", "ask_user")], &[]);
    assert_eq!(step(&question), advance(&question, &["q"]), "the call is refused, and the run continues");
}

#[test]
fn built_in_tools_are_known_by_name() {
    let named = [
        HANDOFF_TOOL,
        EMIT_ARTIFACT_TOOL,
        ASK_USER_TOOL,
        REJECT_TASK_TOOL,
        REPLY_MESSAGE_TOOL,
        LIST_AGENTS_TOOL,
        CALL_AGENT_TOOL,
        READ_OUTPUT_TOOL,
    ];
    assert_eq!(BUILT_IN_TOOLS, named);
    assert!(named.into_iter().all(is_built_in) && !is_built_in("get_weather"));
}

//! A small agent, and tasks built from events.

use baton_rules::{TaskRecord, accept_message, calls_part, results_part};
use baton_types::*;
use serde_json::Value;
use std::time::Duration;

pub(crate) const DEADLINE: Timestamp = Timestamp::from_millis(60_000);

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn json(value: Value) -> Json {
    value.into()
}

pub(crate) fn tool(name: &str, effects: Effects) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json(serde_json::json!({"type": "object"})),
        effects,
        runner: ToolRunner::BuiltIn,
        output: None,
        permission: Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

/// Has a tool of each kind, asks questions, and hands off to `weather`.
pub(crate) fn spec() -> AgentSpec {
    AgentSpec {
        name: "personal".into(),
        title: "Personal".to_owned(),
        description: String::new(),
        version: "1".to_owned(),
        prompt: String::new(),
        skills: Vec::new(),
        input_modes: Vec::new(),
        knowledge: Default::default(),
        about: Default::default(),
        writing: Default::default(),
        tools: vec![tool("look", Effects::ReadOnly), tool("put", Effects::Idempotent), tool("pay", Effects::Unknown)],
        answer: None,
        guardrails: Vec::new(),
        model: ModelSpec::Playbook { rules: None },
        tool_execution: ToolExecution::Agent,
        limits: RunLimits {
            max_turns: 2,
            parallel_tools: 4,
            deadline: Duration::from_secs(60),
            ..RunLimits::default()
        },
        control_tools: ControlTools { emit_artifact: true, ask_user: true, reject_task: true, reply_message: false },
        handoffs: vec![HandoffTarget { agent: "weather".into(), description: String::new(), url: None }],
        orchestration: None,
        a2a: baton_types::A2aSettings::default(),
        enable_handoff: true,
        policy: Default::default(),
        autonomous: false,
    }
}

pub(crate) fn user_message(id: &str, parts: Vec<Part>) -> Message {
    Message::new(id.into(), Role::User, parts)
}

pub(crate) fn call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.to_owned(), arguments: json(serde_json::json!({"of": id})) }
}

pub(crate) fn result(id: &str, name: &str) -> ToolResult {
    ToolResult { call: id.into(), name: name.to_owned(), output: Json::string("done"), is_error: false }
}

pub(crate) fn submitted(tool_execution: ToolExecution) -> TaskEvent {
    let message = user_message("ask", vec![Part::text("hello")]);
    TaskEvent::Submitted {
        context: "c".into(),
        agent: "personal".into(),
        message,
        tool_execution,
        parent: None,
        depth: 0,
        autonomous: false,
    }
}

pub(crate) fn run_started() -> TaskEvent {
    TaskEvent::RunStarted { run: "run".into(), agent: Digest::compute(b"spec"), deadline: DEADLINE, autonomous: false }
}

pub(crate) fn attempt(turn: u32, attempt: u32) -> TaskEvent {
    TaskEvent::AttemptStarted { message: format!("m{turn}").into(), turn, attempt }
}

pub(crate) fn tools_called(turn: u32, calls: &[ToolCall]) -> TaskEvent {
    let parts = vec![Part::text(""), calls_part(calls)];
    let message = Message::new(format!("m{turn}").into(), Role::Agent, parts);
    TaskEvent::ToolsCalled { message, calls: calls.to_vec(), usage: Usage::default() }
}

pub(crate) fn answered(turn: u32) -> TaskEvent {
    let message = Message::new(format!("m{turn}").into(), Role::Agent, vec![Part::text("there")]);
    TaskEvent::Answered { message, usage: Usage::new(u64::MAX, 1) }
}

pub(crate) fn finished(id: &str, name: &str) -> TaskEvent {
    TaskEvent::ToolFinished { result: result(id, name) }
}

pub(crate) fn handed_off(id: &str) -> TaskEvent {
    TaskEvent::HandoffSent {
        call: id.into(),
        handoff: "h".into(),
        agent: "weather".into(),
        child: "child".into(),
        deadline: DEADLINE,
    }
}

pub(crate) fn status(state: TaskState) -> TaskEvent {
    TaskEvent::StatusChanged { state, message: None, reason: None }
}

pub(crate) fn started(id: &str) -> TaskEvent {
    TaskEvent::ToolStarted { call: id.into(), effects: None, server: None }
}

/// A task after these events.
pub(crate) fn task(mode: ToolExecution, events: &[TaskEvent]) -> TaskRecord {
    let mut task = TaskRecord::from_submission("t".into(), at(0), &submitted(mode)).unwrap();
    apply_all(&mut task, events);
    task
}

pub(crate) fn apply_all(task: &mut TaskRecord, events: &[TaskEvent]) {
    for event in events {
        task.apply(at(1), event).unwrap_or_else(|illegal| panic!("{illegal}: {event:?} after {task:?}"));
    }
}

/// A working task whose first turn made these calls.
pub(crate) fn calling(mode: ToolExecution, calls: &[ToolCall]) -> TaskRecord {
    task(mode, &[run_started(), attempt(1, 1), tools_called(1, calls)])
}

/// Like [`calling`], waiting for its caller.
pub(crate) fn asking(mode: ToolExecution, calls: &[ToolCall]) -> TaskRecord {
    let mut task = calling(mode, calls);
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    task
}

/// A message of the caller with results and text.
pub(crate) fn caller_message(id: &str, text: &str, results: &[ToolResult]) -> Message {
    let mut parts = vec![Part::text(text)];
    if !results.is_empty() {
        parts.push(results_part(results));
    }
    user_message(id, parts)
}

/// Accepts a message and applies its events; returns whether a run starts.
pub(crate) fn apply_message(task: &mut TaskRecord, message: Message) -> bool {
    let accepted = accept_message(task, message, baton_types::Timestamp::from_millis(0)).unwrap();
    apply_all(task, &accepted.events);
    accepted.starts_run
}

//! A small valid history: a task that hands work off, the child with one tool of each kind, a server that dies twice,
//! and a subscriber that connects twice.

use baton_api::EventEntry;
use baton_client::StreamEvent;
use baton_ports::StoredEvent;
use baton_testkit::{
    DeliveryAttempt, Evidence, Execution, Generation, History, KeyedMessage, Receiver, Segment, Transcript,
    checker::presentation,
};
use baton_types::{
    AgentName, Effects, ExpectedOutput, Handoff, HandoffEvent, HandoffStatus, JournalEvent, Json, Message, ParentLink,
    Part, Priority, PushDialect, Role, StreamId, TaskEvent, TaskState, Timestamp, ToolCall, ToolExecution, ToolResult,
    Usage,
};
use baton_wire::a2a::v1::{ArtifactInclusion, HistoryLength, StreamProjector, StreamResponse, Task};
use serde_json::json;
use std::sync::Arc;

pub(crate) const PARENT: &str = "parent";
pub(crate) const CHILD: &str = "child";
/// The message that submitted the parent.
pub(crate) const ASK: &str = "c1-ask";
pub(crate) const HANDOFF: &str = "handoff-1";
pub(crate) const LOOK: &str = "call-look";
pub(crate) const SET: &str = "call-set";
pub(crate) const PAY: &str = "call-pay";

/// The parent's last event before its server died.
pub(crate) const CUT_OFF_AT: u64 = 7;

pub(crate) const FIRST: u32 = 10;
pub(crate) const SECOND: u32 = 20;
pub(crate) const THIRD: u32 = 30;

fn at(seq: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(seq * 10).expect("small"))
}

fn message(id: &str, role: Role, text: &str) -> Message {
    Message::new(id.into(), role, vec![Part::text(text)])
}

fn submitted(context: &str, agent: &str, parent: Option<ParentLink>) -> TaskEvent {
    let message = message(&format!("{context}-ask"), Role::User, "do it");
    let (context, agent) = (context.into(), agent.into());
    TaskEvent::Submitted {
        context,
        agent,
        message,
        tool_execution: ToolExecution::Agent,
        parent,
        depth: 0,
        autonomous: false,
    }
}

fn started(run: &str) -> TaskEvent {
    let agent = baton_types::Digest::compute(b"a definition");
    TaskEvent::RunStarted { run: run.into(), agent, deadline: at(1_000_000), autonomous: false }
}

fn attempt(message: &str, turn: u32, attempt: u32) -> TaskEvent {
    TaskEvent::AttemptStarted { message: message.into(), turn, attempt }
}

fn called(id: &str, calls: &[(&str, &str)]) -> TaskEvent {
    let call =
        |(id, name): &(&str, &str)| ToolCall { id: (*id).into(), name: (*name).into(), arguments: json!({}).into() };
    let calls: Vec<ToolCall> = calls.iter().map(call).collect();
    let parts = vec![Part::text("Let me"), baton_rules::calls_part(&calls)];
    TaskEvent::ToolsCalled { message: Message::new(id.into(), Role::Agent, parts), calls, usage: Usage::default() }
}

fn begun(call: &str) -> TaskEvent {
    TaskEvent::ToolStarted { call: call.into(), effects: None, server: None }
}

fn finished(call: &str, name: &str) -> TaskEvent {
    let output = Json::string("done");
    TaskEvent::ToolFinished { result: ToolResult { call: call.into(), name: name.into(), output, is_error: false } }
}

fn answered(task: &str, context: &str, id: &str) -> [TaskEvent; 2] {
    let answer = message(id, Role::Agent, "Three").with_task(&context.into(), &task.into());
    let completed =
        TaskEvent::StatusChanged { state: TaskState::Completed, message: Some(answer.clone()), reason: None };
    [TaskEvent::Answered { message: answer, usage: Usage::default() }, completed]
}

fn handoff() -> Handoff {
    Handoff {
        id: HANDOFF.into(),
        from_agent: "boss".into(),
        to_agent: "worker".into(),
        capability_id: "worker".to_owned(),
        task: "do it".to_owned(),
        inputs: json!({}).into(),
        expected_output: ExpectedOutput::default(),
        priority: Priority::Normal,
        timeout_ms: 1_000,
        created_at: at(0),
        parent_task: Some(PARENT.into()),
        parent_call: Some("call-handoff".into()),
        child_task: Some(CHILD.into()),
        child_context: "c2".into(),
        channel: Default::default(),
        channel_reason: None,
        agent_uri: None,
        trace: None,
    }
}

/// The journal, in commit order.
fn journal() -> Vec<Arc<StoredEvent>> {
    let (parent, child) = (StreamId::Task(PARENT.into()), StreamId::Task(CHILD.into()));
    let record = StreamId::Handoff(HANDOFF.into());
    let moved = |to| {
        JournalEvent::Handoff(HandoffEvent::StatusChanged { to, result: None, error: None, result_trace_id: None })
    };
    let link = ParentLink {
        task: PARENT.into(),
        handoff: HANDOFF.into(),
        chain: vec![AgentName::from("boss")],
        session: None,
    };
    let sent = TaskEvent::HandoffSent {
        call: "call-handoff".into(),
        handoff: HANDOFF.into(),
        agent: "worker".into(),
        child: CHILD.into(),
        deadline: at(1_000_000),
    };
    let mut facts: Vec<(StreamId, JournalEvent)> = Vec::new();
    let tasks = |stream: &StreamId, events: Vec<TaskEvent>| {
        events.into_iter().map(|event| (stream.clone(), JournalEvent::Task(event))).collect::<Vec<_>>()
    };
    let calls = [(LOOK, "look"), (SET, "set"), (PAY, "pay")];
    facts.extend(tasks(
        &parent,
        vec![
            submitted("c1", "boss", None),
            started("run-1"),
            attempt("m1", 1, 1),
            called("m1", &[("call-handoff", "handoff")]),
            sent,
        ],
    ));
    facts.push((record.clone(), JournalEvent::Handoff(HandoffEvent::Created(Box::new(handoff())))));
    facts.extend([HandoffStatus::Accepted, HandoffStatus::InProgress].map(|to| (record.clone(), moved(to))));
    let mut work =
        vec![submitted("c2", "worker", Some(link)), started("run-2"), attempt("k1", 1, 1), called("k1", &calls)];
    work.extend([begun(LOOK), begun(SET), begun(PAY), finished(PAY, "pay")]);
    work.push(TaskEvent::RunResumed { run: "run-2".into(), after: 8, isolated: false });
    work.extend([begun(LOOK), begun(SET), finished(LOOK, "look"), finished(SET, "set"), attempt("k2", 2, 1)]);
    work.extend(answered(CHILD, "c2", "k2"));
    facts.extend(tasks(&child, work));
    facts.push((record, moved(HandoffStatus::Completed)));
    let mut rest = vec![finished("call-handoff", "handoff"), attempt("m2", 2, 1)];
    rest.push(TaskEvent::RunResumed { run: "run-1".into(), after: CUT_OFF_AT, isolated: false });
    rest.push(attempt("m2", 2, 2));
    rest.extend(answered(PARENT, "c1", "m2"));
    facts.extend(tasks(&parent, rest));
    numbered(facts)
}

fn numbered(facts: Vec<(StreamId, JournalEvent)>) -> Vec<Arc<StoredEvent>> {
    let mut numbers = std::collections::BTreeMap::<StreamId, u64>::new();
    let stored = facts.into_iter().zip(1..).map(|((stream, fact), seq)| {
        let number = numbers.entry(stream.clone()).or_default();
        *number += 1;
        let (subject, epoch, number) = ("local".into(), 1, *number);
        Arc::new(StoredEvent { seq, stream, number, run: None, epoch, at: at(seq), subject, trace: None, fact })
    });
    stored.collect()
}

/// All evidence of the history.
pub(crate) fn evidence() -> Evidence {
    let history = History::from_events(journal());
    let folded = history.fold(&PARENT.into()).expect("a task").expect("a legal history");
    let view = folded.view();
    let shown = owned(&Task::from_view(&view, HistoryLength::All, ArtifactInclusion::Include, presentation(&view)));
    let listed = history.tasks[PARENT].iter().map(|event| EventEntry {
        number: event.number,
        kind: event.fact.kind().to_owned(),
        at: Some(event.at),
        run: None,
        body: event.fact.encode().expect("JSON"),
    });
    let run = |call: &str, tool: &str, server| Execution { tool: tool.to_owned(), call: call.into(), server };
    // The second server starts directly after the payment is recorded.
    let paid = history.tasks[CHILD][7].at;
    let second = Timestamp::from_millis(paid.as_millis() + 5);
    Evidence {
        acknowledged: vec![PARENT.into()],
        transcripts: vec![transcript(&history)],
        views: [(PARENT.into(), shown)].into(),
        listed_events: [(PARENT.into(), listed.collect())].into(),
        effects: [("look", Effects::ReadOnly), ("set", Effects::Idempotent), ("pay", Effects::Unknown)]
            .map(|(tool, effects)| (tool.to_owned(), effects))
            .into(),
        executions: vec![
            run(LOOK, "look", FIRST),
            run(SET, "set", FIRST),
            run(PAY, "pay", FIRST),
            run(LOOK, "look", SECOND),
            run(SET, "set", SECOND),
        ],
        generations: [(FIRST, at(0)), (SECOND, second), (THIRD, at(10_000))]
            .map(|(pid, started_at)| Generation { pid, started_at })
            .into(),
        receivers: [PushDialect::V1, PushDialect::V03].map(|dialect| receiver(&history, dialect)).into(),
        keyed_messages: vec![KeyedMessage {
            message: ASK.into(),
            sends: 3,
            answers: vec![PARENT.into(), PARENT.into()],
        }],
        history,
    }
}

/// A receiver that rejected the second notification, and got the third twice because the server died.
fn receiver(history: &History, dialect: PushDialect) -> Receiver {
    let mut receiver = Receiver { message: ASK.into(), dialect, after: 0, attempts: Vec::new() };
    for (index, body) in receiver.expected_payloads(history, &PARENT.into()).into_iter().enumerate() {
        let taken: &[bool] = match index {
            1 => &[false, true],
            2 => &[true, true],
            _ => &[true],
        };
        receiver.attempts.extend(taken.iter().map(|taken| DeliveryAttempt { body: body.clone(), accepted: *taken }));
    }
    receiver
}

/// A subscriber whose first stream broke during text that was retracted later.
fn transcript(history: &History) -> Transcript {
    let task_as_of = |number: u64| {
        let events = history.tasks[PARENT].iter().filter(|event| event.number <= number).cloned();
        let view = History::from_events(events).fold(&PARENT.into()).expect("a task").expect("a legal history").view();
        let task: Task<'static> =
            owned(&Task::from_view(&view, HistoryLength::All, ArtifactInclusion::Include, presentation(&view)));
        StreamEvent { number: Some(number), item: task.into() }
    };
    let view = history.fold(&PARENT.into()).expect("a task").expect("a legal history").view();
    let presentation = presentation(&view);
    let mut fresh = vec![task_as_of(1)];
    let mut projector = StreamProjector::new(PARENT.into(), "c1".into(), presentation);
    for (number, at, fact) in history.facts(&PARENT.into()).filter(|(number, _, _)| *number == 2) {
        push(&mut fresh, projector.event(at, fact), Some(number));
    }
    push(&mut fresh, projector.open_text(&"m1".into(), "Let"), None);
    let mut resumed = vec![task_as_of(2)];
    let mut projector = StreamProjector::resumed(PARENT.into(), "c1".into(), presentation, []);
    for (number, at, fact) in history.facts(&PARENT.into()).filter(|(number, _, _)| *number > 2) {
        if matches!(fact, TaskEvent::Answered { .. }) {
            push(&mut resumed, projector.delta(&"m2".into(), 0, "Th"), None);
            push(&mut resumed, projector.delta(&"m2".into(), 2, "ree"), None);
        }
        push(&mut resumed, projector.event(at, fact), Some(number));
    }
    let segments = vec![Segment { cursor: None, events: fresh }, Segment { cursor: Some(2), events: resumed }];
    Transcript { task: PARENT.into(), segments }
}

fn push(events: &mut Vec<StreamEvent>, projected: baton_wire::a2a::v1::StreamProjection<'_>, number: Option<u64>) {
    events.extend(projected.retraction.map(|item| StreamEvent { number: None, item: owned(&item) }));
    events.extend(projected.item.map(|item| StreamEvent { number, item: owned(&item) }));
}

/// The value after serialization and parsing.
fn owned<T: serde::Serialize, U: serde::de::DeserializeOwned>(value: &T) -> U {
    serde_json::from_str(&serde_json::to_string(value).expect("JSON")).expect("the same type")
}

/// Position of the retraction.
pub(crate) fn retraction(events: &[StreamEvent]) -> Option<usize> {
    let empties = |item: &StreamResponse<'_>| {
        let update = item.artifact_update.as_ref();
        update.is_some_and(|update| update.artifact.parts.iter().all(|part| part.text.as_deref() == Some("")))
    };
    events.iter().position(|event| event.number.is_none() && empties(&event.item))
}

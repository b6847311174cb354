//! Random event sequences, most of them plausible, with the invariants after each event.

use crate::sample::*;
use baton_rules::{CallStage, TaskRecord, accept_message, parse_tool_calls, parse_tool_results};
use baton_types::*;
use proptest::prelude::*;

/// A draw from which an event is made, depending on the task's state.
#[derive(Clone, Copy, Debug)]
struct Draw {
    kind: u8,
    pick: u8,
    /// Whether the state is considered, so that the event is likely legal.
    sensible: bool,
}

fn draws() -> impl Strategy<Value = Vec<Draw>> {
    let draw = (0..20u8, any::<u8>(), prop::bool::weighted(0.85)).prop_map(|(kind, pick, sensible)| Draw {
        kind,
        pick,
        sensible,
    });
    prop::collection::vec(draw, 1..90)
}

const TOOLS: [&str; 6] = ["look", "pay", "ask_user", "handoff", "emit_artifact", "reply_message"];

fn event(task: &TaskRecord, draw: Draw, number: usize) -> TaskEvent {
    let Draw { kind, pick, sensible } = draw;
    let open: Vec<CallId> = task.open_calls().map(|state| state.call.id.clone()).collect();
    let nth = |ids: &[CallId]| ids.get(usize::from(pick) % ids.len().max(1)).cloned();
    let call_id = if sensible { nth(&open) } else { None }.unwrap_or_else(|| format!("c{}", pick % 5).into());
    let run = match &task.run {
        Some(run) if sensible => run.id.clone(),
        _ => format!("r{}", pick % 2).into(),
    };
    let of_agent = |parts| {
        let open = task.run.as_ref().and_then(|run| run.open.clone());
        Message::new(open.unwrap_or_else(|| format!("m{number}").into()), Role::Agent, parts)
    };
    let usage = Usage::new(u64::from(pick) << 60, 1);
    match kind {
        0 | 1 => random_caller_message(task, pick, &open, number),
        2 => {
            let results = [result(call_id.as_str(), "look")];
            TaskEvent::MessageReceived {
                message: caller_message(&format!("u{number}"), "", &results),
                results: results.to_vec(),
            }
        }
        3 | 4 => TaskEvent::RunStarted {
            run: format!("r{}", pick % 2).into(),
            agent: Digest::compute(b""),
            deadline: DEADLINE,
            autonomous: false,
        },
        5 => {
            let after = task.run.as_ref().filter(|_| sensible).map_or(u64::from(pick), |run| run.last_progress);
            TaskEvent::RunResumed { run, after, isolated: pick % 2 == 1 }
        }
        6 => TaskEvent::RunPaused { run },
        7 | 8 => {
            let (turn, attempt) = match &task.run {
                Some(run) if sensible && run.open.is_some() => (run.turn, run.attempt + 1),
                Some(run) if sensible => (run.turn + 1, 1),
                _ => (u32::from(pick % 3), 1),
            };
            TaskEvent::AttemptStarted { message: format!("m{number}").into(), turn, attempt }
        }
        9 | 10 => {
            // Ids repeat from turn to turn, as some models have it; implausible draws repeat them within a turn too.
            let id = |index: u8| if sensible { format!("c{index}") } else { format!("c{}", index / 2) };
            let calls: Vec<_> = (0..pick % 4)
                .map(|index| call(&id(index), TOOLS[usize::from(pick / 4 + index) % TOOLS.len()]))
                .collect();
            let TaskEvent::ToolsCalled { message, calls, .. } = tools_called(0, &calls) else { unreachable!() };
            TaskEvent::ToolsCalled { message: of_agent(message.parts), calls, usage }
        }
        11 => TaskEvent::ToolStarted { call: call_id, effects: None, server: None },
        18 => TaskEvent::ToolInputRequested { call: call_id, ask: input_request() },
        19 => TaskEvent::ToolInputReceived { call: call_id, answers: input_answers() },
        12 | 13 => TaskEvent::ToolFinished { result: result(call_id.as_str(), "look") },
        14 => TaskEvent::HandoffSent {
            call: call_id,
            handoff: "h".into(),
            agent: "weather".into(),
            child: "child".into(),
            deadline: DEADLINE,
        },
        15 => TaskEvent::ArtifactEmitted {
            artifact: Artifact::from_answer(&Message::new(
                format!("art{}", pick % 2).into(),
                Role::Agent,
                vec![Part::text(format!("version {number}"))],
            )),
        },
        16 => TaskEvent::Answered { message: of_agent(vec![Part::text(format!("answer {number}"))]), usage },
        _ => match pick % 16 {
            0 => submitted(ToolExecution::Agent),
            state @ 1..8 => status_changed(TaskState::ALL[usize::from(state)], number),
            8 | 9 => status_changed(TaskState::Completed, number),
            10 => direct_reply(number),
            _ => status_changed(TaskState::InputRequired, number),
        },
    }
}

fn status_changed(state: TaskState, number: usize) -> TaskEvent {
    let message = Message::new(format!("s{number}").into(), Role::Agent, vec![Part::text("so it stands")]);
    let message = message.with_task(&"c".into(), &"t".into());
    TaskEvent::StatusChanged { state, message: Some(message), reason: None }
}

fn input_request() -> ToolInputRequest {
    let schema = serde_json::json!({"type": "object", "properties": {"which": {"type": "string"}}});
    let (key, message) = ("k".to_owned(), "which?".to_owned());
    let wants = QuestionKind::Form { schema: schema.into() };
    ToolInputRequest { questions: vec![ToolQuestion { key, message, wants }], state: Some("state".to_owned()) }
}

fn input_answers() -> ToolAnswers {
    let answer = ToolAnswer { key: "k".to_owned(), action: AnswerAction::Decline, content: None };
    ToolAnswers { answers: vec![answer], state: Some("state".to_owned()) }
}

/// A direct reply: an answer that names no task.
fn direct_reply(number: usize) -> TaskEvent {
    let message = Message::new(format!("s{number}").into(), Role::Agent, vec![Part::text("just this")]);
    TaskEvent::StatusChanged { state: TaskState::Completed, message: Some(message), reason: None }
}

/// A plausible caller message: results for some of the open calls, text, or both.
fn random_caller_message(task: &TaskRecord, pick: u8, open: &[CallId], number: usize) -> TaskEvent {
    let chosen = open.iter().enumerate().filter(|(index, _)| pick >> index & 1 == 1);
    let results: Vec<_> = chosen.map(|(_, id)| result(id.as_str(), "look")).collect();
    let text = if pick >= 128 { "more" } else { "" };
    let plain = caller_message(&format!("u{number}"), text, &[]);
    let message = caller_message(&format!("u{number}"), text, &results);
    let mut accepted = accept_message(task, message, baton_types::Timestamp::from_millis(0))
        .or_else(|_| accept_message(task, plain, baton_types::Timestamp::from_millis(0)))
        // Text is no answer to an in-doubt request.
        .or_else(|_| {
            accept_message(
                task,
                caller_message(&format!("u{number}"), "fail", &[]),
                baton_types::Timestamp::from_millis(0),
            )
        })
        .unwrap();
    accepted.events.remove(0)
}

/// Accepted messages, compared with the task.
#[derive(Default)]
struct MessageLog {
    by_agent: Vec<Message>,
    by_caller: Vec<Message>,
    answer: Option<Message>,
}

impl MessageLog {
    fn accept(&mut self, event: &TaskEvent) {
        match event {
            TaskEvent::Submitted { message, .. } | TaskEvent::MessageReceived { message, .. } => {
                self.by_caller.push(message.clone());
            }
            TaskEvent::ToolsCalled { message, .. } => self.by_agent.push(message.clone()),
            TaskEvent::Answered { message, .. } => {
                self.by_agent.push(message.clone());
                self.answer = Some(message.clone());
            }
            _ => {}
        }
    }
}

fn check(task: &TaskRecord, seen: &MessageLog) {
    assert_eq!(task.run.is_some(), task.state == TaskState::Working, "a run and working are the same");
    let by_agent: Vec<_> = task.history.iter().filter(|message| message.role == Role::Agent).cloned().collect();
    assert_eq!(by_agent, seen.by_agent, "the history has every agent message, complete and once");

    let shown = task.view().history;
    let mut own = 0;
    let mut by_caller = Vec::new();
    for message in shown.iter().filter(|message| message.role == Role::User) {
        if message.id.as_str().ends_with("-results") { own += 1 } else { by_caller.push(message.clone()) }
    }
    by_caller.sort_by(|left, right| left.id.cmp(&right.id));
    let mut expected = seen.by_caller.clone();
    expected.sort_by(|left, right| left.id.cmp(&right.id));
    assert_eq!(by_caller, expected, "every caller message is in the history once");
    let mut ids: Vec<_> = shown.iter().map(|message| &message.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), shown.len(), "message ids are unique, also of the {own} that results made");

    check_results(task);
    if task.view().direct_reply().is_some() {
        let asked = task.calls.iter().any(|state| state.call.name == "reply_message");
        assert!(asked, "a direct reply was not requested");
    } else if task.state == TaskState::Completed {
        let answer = seen.answer.as_ref().unwrap();
        assert_eq!(task.history.last(), Some(answer));
        assert!(task.artifacts.contains(&Artifact::from_answer(answer)));
        assert!(task.waiting.is_empty() && task.open_calls().next().is_none());
    }
    let mut artifacts: Vec<_> = task.artifacts.iter().map(|artifact| &artifact.id).collect();
    artifacts.sort();
    artifacts.dedup();
    assert_eq!(artifacts.len(), task.artifacts.len());
}

/// Checks one transition.
fn check_transition(before: &TaskRecord, after: &TaskRecord) {
    assert!(!before.state.is_terminal(), "{:?} was final", before.state);
    assert_eq!(after.version, before.version + 1);
    if let (Some(old), Some(new)) = (&before.run, &after.run) {
        assert_eq!(old.id, new.id, "a run ends before another begins");
    }
    assert!(
        !(before.state == TaskState::Submitted && after.state.is_interrupted()),
        "a submitted task cannot wait for input"
    );
    if let Some(run) = &after.run {
        assert_eq!(after.status_message, None, "the question is settled");
        assert!(run.open.is_none() || after.calls.is_empty(), "a model is called when no calls are left");
    }
    for state in &before.calls {
        let Some(now) = after.call(&state.call.id) else { continue };
        match &state.stage {
            CallStage::Finished(_) => assert_eq!(now, state, "a result stays"),
            CallStage::Started => assert!(!now.stage.is_handed_off(), "a started call is not handed off"),
            _ => assert!(
                now.stage != CallStage::Pending || matches!(state.stage, CallStage::Pending | CallStage::Asked(_))
            ),
        }
    }
}

/// Each call has a result before the next agent message, and results are nowhere else.
fn check_results(task: &TaskRecord) {
    let mut owed: Vec<CallId> = Vec::new();
    for message in &task.history {
        if message.role == Role::Agent {
            assert!(owed.is_empty(), "{owed:?} have no result before {:?}", message.id);
            owed = parse_tool_calls(message).into_iter().map(|call| call.id).collect();
        }
        for result in parse_tool_results(message).unwrap() {
            let index = owed.iter().position(|id| *id == result.call);
            owed.remove(index.unwrap_or_else(|| panic!("{:?} was not owed a result", result.call)));
        }
    }
    if task.open_calls().next().is_none() {
        assert!(owed.is_empty(), "{owed:?} finished without a result in the history");
    }
    for state in &task.calls {
        let open = !state.stage.is_finished();
        assert!(!open || owed.contains(&state.call.id), "an open call has a result in the history");
    }
}

fn stored(task: &TaskRecord) -> TaskRecord {
    let json = Json::from_serializable(task).unwrap();
    json.read().unwrap()
}

fn apply_draws(mode: ToolExecution, draws: &[Draw]) -> (Vec<(Timestamp, TaskEvent)>, TaskRecord) {
    let first = submitted(mode);
    let mut task = TaskRecord::from_submission("t".into(), at(0), &first).unwrap();
    let mut seen = MessageLog::default();
    seen.accept(&first);
    let mut accepted = vec![(at(0), first)];
    for (number, draw) in draws.iter().enumerate() {
        let moment = at(i64::try_from(number).unwrap());
        let event = event(&task, *draw, number);
        let before = task.clone();
        match task.apply(moment, &event) {
            Ok(()) => {
                check_transition(&before, &task);
                seen.accept(&event);
                accepted.push((moment, event));
            }
            Err(_) => assert_eq!(task, before, "a refused {event:?} changed something"),
        }
        check(&task, &seen);
    }
    (accepted, task)
}

fn fold(mut task: TaskRecord, events: &[(Timestamp, TaskEvent)]) -> TaskRecord {
    for (moment, event) in events {
        task.apply(*moment, event).unwrap();
    }
    task
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_reaches_an_illegal_state_and_replay_repeats_it(
        caller in any::<bool>(), draws in draws(), cut in any::<prop::sample::Index>(),
    ) {
        let mode = if caller { ToolExecution::Caller } else { ToolExecution::Agent };
        let (accepted, task) = apply_draws(mode, &draws);
        let (first_at, first) = &accepted[0];
        let begun = TaskRecord::from_submission("t".into(), *first_at, first).unwrap();
        let cut = cut.index(accepted.len());
        let (before, after) = accepted[1..].split_at(cut);
        let half = fold(begun, before);
        prop_assert_eq!(&stored(&half), &half, "a snapshot is the task");
        prop_assert_eq!(&fold(half.clone(), after), &task);
        prop_assert_eq!(&fold(stored(&half), after), &task, "a snapshot continues like the task");
    }
}

/// The generator must reach deep states.
#[test]
fn sequences_reach_every_state_and_stage() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let (mut states, mut most, mut handed, mut rounds) = (std::collections::BTreeSet::new(), 0, false, 0);
    let mut replied = false;
    for round in 0..1500 {
        let draws = draws().new_tree(&mut runner).unwrap().current();
        let mode = if round % 2 == 0 { ToolExecution::Caller } else { ToolExecution::Agent };
        let (accepted, task) = apply_draws(mode, &draws);
        states.insert(task.state);
        replied |= task.view().direct_reply().is_some();
        most = most.max(accepted.len());
        handed |= task.calls.iter().any(|state| matches!(state.stage, CallStage::HandedOff { .. }));
        rounds = rounds.max(task.history.iter().filter(|message| !parse_tool_calls(message).is_empty()).count());
    }
    assert_eq!(states.len(), TaskState::ALL.len(), "{states:?}");
    assert!(most > 30 && handed && rounds > 2, "{most} events, {rounds} rounds at most, handed over: {handed}");
    assert!(replied, "no direct reply");
}

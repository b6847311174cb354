//! Turns of peers.

use crate::sample::*;
use baton_rules::{
    IllegalTransition, PeerTaskRef, ResumeDecision, RunStep, TaskRecord, accept_message, decide_resume, next_step,
};
use baton_types::*;

fn remote() -> AgentSpec {
    AgentSpec { model: ModelSpec::Peer { url: "https://far.example".to_owned(), listed: false }, ..spec() }
}

fn step(task: &TaskRecord) -> RunStep {
    next_step(task, &remote(), at(10))
}

fn send_started(id: &str) -> TaskEvent {
    TaskEvent::PeerSendStarted { message: id.into() }
}

fn attached() -> TaskEvent {
    TaskEvent::PeerAttached { task: "far-1".to_owned(), context: "far-context".to_owned() }
}

fn task_with(events: &[TaskEvent]) -> TaskRecord {
    let mut task = task(ToolExecution::Agent, &[run_started(), attempt(1, 1)]);
    apply_all(&mut task, events);
    task
}

#[test]
fn one_request_per_turn_is_sent_once() {
    let mut task = task_with(&[]);
    assert_eq!(step(&task), RunStep::AskPeer { turn: 1, attempt: 2 });
    assert_eq!(task.apply(at(2), &attached()), Err(IllegalTransition::Attempt), "no request was sent");
    apply_all(&mut task, &[send_started("k1")]);
    assert_eq!(task.apply(at(2), &send_started("k2")), Err(IllegalTransition::Attempt), "a request was sent already");
    apply_all(&mut task, &[attached(), attempt(1, 2)]);
    assert_eq!(step(&task), RunStep::AskPeer { turn: 1, attempt: 3 }, "an interrupted turn is read again");
    let place = |open: Option<&str>| PeerTaskRef { task: open.map(str::to_owned), context: "far-context".to_owned() };
    assert_eq!(task.peer, Some(place(Some("far-1"))));
    apply_all(&mut task, &[answered(1)]);
    assert_eq!(task.peer, Some(place(None)), "the peer's task has ended, its conversation continues");
    assert_eq!(step(&task), RunStep::Complete);

    let idle = idle_task();
    assert!(
        matches!(idle.clone().apply(at(2), &send_started("k")), Err(IllegalTransition::Attempt)),
        "no turn is open"
    );
}

fn idle_task() -> TaskRecord {
    task(ToolExecution::Agent, &[])
}

#[test]
fn messages_during_a_turn_wait_for_the_next_turn() {
    let mut task = task_with(&[send_started("k1"), attached()]);
    apply_message(&mut task, caller_message("more", "and tomorrow?", &[]));
    apply_all(&mut task, &[attempt(1, 2)]);
    assert_eq!((task.history.len(), task.waiting.len()), (1, 1), "the peer has not got the message yet");
    apply_all(&mut task, &[answered(1)]);
    assert_eq!(step(&task), RunStep::AskPeer { turn: 2, attempt: 1 });
    apply_all(&mut task, &[attempt(2, 1)]);
    assert_eq!((task.history.len(), task.waiting.len()), (3, 0));
}

#[test]
fn question_of_a_peer_joins_the_history_and_an_in_doubt_send_does_not() {
    let which = || TaskEvent::StatusChanged {
        state: TaskState::InputRequired,
        message: Some(Message::new("q".into(), Role::Agent, vec![Part::text("which?")])),
        reason: None,
    };
    let mut task = task_with(&[send_started("k1"), attached(), which()]);
    assert_eq!(task.history.iter().map(Message::text).collect::<Vec<_>>(), ["hello", "which?"]);
    assert!(task.peer.as_ref().is_some_and(|place| place.task.is_some()), "the answer goes to the task that asked");
    let results = caller_message("answer", "", &[result("elsewhere", "look")]);
    let accepted = accept_message(&task, results, baton_types::Timestamp::from_millis(0))
        .expect("results for unknown calls of a peer are accepted");
    assert!(
        accepted.starts_run
            && matches!(&accepted.events[..], [TaskEvent::MessageReceived { results, .. }] if results.is_empty())
    );
    apply_all(&mut task, &accepted.events);

    let doubtful = task_with(&[send_started("k1"), which()]);
    assert_eq!(doubtful.history.len(), 1, "a message with unknown arrival is sent again");
}

#[test]
fn waiting_for_a_peer_is_not_a_crash_loop() {
    let mut task = task_with(&[send_started("k1")]);
    for _ in 0..5 {
        let ResumeDecision::Go(event) = decide_resume(&task) else { panic!("a run that only waits was given up") };
        apply_all(&mut task, &[event]);
    }
    let mut own = task_with(&[]);
    let ResumeDecision::Go(event) = decide_resume(&own) else { panic!("a single crash makes no suspect") };
    apply_all(&mut own, &[event]);
    assert!(
        matches!(decide_resume(&own), ResumeDecision::Suspect(_)),
        "a run that may have crashed the process is a suspect"
    );
}

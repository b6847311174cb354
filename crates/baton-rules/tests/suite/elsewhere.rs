//! Turns that an agent elsewhere does.

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

fn asked(id: &str) -> TaskEvent {
    TaskEvent::PeerSendStarted { message: id.into() }
}

fn attached() -> TaskEvent {
    TaskEvent::PeerAttached { task: "far-1".to_owned(), context: "far-context".to_owned() }
}

fn begun(events: &[TaskEvent]) -> TaskRecord {
    let mut task = task(ToolExecution::Agent, &[run_started(), attempt(1, 1)]);
    apply_all(&mut task, events);
    task
}

#[test]
fn one_question_a_turn_and_it_is_asked_once() {
    let mut task = begun(&[]);
    assert_eq!(step(&task), RunStep::AskPeer { turn: 1, attempt: 2 });
    assert_eq!(task.apply(at(2), &attached()), Err(IllegalTransition::Attempt), "nothing was asked");
    apply_all(&mut task, &[asked("k1")]);
    assert_eq!(task.apply(at(2), &asked("k2")), Err(IllegalTransition::Attempt), "it was asked already");
    apply_all(&mut task, &[attached(), attempt(1, 2)]);
    assert_eq!(step(&task), RunStep::AskPeer { turn: 1, attempt: 3 }, "a cut-off turn is heard again");
    let place = |open: Option<&str>| PeerTaskRef { task: open.map(str::to_owned), context: "far-context".to_owned() };
    assert_eq!(task.peer, Some(place(Some("far-1"))));
    apply_all(&mut task, &[answered(1)]);
    assert_eq!(task.peer, Some(place(None)), "an answered task has ended there, its conversation goes on");
    assert_eq!(step(&task), RunStep::Complete);

    let idle = task_at_rest();
    assert!(matches!(idle.clone().apply(at(2), &asked("k")), Err(IllegalTransition::Attempt)), "no turn is open");
}

fn task_at_rest() -> TaskRecord {
    task(ToolExecution::Agent, &[])
}

#[test]
fn words_that_come_meanwhile_wait_for_the_next_turn_also_across_restarts() {
    let mut task = begun(&[asked("k1"), attached()]);
    say(&mut task, told("more", "and tomorrow?", &[]));
    apply_all(&mut task, &[attempt(1, 2)]);
    assert_eq!((task.history.len(), task.waiting.len()), (1, 1), "the agent elsewhere has not heard them");
    apply_all(&mut task, &[answered(1)]);
    assert_eq!(step(&task), RunStep::AskPeer { turn: 2, attempt: 1 });
    apply_all(&mut task, &[attempt(2, 1)]);
    assert_eq!((task.history.len(), task.waiting.len()), (3, 0));
}

#[test]
fn a_question_from_elsewhere_joins_the_history_and_doubt_does_not() {
    let which = || TaskEvent::StatusChanged {
        state: TaskState::InputRequired,
        message: Some(Message::new("q".into(), Role::Agent, vec![Part::text("which?")])),
        reason: None,
    };
    let mut task = begun(&[asked("k1"), attached(), which()]);
    assert_eq!(task.history.iter().map(Message::text).collect::<Vec<_>>(), ["hello", "which?"]);
    assert!(task.peer.as_ref().is_some_and(|place| place.task.is_some()), "the answer goes to the task that asked");
    let results = told("answer", "", &[result("elsewhere", "look")]);
    let heard = accept_message(&task, results, baton_types::Timestamp::from_millis(0))
        .expect("calls of an agent elsewhere are not ours to know");
    assert!(
        heard.starts_run
            && matches!(&heard.events[..], [TaskEvent::MessageReceived { results, .. }] if results.is_empty())
    );
    apply_all(&mut task, &heard.events);

    let doubtful = begun(&[asked("k1"), which()]);
    assert_eq!(doubtful.history.len(), 1, "what nobody is known to have heard is said again");
}

#[test]
fn waiting_for_an_agent_elsewhere_is_no_crash_loop() {
    let mut task = begun(&[asked("k1")]);
    for _ in 0..5 {
        let ResumeDecision::Go(event) = decide_resume(&task) else { panic!("a run that only waits was given up") };
        apply_all(&mut task, &[event]);
    }
    let mut own = begun(&[]);
    let ResumeDecision::Go(event) = decide_resume(&own) else { panic!("the first death says nothing") };
    apply_all(&mut own, &[event]);
    assert!(
        matches!(decide_resume(&own), ResumeDecision::Suspect(_)),
        "a run that may have brought the process down is"
    );
}

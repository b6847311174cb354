//! A valid history passes, and every violation is reported under its guarantee.

use crate::sample::{self, ASK, CHILD, HANDOFF, LOOK, PARENT, PAY, SET};
use baton_client::StreamEvent;
use baton_testkit::{
    DeliveryAttempt, Evidence, Execution, Generation, History, KeyedMessage, Transcript,
    checker::{Guarantee, check},
};
use baton_types::{
    FailureReason, HandoffEvent, HandoffStatus, JournalEvent, StreamId, TaskEvent, TaskState, Timestamp,
};
use std::{collections::BTreeSet, sync::Arc};

#[test]
fn valid_history_passes() {
    let violations = check(&sample::evidence());
    assert!(violations.is_empty(), "{violations:#?}");
}

/// Guarantees reported as violated after `change`.
fn violated_after(change: impl FnOnce(&mut Evidence)) -> BTreeSet<Guarantee> {
    let mut evidence = sample::evidence();
    change(&mut evidence);
    check(&evidence).into_iter().map(|violation| violation.guarantee).collect()
}

fn only(guarantee: Guarantee) -> BTreeSet<Guarantee> {
    BTreeSet::from([guarantee])
}

/// Replaces the journal events one by one; `None` removes an event and leaves its number unused.
fn rewrite(evidence: &mut Evidence, change: impl Fn(&StreamId, u64, &JournalEvent) -> Option<JournalEvent>) {
    let events = evidence.history.events.iter().filter_map(|event| {
        let fact = change(&event.stream, event.number, &event.fact)?;
        Some(Arc::new(baton_ports::StoredEvent { fact, ..(**event).clone() }))
    });
    evidence.history = History::from_events(events.collect::<Vec<_>>());
    // The client observations no longer match the journal and are not part of these tests.
    evidence.views.clear();
    evidence.listed_events.clear();
    evidence.transcripts.clear();
    evidence.receivers.clear();
}

/// Appends an event to a stream.
fn append(evidence: &mut Evidence, stream: &StreamId, fact: JournalEvent) {
    let mut events = evidence.history.events.clone();
    let last = events.iter().rev().find(|event| event.stream == *stream).cloned().expect("a stream");
    let seq = events.last().map_or(1, |event| event.seq + 1);
    events.push(Arc::new(baton_ports::StoredEvent { seq, number: last.number + 1, fact, ..(*last).clone() }));
    evidence.history = History::from_events(events);
    evidence.listed_events.clear();
}

fn handoff_status_changed(to: HandoffStatus) -> JournalEvent {
    JournalEvent::Handoff(HandoffEvent::StatusChanged { to, result: None, error: None, result_trace_id: None })
}

fn transcript(evidence: &mut Evidence) -> &mut Vec<StreamEvent> {
    let transcript: &mut Transcript = &mut evidence.transcripts[0];
    &mut transcript.segments.last_mut().expect("a segment").events
}

#[test]
fn lost_and_unfinished_tasks_are_reported() {
    let lost = violated_after(|evidence| evidence.acknowledged.push("nobody".into()));
    assert_eq!(lost, only(Guarantee::Acknowledged));
    let unended = violated_after(|evidence| {
        let last = evidence.history.tasks[PARENT].len() as u64;
        rewrite(evidence, |stream, number, fact| {
            (*stream != StreamId::Task(PARENT.into()) || number != last).then(|| fact.clone())
        });
    });
    assert_eq!(unended, only(Guarantee::Acknowledged));
}

#[test]
fn missing_and_illegal_events_are_reported() {
    let hole = violated_after(|evidence| {
        rewrite(evidence, |stream, number, fact| {
            (*stream != StreamId::Task(CHILD.into()) || number != 2).then(|| fact.clone())
        });
    });
    assert!(hole.contains(&Guarantee::Numbering) && hole.contains(&Guarantee::Folding), "{hole:?}");
    let undead = violated_after(|evidence| {
        let again = TaskEvent::StatusChanged { state: TaskState::Failed, message: None, reason: None };
        append(evidence, &StreamId::Task(PARENT.into()), JournalEvent::Task(again));
    });
    assert!(undead.contains(&Guarantee::Folding), "{undead:?}");
    let disordered = violated_after(|evidence| evidence.history.events.swap(0, 1));
    assert_eq!(disordered, only(Guarantee::Numbering));
}

#[test]
fn task_views_and_listed_events_are_compared() {
    let view = violated_after(|evidence| {
        let view = evidence.views.get_mut(PARENT).expect("a view");
        view.history.as_mut().expect("history").pop();
    });
    assert_eq!(view, only(Guarantee::Folding));
    let listed = violated_after(|evidence| {
        evidence.listed_events.get_mut(PARENT).expect("events").pop();
    });
    assert_eq!(listed, only(Guarantee::Numbering));
}

#[test]
fn missing_repeated_and_reordered_stream_events_are_reported() {
    let changes: [fn(&mut Evidence); 7] = [
        |evidence| drop(transcript(evidence).pop()),
        |evidence| {
            let events = transcript(evidence);
            events.push(events.last().expect("an event").clone());
        },
        |evidence| {
            let events = transcript(evidence);
            let last = events.len() - 1;
            events.swap(last, last - 1);
        },
        // A stream that does not continue at the client's cursor.
        |evidence| transcript(evidence)[0].number = Some(4),
        // A client that sends an older cursor than it has received.
        |evidence| evidence.transcripts[0].segments[1].cursor = Some(1),
        // The right number on the wrong event.
        |evidence| {
            let events = transcript(evidence);
            let last = events.len() - 1;
            events[last].item = events[last - 2].item.clone();
        },
        // A status without a number, so that a client cannot resume after it.
        |evidence| transcript(evidence).last_mut().expect("an event").number = None,
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert!(violated_after(change).contains(&Guarantee::Stream), "change {index}");
    }
}

#[test]
fn text_outside_the_answer_is_reported() {
    // The text of an abandoned attempt is never retracted.
    let stale = violated_after(|evidence| {
        let events = transcript(evidence);
        let at = sample::retraction(events).expect("a retraction");
        events.remove(at);
    });
    assert_eq!(stale, only(Guarantee::Stream));
    let other = violated_after(|evidence| {
        let view = evidence.views.get_mut(PARENT).expect("a view");
        let artifact = view.artifacts.as_mut().and_then(|all| all.last_mut()).expect("an answer");
        artifact.parts[0].text = Some("something else".into());
    });
    assert!(other.contains(&Guarantee::Stream), "{other:?}");
    let appended = violated_after(|evidence| {
        let events = transcript(evidence);
        let live = events.iter_mut().find(|event| event.number.is_none()).expect("live text");
        live.item.artifact_update.as_mut().expect("text").append = true;
    });
    assert_eq!(appended, only(Guarantee::Stream));
}

#[test]
fn excess_tool_executions_are_reported() {
    let run = |call: &str, tool: &str, server| Execution { tool: tool.to_owned(), call: call.into(), server };
    let changes: [(&str, Execution); 6] = [
        ("unknown effects, twice", run(PAY, "pay", sample::FIRST)),
        ("idempotent, once more than on record", run(SET, "set", sample::FIRST)),
        ("twice under one server", run(LOOK, "look", sample::SECOND)),
        ("after its result", run(LOOK, "look", sample::THIRD)),
        ("for an unrecorded call", run("call-x", "pay", sample::FIRST)),
        ("for a call of another tool", run(PAY, "look", sample::SECOND)),
    ];
    for (what, execution) in changes {
        assert_eq!(violated_after(|evidence| evidence.executions.push(execution)), only(Guarantee::Tool), "{what}");
    }
    let never = violated_after(|evidence| evidence.executions.retain(|execution| execution.tool != "pay"));
    assert_eq!(never, only(Guarantee::Tool));
    // The first line of an orphan may be late: its server is unknown, and the tool may run again.
    let orphan = violated_after(|evidence| evidence.executions.push(run(LOOK, "look", 1)));
    assert_eq!(orphan, BTreeSet::new());
    let lost_look = violated_after(|evidence| evidence.executions.push(run("call-lost", "look", sample::FIRST)));
    assert_eq!(lost_look, BTreeSet::new());
    let answered = violated_after(|evidence| {
        evidence.generations.push(Generation { pid: 99, started_at: Timestamp::from_millis(1_000_000) });
        evidence.executions.push(run(SET, "set", 99));
    });
    assert_eq!(answered, only(Guarantee::Tool));
}

#[test]
fn duplicate_and_unfinished_handoffs_are_reported() {
    let twice = violated_after(|evidence| {
        let sent = evidence.history.tasks[PARENT].iter().find(|event| event.fact.kind() == "task.handoff_sent");
        let sent = sent.expect("a handoff").fact.clone();
        append(evidence, &StreamId::Task(PARENT.into()), sent);
    });
    assert!(twice.contains(&Guarantee::Handoff), "{twice:?}");
    let unended = violated_after(|evidence| {
        let last = evidence.history.handoffs[HANDOFF].len() as u64;
        rewrite(evidence, |stream, number, fact| {
            (*stream != StreamId::Handoff(HANDOFF.into()) || number != last).then(|| fact.clone())
        });
    });
    assert_eq!(unended, only(Guarantee::Handoff));
    let ended_twice = violated_after(|evidence| {
        append(evidence, &StreamId::Handoff(HANDOFF.into()), handoff_status_changed(HandoffStatus::Failed));
    });
    assert!(ended_twice.contains(&Guarantee::Folding), "{ended_twice:?}");
    let second_child = violated_after(|evidence| {
        let copies = evidence.history.tasks[CHILD].clone();
        let mut seq = evidence.history.events.last().map_or(0, |event| event.seq);
        let copies = copies.iter().map(|event| {
            seq += 1;
            let stream = StreamId::Task("twin".into());
            Arc::new(baton_ports::StoredEvent { seq, stream, ..(**event).clone() })
        });
        let events: Vec<_> = evidence.history.events.iter().cloned().chain(copies).collect();
        evidence.history = History::from_events(events);
    });
    assert_eq!(second_child, only(Guarantee::Handoff));
    let unrecorded = violated_after(|evidence| {
        rewrite(evidence, |stream, _, fact| (*stream != StreamId::Handoff(HANDOFF.into())).then(|| fact.clone()));
    });
    assert_eq!(unrecorded, only(Guarantee::Handoff));
}

/// Truncates the parent's history at the event where its server died, adds `deaths` resumptions, and then `fact`.
fn append_after_crashes(evidence: &mut Evidence, deaths: u64, alone: bool, fact: TaskEvent) {
    let parent = StreamId::Task(PARENT.into());
    rewrite(evidence, |stream, number, fact| {
        let kept = *stream != parent || number <= sample::CUT_OFF_AT + 1;
        kept.then(|| fact.clone())
    });
    for _ in 1..deaths {
        let resumed = TaskEvent::RunResumed { run: "run-1".into(), after: sample::CUT_OFF_AT, isolated: alone };
        append(evidence, &parent, JournalEvent::Task(resumed));
    }
    append(evidence, &parent, JournalEvent::Task(fact));
}

#[test]
fn premature_crash_loop_failures_are_reported() {
    let given_up = || {
        let reason = Some(FailureReason { code: "BTN-3005".to_owned(), detail: "it died".to_owned(), provider: None });
        TaskEvent::StatusChanged { state: TaskState::Failed, message: None, reason }
    };
    assert_eq!(
        violated_after(|evidence| append_after_crashes(evidence, 1, true, given_up())),
        only(Guarantee::CrashLoop)
    );
    assert_eq!(
        violated_after(|evidence| append_after_crashes(evidence, 3, false, given_up())),
        only(Guarantee::CrashLoop)
    );
    assert_eq!(violated_after(|evidence| append_after_crashes(evidence, 2, true, given_up())), BTreeSet::new());
}

type AttemptsChange = fn(&mut Vec<DeliveryAttempt>);

#[test]
fn missing_reordered_and_unknown_notifications_are_reported() {
    let changes: [(&str, AttemptsChange); 8] = [
        ("the last is missing", |attempts| drop(attempts.pop())),
        ("the last was never accepted", |attempts| attempts.last_mut().expect("one").accepted = false),
        ("the first is missing", |attempts| drop(attempts.remove(0))),
        ("one in the middle is missing", |attempts| drop(attempts.remove(attempts.len() - 2))),
        ("two changed places", |attempts| {
            let last = attempts.len() - 1;
            attempts.swap(last, last - 1);
        }),
        ("the next came before the rejected one was accepted", |attempts| drop(attempts.remove(2))),
        ("an old one came again", |attempts| attempts.push(attempts[0].clone())),
        ("an unknown payload", |attempts| attempts[5].body = serde_json::json!({"task": "?"})),
    ];
    for (what, change) in changes {
        for receiver in 0..2 {
            let found = violated_after(|evidence| change(&mut evidence.receivers[receiver].attempts));
            assert_eq!(found, only(Guarantee::Push), "{what}, receiver {receiver}");
        }
    }
    let ghost = violated_after(|evidence| evidence.receivers[0].message = "never-said".into());
    assert_eq!(ghost, only(Guarantee::Push));
    let interrupted = violated_after(|evidence| {
        evidence.receivers[0].message = "never-said".into();
        evidence.receivers[0].attempts.clear();
    });
    assert_eq!(interrupted, BTreeSet::new(), "an interrupted send requires no notifications");
    let later = violated_after(|evidence| {
        evidence.receivers.pop();
        evidence.receivers[0].after = 2;
        evidence.receivers[0].attempts.drain(..3);
    });
    assert_eq!(later, BTreeSet::new(), "a later registration gets no earlier events");
    let repeated = violated_after(|evidence| {
        let attempts = &mut evidence.receivers[0].attempts;
        attempts.push(attempts.last().expect("one").clone());
    });
    assert_eq!(repeated, BTreeSet::new(), "the last notification may be repeated");
}

/// Submits a copy of the parent's first event as another task.
fn submit_copy(evidence: &mut Evidence, task: &str) {
    let first = (*evidence.history.tasks[PARENT][0]).clone();
    let seq = evidence.history.events.last().map_or(1, |event| event.seq + 1);
    let stream = StreamId::Task(task.into());
    let copy = Arc::new(baton_ports::StoredEvent { seq, stream, ..first });
    evidence.history = History::from_events(evidence.history.events.iter().cloned().chain([copy]).collect::<Vec<_>>());
}

#[test]
fn duplicate_and_lost_keyed_messages_are_reported() {
    let twice = violated_after(|evidence| submit_copy(evidence, "twin"));
    assert!(twice.contains(&Guarantee::Idempotent) && twice.contains(&Guarantee::Push), "{twice:?}");
    let said_again = violated_after(|evidence| {
        let JournalEvent::Task(TaskEvent::Submitted { message, .. }) = &evidence.history.tasks[PARENT][0].fact else {
            panic!("a task begins with its message");
        };
        let said = TaskEvent::MessageReceived { message: message.clone(), results: Vec::new() };
        append(evidence, &StreamId::Task(CHILD.into()), JournalEvent::Task(said));
    });
    assert!(said_again.contains(&Guarantee::Idempotent), "{said_again:?}");
    let lost = violated_after(|evidence| {
        evidence.keyed_messages.push(KeyedMessage {
            message: "never-said".into(),
            sends: 2,
            answers: vec![PARENT.into()],
        });
    });
    assert_eq!(lost, only(Guarantee::Idempotent));
    let other = violated_after(|evidence| evidence.keyed_messages[0].answers.push(CHILD.into()));
    assert_eq!(other, only(Guarantee::Idempotent));
    let unanswered = violated_after(|evidence| {
        evidence.keyed_messages = vec![
            KeyedMessage { message: ASK.into(), sends: 2, answers: Vec::new() },
            KeyedMessage { message: "never-said".into(), sends: 2, answers: Vec::new() },
        ];
    });
    assert_eq!(unanswered, BTreeSet::new(), "unanswered sends have no guarantee");
}

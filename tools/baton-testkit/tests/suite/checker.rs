//! A sound history passes; every way to spoil it is found, and named as the promise that it breaks.

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
fn a_sound_history_passes() {
    let violations = check(&sample::evidence());
    assert!(violations.is_empty(), "{violations:#?}");
}

/// The promises that are found broken after `spoil`.
fn broken(spoil: impl FnOnce(&mut Evidence)) -> BTreeSet<Guarantee> {
    let mut evidence = sample::evidence();
    spoil(&mut evidence);
    check(&evidence).into_iter().map(|violation| violation.guarantee).collect()
}

fn only(promise: Guarantee) -> BTreeSet<Guarantee> {
    BTreeSet::from([promise])
}

/// Replaces the facts of the journal one by one; `None` leaves one out without closing the gap.
fn rewrite(evidence: &mut Evidence, change: impl Fn(&StreamId, u64, &JournalEvent) -> Option<JournalEvent>) {
    let events = evidence.history.events.iter().filter_map(|event| {
        let fact = change(&event.stream, event.number, &event.fact)?;
        Some(Arc::new(baton_ports::StoredEvent { fact, ..(**event).clone() }))
    });
    evidence.history = History::from_events(events.collect::<Vec<_>>());
    // What was shown before is not what this is about.
    evidence.views.clear();
    evidence.listed_events.clear();
    evidence.transcripts.clear();
    evidence.receivers.clear();
}

/// Adds a fact at the end of a stream.
fn append(evidence: &mut Evidence, stream: &StreamId, fact: JournalEvent) {
    let mut events = evidence.history.events.clone();
    let last = events.iter().rev().find(|event| event.stream == *stream).cloned().expect("a stream");
    let seq = events.last().map_or(1, |event| event.seq + 1);
    events.push(Arc::new(baton_ports::StoredEvent { seq, number: last.number + 1, fact, ..(*last).clone() }));
    evidence.history = History::from_events(events);
    evidence.listed_events.clear();
}

fn moved(to: HandoffStatus) -> JournalEvent {
    JournalEvent::Handoff(HandoffEvent::StatusChanged { to, result: None, error: None, result_trace_id: None })
}

fn transcript(evidence: &mut Evidence) -> &mut Vec<StreamEvent> {
    let transcript: &mut Transcript = &mut evidence.transcripts[0];
    &mut transcript.segments.last_mut().expect("a segment").events
}

#[test]
fn lost_and_unended_tasks_are_found() {
    let lost = broken(|evidence| evidence.acknowledged.push("nobody".into()));
    assert_eq!(lost, only(Guarantee::Acknowledged));
    let unended = broken(|evidence| {
        let last = evidence.history.tasks[PARENT].len() as u64;
        rewrite(evidence, |stream, number, fact| {
            (*stream != StreamId::Task(PARENT.into()) || number != last).then(|| fact.clone())
        });
    });
    assert_eq!(unended, only(Guarantee::Acknowledged));
}

#[test]
fn holes_and_illegal_events_are_found() {
    let hole = broken(|evidence| {
        rewrite(evidence, |stream, number, fact| {
            (*stream != StreamId::Task(CHILD.into()) || number != 2).then(|| fact.clone())
        });
    });
    assert!(hole.contains(&Guarantee::Numbering) && hole.contains(&Guarantee::Folding), "{hole:?}");
    let undead = broken(|evidence| {
        let again = TaskEvent::StatusChanged { state: TaskState::Failed, message: None, reason: None };
        append(evidence, &StreamId::Task(PARENT.into()), JournalEvent::Task(again));
    });
    assert!(undead.contains(&Guarantee::Folding), "{undead:?}");
    let disordered = broken(|evidence| evidence.history.events.swap(0, 1));
    assert_eq!(disordered, only(Guarantee::Numbering));
}

#[test]
fn what_people_are_shown_is_compared() {
    let view = broken(|evidence| {
        let view = evidence.views.get_mut(PARENT).expect("a view");
        view.history.as_mut().expect("history").pop();
    });
    assert_eq!(view, only(Guarantee::Folding));
    let listed = broken(|evidence| {
        evidence.listed_events.get_mut(PARENT).expect("events").pop();
    });
    assert_eq!(listed, only(Guarantee::Numbering));
}

#[test]
fn gaps_repetitions_and_disorder_in_streams_are_found() {
    let spoils: [fn(&mut Evidence); 7] = [
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
        // A stream that goes on somewhere else than the client asked for.
        |evidence| transcript(evidence)[0].number = Some(4),
        // A client that does not tell what it had seen.
        |evidence| evidence.transcripts[0].segments[1].cursor = Some(1),
        // The right number on the wrong event.
        |evidence| {
            let events = transcript(evidence);
            let last = events.len() - 1;
            events[last].item = events[last - 2].item.clone();
        },
        // A status that nobody could resume from.
        |evidence| transcript(evidence).last_mut().expect("an event").number = None,
    ];
    for (index, spoil) in spoils.into_iter().enumerate() {
        assert!(broken(spoil).contains(&Guarantee::Stream), "spoil {index}");
    }
}

#[test]
fn text_that_is_not_the_answer_is_found() {
    // The text of an attempt that was cut off is never taken back.
    let stale = broken(|evidence| {
        let events = transcript(evidence);
        let at = sample::retraction(events).expect("a retraction");
        events.remove(at);
    });
    assert_eq!(stale, only(Guarantee::Stream));
    let other = broken(|evidence| {
        let view = evidence.views.get_mut(PARENT).expect("a view");
        let artifact = view.artifacts.as_mut().and_then(|all| all.last_mut()).expect("an answer");
        artifact.parts[0].text = Some("something else".into());
    });
    assert!(other.contains(&Guarantee::Stream), "{other:?}");
    let appended = broken(|evidence| {
        let events = transcript(evidence);
        let live = events.iter_mut().find(|event| event.number.is_none()).expect("live text");
        live.item.artifact_update.as_mut().expect("text").append = true;
    });
    assert_eq!(appended, only(Guarantee::Stream));
}

#[test]
fn tools_that_run_too_often_are_found() {
    let run = |call: &str, tool: &str, server| Execution { tool: tool.to_owned(), call: call.into(), server };
    let spoils: [(&str, Execution); 6] = [
        ("unknown effects, twice", run(PAY, "pay", sample::FIRST)),
        ("idempotent, once more than on record", run(SET, "set", sample::FIRST)),
        ("twice under one server", run(LOOK, "look", sample::SECOND)),
        ("after its result", run(LOOK, "look", sample::THIRD)),
        ("for a call that nobody recorded", run("call-x", "pay", sample::FIRST)),
        ("for a call of another tool", run(PAY, "look", sample::SECOND)),
    ];
    for (what, execution) in spoils {
        assert_eq!(broken(|evidence| evidence.executions.push(execution)), only(Guarantee::Tool), "{what}");
    }
    let never = broken(|evidence| evidence.executions.retain(|execution| execution.tool != "pay"));
    assert_eq!(never, only(Guarantee::Tool));
    // An orphan's first line may come late: its server is not known any more, and it may run again.
    let orphan = broken(|evidence| evidence.executions.push(run(LOOK, "look", 1)));
    assert_eq!(orphan, BTreeSet::new());
    let lost_look = broken(|evidence| evidence.executions.push(run("call-lost", "look", sample::FIRST)));
    assert_eq!(lost_look, BTreeSet::new());
    let answered = broken(|evidence| {
        evidence.generations.push(Generation { pid: 99, started_at: Timestamp::from_millis(1_000_000) });
        evidence.executions.push(run(SET, "set", 99));
    });
    assert_eq!(answered, only(Guarantee::Tool));
}

#[test]
fn handoffs_that_are_sent_twice_or_never_end_are_found() {
    let twice = broken(|evidence| {
        let sent = evidence.history.tasks[PARENT].iter().find(|event| event.fact.kind() == "task.handoff_sent");
        let sent = sent.expect("a handoff").fact.clone();
        append(evidence, &StreamId::Task(PARENT.into()), sent);
    });
    assert!(twice.contains(&Guarantee::Handoff), "{twice:?}");
    let unended = broken(|evidence| {
        let last = evidence.history.handoffs[HANDOFF].len() as u64;
        rewrite(evidence, |stream, number, fact| {
            (*stream != StreamId::Handoff(HANDOFF.into()) || number != last).then(|| fact.clone())
        });
    });
    assert_eq!(unended, only(Guarantee::Handoff));
    let ended_twice =
        broken(|evidence| append(evidence, &StreamId::Handoff(HANDOFF.into()), moved(HandoffStatus::Failed)));
    assert!(ended_twice.contains(&Guarantee::Folding), "{ended_twice:?}");
    let second_child = broken(|evidence| {
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
    let unrecorded = broken(|evidence| {
        rewrite(evidence, |stream, _, fact| (*stream != StreamId::Handoff(HANDOFF.into())).then(|| fact.clone()));
    });
    assert_eq!(unrecorded, only(Guarantee::Handoff));
}

/// The parent's history up to where its server died so often, and then `fact`.
fn after_deaths(evidence: &mut Evidence, deaths: u64, alone: bool, fact: TaskEvent) {
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
fn giving_up_too_early_or_without_proof_is_found() {
    let given_up = || {
        let reason = Some(FailureReason { code: "BTN-3005".to_owned(), detail: "it died".to_owned(), provider: None });
        TaskEvent::StatusChanged { state: TaskState::Failed, message: None, reason }
    };
    assert_eq!(broken(|evidence| after_deaths(evidence, 1, true, given_up())), only(Guarantee::CrashLoop));
    assert_eq!(broken(|evidence| after_deaths(evidence, 3, false, given_up())), only(Guarantee::CrashLoop));
    assert_eq!(broken(|evidence| after_deaths(evidence, 2, true, given_up())), BTreeSet::new());
}

type SpoilAttempts = fn(&mut Vec<DeliveryAttempt>);

#[test]
fn gaps_disorder_and_strangers_among_notifications_are_found() {
    let spoils: [(&str, SpoilAttempts); 8] = [
        ("the last is missing", |attempts| drop(attempts.pop())),
        ("the last was never taken", |attempts| attempts.last_mut().expect("one").accepted = false),
        ("the first is missing", |attempts| drop(attempts.remove(0))),
        ("one in the middle is missing", |attempts| drop(attempts.remove(attempts.len() - 2))),
        ("two changed places", |attempts| {
            let last = attempts.len() - 1;
            attempts.swap(last, last - 1);
        }),
        ("the next came before the refused one was taken", |attempts| drop(attempts.remove(2))),
        ("an old one came again", |attempts| attempts.push(attempts[0].clone())),
        ("nobody knows what this is", |attempts| attempts[5].body = serde_json::json!({"task": "?"})),
    ];
    for (what, spoil) in spoils {
        for receiver in 0..2 {
            let found = broken(|evidence| spoil(&mut evidence.receivers[receiver].attempts));
            assert_eq!(found, only(Guarantee::Push), "{what}, receiver {receiver}");
        }
    }
    let ghost = broken(|evidence| evidence.receivers[0].message = "never-said".into());
    assert_eq!(ghost, only(Guarantee::Push));
    let unheard = broken(|evidence| {
        evidence.receivers[0].message = "never-said".into();
        evidence.receivers[0].attempts.clear();
    });
    assert_eq!(unheard, BTreeSet::new(), "a send that was cut off owes nothing");
    let later = broken(|evidence| {
        evidence.receivers.pop();
        evidence.receivers[0].after = 2;
        evidence.receivers[0].attempts.drain(..3);
    });
    assert_eq!(later, BTreeSet::new(), "one that was registered later is not owed what was before");
    let repeated = broken(|evidence| {
        let attempts = &mut evidence.receivers[0].attempts;
        attempts.push(attempts.last().expect("one").clone());
    });
    assert_eq!(repeated, BTreeSet::new(), "the last one may come again");
}

/// Another copy of the parent's first event.
fn begun_again(evidence: &mut Evidence, task: &str) {
    let first = (*evidence.history.tasks[PARENT][0]).clone();
    let seq = evidence.history.events.last().map_or(1, |event| event.seq + 1);
    let stream = StreamId::Task(task.into());
    let copy = Arc::new(baton_ports::StoredEvent { seq, stream, ..first });
    evidence.history = History::from_events(evidence.history.events.iter().cloned().chain([copy]).collect::<Vec<_>>());
}

#[test]
fn messages_that_were_said_twice_or_lost_under_a_key_are_found() {
    let twice = broken(|evidence| begun_again(evidence, "twin"));
    assert!(twice.contains(&Guarantee::Idempotent) && twice.contains(&Guarantee::Push), "{twice:?}");
    let said_again = broken(|evidence| {
        let JournalEvent::Task(TaskEvent::Submitted { message, .. }) = &evidence.history.tasks[PARENT][0].fact else {
            panic!("a task begins with its message");
        };
        let said = TaskEvent::MessageReceived { message: message.clone(), results: Vec::new() };
        append(evidence, &StreamId::Task(CHILD.into()), JournalEvent::Task(said));
    });
    assert!(said_again.contains(&Guarantee::Idempotent), "{said_again:?}");
    let lost = broken(|evidence| {
        evidence.keyed_messages.push(KeyedMessage {
            message: "never-said".into(),
            sends: 2,
            answers: vec![PARENT.into()],
        });
    });
    assert_eq!(lost, only(Guarantee::Idempotent));
    let other = broken(|evidence| evidence.keyed_messages[0].answers.push(CHILD.into()));
    assert_eq!(other, only(Guarantee::Idempotent));
    let unanswered = broken(|evidence| {
        evidence.keyed_messages = vec![
            KeyedMessage { message: ASK.into(), sends: 2, answers: Vec::new() },
            KeyedMessage { message: "never-said".into(), sends: 2, answers: Vec::new() },
        ];
    });
    assert_eq!(unanswered, BTreeSet::new(), "nobody was promised anything");
}

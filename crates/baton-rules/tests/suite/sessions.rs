//! Session records and imports.

use crate::sample::{
    answered, at, attempt, call, caller_message, finished, result, run_started, status, submitted, tools_called,
};
use baton_rules::{
    IllegalSessionEvent, SessionRecord, TaskRecord, Transcript, apply_overrides, calls_part, check_settings,
    check_title, parse_tool_calls, parse_tool_results, repair_transcript,
};
use baton_types::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn opened() -> SessionEvent {
    SessionEvent::Opened { agent: "personal".into(), context: "c".into(), origin: None, history: Vec::new() }
}

fn rule(name: &str) -> ItemName {
    ItemName { kind: ItemKind::Rule, name: name.to_owned() }
}

fn settings(model: Option<&str>, turns: Option<u32>) -> SessionEvent {
    let settings =
        SessionOverrides { model: model.map(str::to_owned), max_turns: turns, ..SessionOverrides::default() };
    SessionEvent::SettingsChanged { settings }
}

#[test]
fn record_keeps_the_latest_changes() {
    let events = [
        opened(),
        SessionEvent::Renamed { title: Some("Trip".to_owned()) },
        SessionEvent::Included { item: rule("b") },
        SessionEvent::Included { item: rule("a") },
        SessionEvent::Included { item: rule("b") },
        SessionEvent::Excluded { item: rule("b") },
        SessionEvent::Excluded { item: rule("c") },
        SessionEvent::Included { item: rule("c") },
        settings(Some("x:1"), Some(3)),
        settings(Some("x:1"), None),
        settings(None, None),
    ];
    let timed = || events.iter().zip(1..).map(|(event, millis)| (at(millis), event));
    let record = SessionRecord::fold(timed()).unwrap();
    assert_eq!((record.title.as_deref(), record.version), (Some("Trip"), 11));
    assert_eq!((record.included.clone(), record.excluded.clone()), (vec![rule("a"), rule("c")], vec![rule("b")]));
    assert!(record.includes(ItemKind::Rule, "a") && !record.includes(ItemKind::Reference, "a"));
    assert!(record.excludes(ItemKind::Rule, "b") && !record.excludes(ItemKind::Rule, "c"));
    assert_eq!((record.opened_at, record.changed_at, record.settings.is_empty()), (at(1), at(11), true));
    // Only model changes are notices, placed at their time.
    let mut before = SessionRecord::from_opened(at(1), &events[0]).unwrap();
    let mut notices: Vec<(Timestamp, String)> = Vec::new();
    for (at, event) in timed().skip(1) {
        let notice = before.notice_for(at, event);
        assert!(notice.iter().all(|entry| entry.notice));
        notices.extend(notice.map(|entry| (entry.at, entry.message.text())));
        before.apply(at, event).unwrap();
    }
    assert_eq!(before, record);
    assert_eq!(notices.len(), 2);
    assert!(notices[0].0 == at(9) && notices[0].1.contains("x:1"), "{notices:?}");
    assert!(notices[1].0 == at(11) && notices[1].1.contains("the agent's default"), "{notices:?}");

    // An import brings its own notices.
    let origin = Some(SessionOrigin::Import { context: None });
    let import = SessionEvent::Opened { agent: "personal".into(), context: "c".into(), origin, history: Vec::new() };
    let mut taken = SessionRecord::from_opened(at(5), &import).unwrap();
    let settled = settings(Some("x:1"), None);
    assert_eq!(taken.notice_for(at(5), &settled), None);
    taken.apply(at(5), &settled).unwrap();
    assert!(taken.notice_for(at(6), &settings(None, None)).is_some());

    assert_eq!(SessionRecord::fold([]), Err(IllegalSessionEvent));
    assert_eq!(SessionRecord::fold(timed().skip(1)), Err(IllegalSessionEvent));
    let mut twice = record.clone();
    assert_eq!(twice.apply(at(12), &opened()), Err(IllegalSessionEvent));
    assert_eq!(twice, record);
}

#[test]
fn session_settings_override_the_agent() {
    let spec = crate::sample::spec();
    assert_eq!(apply_overrides(&spec, &SessionOverrides::default()), spec);
    let all = SessionOverrides {
        model: Some("openai:gpt-5".to_owned()),
        max_turns: Some(7),
        max_output_tokens: Some(100),
        temperature: Some(Thousandths(200)),
        top_p: Some(Thousandths(900)),
        tool_permission: Some(ApprovalMode::Always),
        autonomous: Some(true),
        context_top_k: Some(9),
        context_top_n: Some(2),
        context_include_score: Some(Thousandths(500)),
    };
    let held = apply_overrides(&spec, &all);
    let relevance = RelevanceLimits { top_k: 9, top_n: 2, include_score: Thousandths(500) };
    assert_eq!(
        (held.limits.max_turns, held.policy.ask, held.knowledge.relevance),
        (7, ApprovalMode::Always, relevance)
    );
    assert_eq!(held.writing.model.as_deref(), Some("openai:gpt-5"));
    assert_eq!((held.writing.max_output_tokens, held.autonomous), (Some(100), true));
    assert_eq!((held.writing.temperature, held.writing.top_p), (all.temperature, all.top_p));
    assert_ne!(held.digest().unwrap(), spec.digest().unwrap());
    // An autonomous agent stays autonomous.
    let asked = SessionOverrides { autonomous: Some(false), ..SessionOverrides::default() };
    assert!(apply_overrides(&AgentSpec { autonomous: true, ..spec }, &asked).autonomous);
}

#[test]
fn settings_and_titles_have_bounds() {
    let none = SessionOverrides::default;
    for (settings, wrong) in [
        (none(), None),
        (SessionOverrides { max_turns: Some(500), temperature: Some(Thousandths(2000)), ..none() }, None),
        (SessionOverrides { model: Some("claude:x:1".to_owned()), ..none() }, None),
        (SessionOverrides { model: Some("gpt".to_owned()), ..none() }, Some("model")),
        (SessionOverrides { model: Some(":gpt".to_owned()), ..none() }, Some("model")),
        (SessionOverrides { max_turns: Some(0), ..none() }, Some("max_turns")),
        (SessionOverrides { max_turns: Some(501), ..none() }, Some("max_turns")),
        (SessionOverrides { max_output_tokens: Some(0), ..none() }, Some("max_output_tokens")),
        (SessionOverrides { temperature: Some(Thousandths(2001)), ..none() }, Some("temperature")),
        (SessionOverrides { top_p: Some(Thousandths(1001)), ..none() }, Some("top_p")),
        (SessionOverrides { context_top_k: Some(101), ..none() }, Some("context_top_k")),
        (SessionOverrides { context_top_n: Some(0), ..none() }, Some("context_top_n")),
        (SessionOverrides { context_include_score: Some(Thousandths(1001)), ..none() }, Some("context_include_score")),
    ] {
        assert_eq!(check_settings(&settings).err().map(|refused| refused.setting), wrong, "{settings:?}");
    }
    assert_eq!(check_title(Some("  Trip ")), Ok(Some("Trip".to_owned())));
    assert_eq!(check_title(Some(" ")), Ok(None));
    assert!(check_title(Some("a\nb")).is_err() && check_title(Some(&"x".repeat(257))).is_err());
}

#[test]
fn transcript_has_the_model_input_and_the_final_message() {
    let request = RequestContext {
        items: vec![IncludedItem {
            kind: ItemKind::Rule,
            name: "style".to_owned(),
            server: None,
            include: InclusionMode::Always,
            score: None,
        }],
    };
    let late = TaskEvent::MessageReceived { message: caller_message("late", "and this", &[]), results: Vec::new() };
    let chosen = TaskEvent::ContextSelected { message: "u1".into(), request: request.clone(), warning: None };
    let events = [
        submitted(ToolExecution::Agent),
        run_started(),
        attempt(1, 1),
        chosen,
        tools_called(1, &[call("c1", "look")]),
        late,
        finished("c1", "look"),
        attempt(2, 1),
        answered(2),
        TaskEvent::StatusChanged {
            state: TaskState::Failed,
            message: Some(Message::new("end".into(), Role::Agent, vec![Part::text("BTN-3003: no")])),
            reason: None,
        },
    ];
    let mut transcript = Transcript::default();
    let mut task = TaskRecord::from_submission("t".into(), at(1), &events[0]).unwrap();
    for (event, millis) in events.iter().zip(1..) {
        if millis > 1 {
            task.apply(at(millis), event).unwrap();
        }
        transcript.apply(&"t".into(), at(millis), event).unwrap();
    }
    let entries = transcript.into_entries();
    let given: Vec<Message> =
        entries.iter().filter(|(entry, _)| !entry.notice).map(|(entry, _)| entry.message.clone()).collect();
    assert_eq!(given, task.history);
    let placed: Vec<(i64, u64)> = entries.iter().map(|(entry, number)| (entry.at.as_millis(), *number)).collect();
    // A message during a run is placed where it joined the input, with its own time.
    assert_eq!(placed, [(1, 1), (5, 5), (7, 7), (6, 8), (9, 9), (10, 10)]);
    let answer = &entries[4].0;
    assert_eq!((answer.request.as_ref(), answer.usage.is_some()), (Some(&request), true));
    assert!(entries.iter().filter(|(entry, _)| entry.request.is_some()).count() == 1);
    assert!(entries[5].0.notice && entries[5].0.message.text().contains("BTN-3003"));
}

#[test]
fn waiting_messages_come_last() {
    let late = TaskEvent::MessageReceived { message: caller_message("late", "and this", &[]), results: Vec::new() };
    let mut transcript = Transcript::default();
    for (event, millis) in [submitted(ToolExecution::Agent), run_started(), attempt(1, 1), late].iter().zip(1..) {
        transcript.apply(&"t".into(), at(millis), event).unwrap();
    }
    let entries = transcript.into_entries();
    assert_eq!(entries.last().map(|(entry, number)| (entry.message.id.as_str(), *number)), Some(("late", 4)));
    assert!(Transcript::default().apply(&"t".into(), at(1), &status(TaskState::Failed)).is_err());
}

/// A conversation of random pieces: `(agent, notice, call ids, text)`.
fn conversation() -> impl Strategy<Value = Vec<SessionEntry>> {
    let piece = (any::<bool>(), any::<bool>(), prop::collection::vec(0_u8..4, 0..4), any::<bool>());
    prop::collection::vec(piece, 0..12).prop_map(|pieces| {
        let entry = |(index, (agent, notice, ids, words)): (usize, (bool, bool, Vec<u8>, bool))| {
            let mut parts = vec![Part::text(if words { "words" } else { "" })];
            let ids: Vec<String> = ids.iter().map(|id| format!("c{id}")).collect();
            let calls: Vec<ToolCall> = ids.iter().map(|id| call(id, "look")).collect();
            let results: Vec<ToolResult> = ids.iter().map(|id| result(id, "look")).collect();
            match (ids.is_empty(), agent) {
                (true, _) => {}
                (false, true) => parts.push(calls_part(&calls)),
                (false, false) => parts.push(baton_rules::results_part(&results)),
            }
            let role = if agent { Role::Agent } else { Role::User };
            let entry = SessionEntry::new(at(1), Message::new(format!("m{index}").into(), role, parts));
            SessionEntry { notice: notice && agent && ids.is_empty(), ..entry }
        };
        pieces.into_iter().enumerate().map(entry).collect()
    })
}

/// First violation of the order that models require.
fn order_violation(entries: &[SessionEntry]) -> Option<String> {
    let mut open: BTreeSet<CallId> = BTreeSet::new();
    for entry in entries.iter().filter(|entry| !entry.notice) {
        if entry.message.role == Role::Agent {
            if !open.is_empty() {
                return Some(format!("{open:?} have no results before {}", entry.message.id));
            }
            open = parse_tool_calls(&entry.message).into_iter().map(|call| call.id).collect();
            continue;
        }
        for result in parse_tool_results(&entry.message).unwrap() {
            if !open.remove(&result.call) {
                return Some(format!("{} has a result of no call in {}", result.call, entry.message.id));
            }
        }
    }
    (!open.is_empty()).then(|| format!("{open:?} have no results at the end"))
}

proptest! {
    #[test]
    fn repaired_transcripts_pair_calls_with_results(entries in conversation()) {
        let (kept, changed) = repair_transcript(entries.clone());
        prop_assert_eq!(order_violation(&kept), None);
        prop_assert_eq!(changed == 0, kept == entries);
        // Valid entries stay unchanged, and so do entries without calls and results.
        prop_assert_eq!(changed == 0, order_violation(&entries).is_none() && !repeats_a_call(&entries));
        let plain = |entries: &[SessionEntry]| {
            let plain = entries.iter().filter(|entry| entry.message.parts.len() == 1 && !entry.message.text().is_empty());
            plain.cloned().collect::<Vec<_>>()
        };
        prop_assert!(plain(&entries).iter().all(|entry| kept.contains(entry)));
        prop_assert_eq!(repair_transcript(kept.clone()), (kept, 0));
    }
}

fn repeats_a_call(entries: &[SessionEntry]) -> bool {
    entries.iter().any(|entry| {
        let calls = parse_tool_calls(&entry.message);
        calls.iter().map(|call| &call.id).collect::<BTreeSet<_>>().len() < calls.len()
    })
}

//! Forwarding of child questions and their answers: addressing.

use crate::sample::{apply_all, at, call, calling, handed_off, run_started, status, user_message};
use baton_rules::{
    AcceptedMessage, TaskRecord, accept_message, caller_requests, error_codes, forwarded_question_parts,
    mark_remote_question, resume_child_wait,
};
use baton_types::{Message, Part, PartContent, Role, TaskEvent, TaskState, ToolExecution::Agent};
use serde_json::{Value, json};

fn data(value: Value) -> Part {
    Part::data(value.into())
}

fn read(part: &Part) -> Value {
    match &part.content {
        PartContent::Data(data) => data.to_value(),
        other => json!(format!("{other:?}")),
    }
}

/// A task whose child `child` works on call `h`, and asks for itself and for a task below it.
fn waiting() -> TaskRecord {
    let mut task = calling(Agent, &[call("h", "handoff")]);
    let asked = vec![
        Part::text("May it?"),
        data(json!({"input_requests": [
            {"call_id": "g", "key": "baton/approval", "agent": "weather", "tool": "gate"},
            {"task_id": "deep", "call_id": "g", "key": "baton/approval", "agent": "clock", "tool": "wind"},
        ]})),
    ];
    let message = Message::new("q".into(), Role::Agent, asked);
    apply_all(&mut task, &[handed_off("h"), TaskEvent::HandoffInputRequested { call: "h".into(), message }]);
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    task
}

fn forwarded_parts(accepted: &AcceptedMessage) -> Vec<Value> {
    accepted.forwarded.iter().flat_map(|down| down.message.parts.iter().map(read)).collect()
}

#[test]
fn forwarded_question_has_the_address_of_the_asking_task() {
    let task = waiting();
    let asked = caller_requests(&task, &crate::sample::spec());
    let [(call, child, message)] = asked.child_questions.as_slice() else { panic!("{asked:?}") };
    assert_eq!((call.id.as_str(), child.as_str()), ("h", "child"));
    let parts: Vec<Value> = forwarded_question_parts(child, message).iter().map(read).collect();
    assert_eq!(
        parts,
        [json!({"input_requests": [
            {"task_id": "child", "call_id": "g", "key": "baton/approval", "agent": "weather", "tool": "gate"},
            {"task_id": "deep", "call_id": "g", "key": "baton/approval", "agent": "clock", "tool": "wind"},
        ]})],
        "the child's own entries get its address, forwarded ones keep theirs"
    );
    let words = Message::new("w".into(), Role::Agent, vec![Part::text("Which?")]);
    let parts: Vec<Value> = forwarded_question_parts(child, &words).iter().map(read).collect();
    assert_eq!(parts, [json!({"input_requests": [{"task_id": "child", "message": "Which?"}]})]);
}

#[test]
fn answer_goes_to_the_addressed_task() {
    let task = waiting();
    let respond = |entries: Value| user_message("a", vec![data(json!({ "input_responses": entries }))]);
    let child = json!({"task_id": "child", "call_id": "g", "decision": "allow_once"});
    let deep = json!({"task_id": "deep", "call_id": "g", "decision": "allow_session"});
    for (given, expect) in [
        (json!([child]), json!([{"call_id": "g", "decision": "allow_once"}])),
        (json!([deep]), json!([deep])),
        (json!([child, deep]), json!([{"call_id": "g", "decision": "allow_once"}, deep])),
        (json!([{"call_id": "g", "decision": "deny"}]), json!([{"call_id": "g", "decision": "deny"}])),
    ] {
        let accepted = accept_message(&task, respond(given.clone()), at(5)).unwrap();
        assert_eq!(forwarded_parts(&accepted), [json!({ "input_responses": expect })], "{given}");
        assert!(accepted.starts_run);
        assert_eq!(accepted.forwarded[0].message.id.as_str(), "a.h.q", "the forwarded message has a stable id");
    }
    let accepted = accept_message(&task, respond(json!([deep])), at(5)).unwrap();
    let grants: Vec<_> =
        accepted.forwarded[0].grants.iter().map(|grant| (grant.agent.as_str(), grant.tool.as_str())).collect();
    assert_eq!(grants, [("clock", "wind")], "a session approval is known to the parent too");

    let accepted = accept_message(&task, user_message("a", vec![Part::text("yes")]), at(5)).unwrap();
    assert_eq!(forwarded_parts(&accepted), [json!("Text(\"yes\")")], "text goes to the only asking task");
    let refused =
        accept_message(&task, respond(json!([{"task_id": "stranger", "decision": "allow_once"}])), at(5)).unwrap_err();
    assert_eq!(refused.code, error_codes::ANSWER_INVALID);
    assert_eq!(refused.detail, "task 'stranger' has no open question here; tasks with open questions: t, child, deep");
}

#[test]
fn waiting_for_an_answer_does_not_count_towards_the_deadline() {
    let task = waiting();
    let before = task.pending_handoffs().next().unwrap().1.deadline;
    let later = at(1).after(std::time::Duration::from_secs(100_000));
    let AcceptedMessage { events, starts_run: resumes, .. } = resume_child_wait(&task, &"child".into(), later).unwrap();
    assert!(resumes);
    let mut task = task;
    apply_all(&mut task, &events);
    let after = task.pending_handoffs().next().unwrap().1.deadline;
    assert_eq!(at(1).until(before), later.until(after), "the remaining time is unchanged");
    assert_eq!(resume_child_wait(&task, &"child".into(), later), None, "the child resumes its parent once");
    apply_all(&mut task, &[run_started()]);
    assert_eq!(resume_child_wait(&task, &"somebody".into(), later), None);
}

#[test]
fn text_answers_the_tasks_own_question_before_a_childs() {
    let calls = [call("h", "handoff"), call("q", "ask_user")];
    let mut task = calling(Agent, &calls);
    let message = Message::new("q".into(), Role::Agent, vec![Part::text("Which?")]);
    apply_all(&mut task, &[handed_off("h"), TaskEvent::HandoffInputRequested { call: "h".into(), message }]);
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    let accepted = accept_message(&task, user_message("a", vec![Part::text("this one")]), at(5)).unwrap();
    assert!(
        accepted.forwarded.is_empty() && !accepted.starts_run,
        "it answers the task's own question; the child still asks"
    );
    let entries = json!({"input_responses": [{"task_id": "child", "content": {"text": "that one"}}]});
    let accepted =
        accept_message(&task, user_message("b", vec![Part::text("this one"), data(entries)]), at(5)).unwrap();
    assert_eq!(forwarded_parts(&accepted), [json!("Text(\"that one\")")]);
    assert!(accepted.starts_run, "both questions are answered");
}

/// Two children with equal call ids, each with a question about its first call.
fn two_asking_children(first: Message, second: Message) -> TaskRecord {
    let mut task = calling(Agent, &[call("h", "handoff"), call("i", "handoff")]);
    let TaskEvent::HandoffSent { handoff, agent, deadline, .. } = handed_off("i") else { panic!() };
    let other = TaskEvent::HandoffSent { call: "i".into(), handoff, agent, child: "other".into(), deadline };
    let asked = |call: &str, message| TaskEvent::HandoffInputRequested { call: call.into(), message };
    apply_all(&mut task, &[handed_off("h"), other, asked("h", first), asked("i", second)]);
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    task
}

#[test]
fn ambiguous_approval_is_refused() {
    let asks =
        |id: &str, entry: Value| Message::new(id.into(), Role::Agent, vec![data(json!({ "input_requests": [entry] }))]);
    let entry = json!({"call_id": "call_1", "agent": "weather", "tool": "gate"});
    // The first child claims to forward the question of the second.
    let mut pretends = entry.clone();
    pretends["task_id"] = json!("other");
    for first in [entry.clone(), pretends] {
        let task = two_asking_children(asks("q1", first), asks("q2", entry.clone()));
        let respond = |entry: Value| user_message("a", vec![data(json!({ "input_responses": [entry] }))]);
        let refused =
            accept_message(&task, respond(json!({"call_id": "call_1", "decision": "allow_once"})), at(5)).unwrap_err();
        assert_eq!(refused.code, error_codes::ANSWER_INVALID);
        assert!(refused.detail.contains("task_id to one of: child, other"), "{}", refused.detail);
        let addressed = json!({"task_id": "other", "call_id": "call_1", "decision": "allow_once"});
        let accepted = accept_message(&task, respond(addressed), at(5)).unwrap();
        let meant: Vec<_> = accepted.forwarded.iter().map(|down| down.child.as_str()).collect();
        assert_eq!(meant, ["other"], "only the address counts");
    }
}

#[test]
fn peer_cannot_get_approvals_for_other_agents() {
    let entry = json!({"call_id": "g", "agent": "clock", "tool": "wind", "via": "clock"});
    let asked = Message::new("q".into(), Role::Agent, vec![data(json!({ "input_requests": [entry] }))]);
    let mut task = calling(Agent, &[call("h", "handoff")]);
    let message = mark_remote_question(asked, &"far".into());
    apply_all(&mut task, &[handed_off("h"), TaskEvent::HandoffInputRequested { call: "h".into(), message }]);
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    let yes = json!({"input_responses": [{"task_id": "child", "call_id": "g", "decision": "allow_session"}]});
    let accepted = accept_message(&task, user_message("a", vec![data(yes)]), at(5)).unwrap();
    let grants: Vec<_> =
        accepted.forwarded[0].grants.iter().map(|grant| (grant.agent.as_str(), grant.tool.as_str())).collect();
    assert_eq!(grants, [("far", "wind")]);
}

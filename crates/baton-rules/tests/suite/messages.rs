use crate::sample::*;
use baton_rules::{AcceptedMessage, accept_message, error_codes, parse_tool_results};
use baton_types::*;
use serde_json::json as js;

use ToolExecution::{Agent, Caller};

fn two_calls() -> Vec<ToolCall> {
    vec![call("a", "look"), call("b", "pay")]
}

#[test]
fn complete_caller_results_resume_the_task() {
    let mut task = asking(Caller, &two_calls());
    // The name in a result is informative only: the call id identifies the tool.
    let partial = caller_message("one", "", &[ToolResult { name: "wrong".to_owned(), ..result("b", "") }]);
    let accepted = accept_message(&task, partial.clone(), baton_types::Timestamp::from_millis(0)).unwrap();
    assert_eq!(
        accepted,
        AcceptedMessage {
            events: vec![message_received(&partial, &[result("b", "pay")])],
            starts_run: false,
            forwarded: Vec::new()
        }
    );
    apply_all(&mut task, &accepted.events);
    assert!(apply_message(&mut task, caller_message("two", "", &[result("a", "look")])), "no call is open");
    let ids: Vec<_> = task.history.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["ask", "m1", "one", "two"], "results are in the history as sent, and once");
}

fn message_received(message: &Message, results: &[ToolResult]) -> TaskEvent {
    TaskEvent::MessageReceived { message: message.clone(), results: results.to_vec() }
}

#[test]
fn text_with_results_is_kept_and_text_alone_waits_for_the_calls() {
    let mut task = asking(Caller, &two_calls());
    assert!(!apply_message(&mut task, caller_message("hurry", "please hurry", &[])));
    assert_eq!(task.waiting.len(), 1);
    let both = caller_message("both", "and be brief", &[result("a", "look"), result("b", "pay")]);
    assert!(apply_message(&mut task, both.clone()));
    assert_eq!(task.history.last(), Some(&both));
    apply_all(&mut task, &[run_started(), attempt(1, 1)]);
    let texts: Vec<_> = task.history.iter().map(Message::text).filter(|text| !text.is_empty()).collect();
    assert_eq!(texts, ["hello", "and be brief", "please hurry"], "each reaches the model exactly once");
}

#[test]
fn text_answers_a_question_alone_and_with_results() {
    let mut task = asking(Agent, &[call("q", "ask_user")]);
    assert!(!apply_message(&mut task, caller_message("nothing", "", &[])), "empty text answers nothing");
    assert!(apply_message(&mut task, caller_message("reply", "Oakland", &[])));
    let answer = ToolResult { output: Json::string("Oakland"), ..result("q", "ask_user") };
    assert_eq!(parse_tool_results(task.history.last().unwrap()), Ok(vec![answer.clone()]));

    let mut task = asking(Caller, &[call("a", "look"), call("q", "ask_user"), call("r", "ask_user")]);
    assert!(
        !apply_message(&mut task, caller_message("both", "Oakland", &[result("a", "look")])),
        "a second question is open"
    );
    assert_eq!(task.call(&"q".into()).unwrap().stage, baton_rules::CallStage::Finished(answer));
    assert!(
        apply_message(&mut task, caller_message("rest", "", &[result("r", "ask_user")])),
        "a question may be answered as a result"
    );

    let working = calling(Agent, &[call("q", "ask_user"), call("a", "look")]);
    let accepted =
        accept_message(&working, caller_message("early", "Oakland", &[]), baton_types::Timestamp::from_millis(0))
            .unwrap();
    assert_eq!(
        accepted,
        AcceptedMessage {
            events: vec![message_received(&caller_message("early", "Oakland", &[]), &[])],
            starts_run: false,
            forwarded: Vec::new()
        },
        "no question is open yet"
    );
}

#[test]
fn interrupted_call_is_answered_by_its_caller() {
    let mut task = calling(Agent, &[call("p", "pay")]);
    apply_all(&mut task, &[started("p")]);
    let early = accept_message(
        &task,
        caller_message("early", "", &[result("p", "pay")]),
        baton_types::Timestamp::from_millis(0),
    )
    .unwrap_err();
    assert_eq!(early.code, error_codes::TOOL_RESULT_UNKNOWN, "during a run, only the run finishes the call");
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    assert!(apply_message(&mut task, caller_message("late", "", &[result("p", "pay")])));
}

#[test]
fn invalid_results_are_refused_with_a_reason() {
    let mut partly = asking(Caller, &two_calls());
    apply_message(&mut partly, caller_message("one", "", &[result("a", "look")]));
    let data = |value| user_message("x", vec![Part::data(json(value))]);
    let table = [
        (caller_message("x", "", &[result("z", "look")]), error_codes::TOOL_RESULT_UNKNOWN, "call 'z'; open calls: b"),
        (
            caller_message("x", "", &[result("a", "look")]),
            error_codes::TOOL_RESULT_DUPLICATE,
            "already has its result; open calls: b",
        ),
        (
            caller_message("x", "", &[result("b", "pay"), result("b", "pay")]),
            error_codes::TOOL_RESULT_DUPLICATE,
            "two results in this message",
        ),
        (data(js!({"tool_results": [{"output": 1}]})), error_codes::TOOL_RESULT_INVALID, "[0].call_id: is required"),
        (data(js!({"tool_results": [{"call_id": "b"}]})), error_codes::TOOL_RESULT_INVALID, "[0].output: is required"),
        (data(js!({"tool_results": "b"})), error_codes::TOOL_RESULT_INVALID, "invalid type"),
        (data(js!({"tool_results": [{"call_id": 7, "output": 1}]})), error_codes::TOOL_RESULT_INVALID, "invalid type"),
    ];
    for (message, code, words) in table {
        let refused = accept_message(&partly, message.clone(), baton_types::Timestamp::from_millis(0)).unwrap_err();
        assert_eq!(refused.code, code, "{message:?}");
        let error = format!("{}: {}", refused.field, refused.detail);
        assert!(error.contains(words), "'{error}' should contain '{words}'");
        assert!(refused.field.starts_with("message.parts.tool_results"), "{}", refused.field);
    }
    let own = calling(Agent, &[call("a", "look")]);
    let meddling =
        accept_message(&own, caller_message("x", "", &[result("a", "look")]), baton_types::Timestamp::from_millis(0))
            .unwrap_err();
    assert!(meddling.detail.ends_with("open calls: none"), "{meddling}");
}

#[test]
fn message_starts_a_run_only_if_the_task_waits_for_it() {
    let text = || caller_message("x", "hello?", &[]);
    let run = &[run_started(), attempt(1, 1)];
    let cases = [
        (task(Agent, &[]), false),
        (task(Agent, run), false),
        (task(Agent, &[run, &[status(TaskState::InputRequired)][..]].concat()), true),
        (task(Agent, &[run, &[status(TaskState::AuthRequired)][..]].concat()), true),
        (asking(Caller, &two_calls()), false),
        (asking(Agent, &[call("q", "ask_user")]), true),
    ];
    for (task, resumes) in cases {
        assert_eq!(
            accept_message(&task, text(), baton_types::Timestamp::from_millis(0)).unwrap().starts_run,
            resumes,
            "{task:?}"
        );
    }
}

#[test]
fn approval_needs_an_explicit_decision() {
    let mut task = calling(Agent, &[call("g", "gate")]);
    let ask = ToolInputRequest { questions: vec![ToolQuestion::approval("May it?".to_owned())], state: None };
    apply_all(&mut task, &[TaskEvent::ToolInputRequested { call: "g".into(), ask }, status(TaskState::InputRequired)]);
    let answered = |entry: serde_json::Value| {
        let part = Part::data(js!({ "input_responses": [entry] }).into());
        let accepted = accept_message(&task, user_message("a", vec![part]), at(5)).map_err(|refused| refused.code)?;
        let mut after = task.clone();
        apply_all(&mut after, &accepted.events);
        Ok(after.call(&"g".into()).unwrap().approved)
    };
    for (entry, expect) in [
        (js!({"call_id": "g"}), Err(error_codes::ANSWER_INVALID)),
        (js!({"call_id": "g", "content": {"text": "no"}}), Err(error_codes::ANSWER_INVALID)),
        (js!({"call_id": "g", "descision": "deny"}), Err(error_codes::ANSWER_INVALID)),
        (js!({"call_id": "g", "decision": "refuse"}), Err(error_codes::ANSWER_INVALID)),
        (js!({"call_id": "g", "action": "accept", "decision": "deny"}), Err(error_codes::ANSWER_INVALID)),
        (js!({"call_id": "g", "decision": "deny"}), Ok(Some(false))),
        (js!({"call_id": "g", "action": "cancel"}), Ok(Some(false))),
        (js!({"call_id": "g", "action": "accept", "decision": "allow_once"}), Ok(Some(true))),
        (js!({"decision": "allow_session"}), Ok(Some(true))),
    ] {
        assert_eq!(answered(entry.clone()), expect, "{entry}");
    }
}

#[test]
fn answer_to_a_tool_question_does_not_approve_the_tool() {
    let mut task = calling(Agent, &[call("g", "gate")]);
    let ToolQuestion { key, message, .. } = ToolQuestion::approval("Which city?".to_owned());
    let wants =
        QuestionKind::Form { schema: js!({"type": "object", "properties": {"city": {"type": "string"}}}).into() };
    let ask = ToolInputRequest { questions: vec![ToolQuestion { key, message, wants }], state: None };
    apply_all(&mut task, &[TaskEvent::ToolInputRequested { call: "g".into(), ask }, status(TaskState::InputRequired)]);
    let entry = js!({"call_id": "g", "action": "accept_for_session", "content": {"city": "Oakland"}});
    let part = Part::data(js!({ "input_responses": [entry] }).into());
    assert!(apply_message(&mut task, user_message("a", vec![part])));
    let state = task.call(&"g".into()).unwrap();
    assert!(state.approved.is_none() && state.answers.is_some() && task.grants.is_empty());
}

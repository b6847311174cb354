use crate::sample::*;
use baton_rules::{AcceptedMessage, accept_message, parse_tool_results};
use baton_types::*;
use serde_json::json as js;

use ToolExecution::{Agent, Caller};

fn two_calls() -> Vec<ToolCall> {
    vec![call("a", "look"), call("b", "pay")]
}

#[test]
fn results_of_a_caller_resume_the_task_once_all_are_there() {
    let mut task = asking(Caller, &two_calls());
    // The name of a result is only informative: the call says which tool it was.
    let partial = told("one", "", &[ToolResult { name: "wrong".to_owned(), ..result("b", "") }]);
    let heard = accept_message(&task, partial.clone(), baton_types::Timestamp::from_millis(0)).unwrap();
    assert_eq!(
        heard,
        AcceptedMessage {
            events: vec![said(&partial, &[result("b", "pay")])],
            starts_run: false,
            forwarded: Vec::new()
        }
    );
    apply_all(&mut task, &heard.events);
    assert!(say(&mut task, told("two", "", &[result("a", "look")])), "nothing is open any more");
    let ids: Vec<_> = task.history.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["ask", "m1", "one", "two"], "results stand in the history as the caller sent them, and once");
}

fn said(message: &Message, results: &[ToolResult]) -> TaskEvent {
    TaskEvent::MessageReceived { message: message.clone(), results: results.to_vec() }
}

#[test]
fn text_beside_results_is_kept_and_plain_text_waits_for_the_calls() {
    let mut task = asking(Caller, &two_calls());
    assert!(!say(&mut task, told("hurry", "please hurry", &[])));
    assert_eq!(task.waiting.len(), 1);
    let both = told("both", "and be brief", &[result("a", "look"), result("b", "pay")]);
    assert!(say(&mut task, both.clone()));
    assert_eq!(task.history.last(), Some(&both));
    apply_all(&mut task, &[run_started(), attempt(1, 1)]);
    let texts: Vec<_> = task.history.iter().map(Message::text).filter(|text| !text.is_empty()).collect();
    assert_eq!(texts, ["hello", "and be brief", "please hurry"], "each reaches the model exactly once");
}

#[test]
fn text_answers_a_question_alone_and_beside_results() {
    let mut task = asking(Agent, &[call("q", "ask_user")]);
    assert!(!say(&mut task, told("nothing", "", &[])), "empty text answers nothing");
    assert!(say(&mut task, told("reply", "Oakland", &[])));
    let answer = ToolResult { output: Json::string("Oakland"), ..result("q", "ask_user") };
    assert_eq!(parse_tool_results(task.history.last().unwrap()), Ok(vec![answer.clone()]));

    let mut task = asking(Caller, &[call("a", "look"), call("q", "ask_user"), call("r", "ask_user")]);
    assert!(!say(&mut task, told("both", "Oakland", &[result("a", "look")])), "a second question is open");
    assert_eq!(task.call(&"q".into()).unwrap().stage, baton_rules::CallStage::Finished(answer));
    assert!(say(&mut task, told("rest", "", &[result("r", "ask_user")])), "a question may be answered as a result");

    let working = calling(Agent, &[call("q", "ask_user"), call("a", "look")]);
    let heard =
        accept_message(&working, told("early", "Oakland", &[]), baton_types::Timestamp::from_millis(0)).unwrap();
    assert_eq!(
        heard,
        AcceptedMessage {
            events: vec![said(&told("early", "Oakland", &[]), &[])],
            starts_run: false,
            forwarded: Vec::new()
        },
        "nobody asked yet"
    );
}

#[test]
fn a_call_cut_off_by_a_crash_is_answered_by_its_caller() {
    let mut task = calling(Agent, &[call("p", "pay")]);
    apply_all(&mut task, &[started("p")]);
    let early = accept_message(&task, told("early", "", &[result("p", "pay")]), baton_types::Timestamp::from_millis(0))
        .unwrap_err();
    assert_eq!(early.code, ErrorCode::TOOL_RESULT_UNKNOWN, "while a run is on it the result is the run's");
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    assert!(say(&mut task, told("late", "", &[result("p", "pay")])));
}

#[test]
fn what_cannot_be_taken_is_refused_with_the_reason() {
    let mut partly = asking(Caller, &two_calls());
    say(&mut partly, told("one", "", &[result("a", "look")]));
    let data = |value| says("x", vec![Part::data(json(value))]);
    let table = [
        (told("x", "", &[result("z", "look")]), ErrorCode::TOOL_RESULT_UNKNOWN, "call 'z'; open calls: b"),
        (
            told("x", "", &[result("a", "look")]),
            ErrorCode::TOOL_RESULT_DUPLICATE,
            "already has its result; open calls: b",
        ),
        (
            told("x", "", &[result("b", "pay"), result("b", "pay")]),
            ErrorCode::TOOL_RESULT_DUPLICATE,
            "two results in this message",
        ),
        (data(js!({"tool_results": [{"output": 1}]})), ErrorCode::TOOL_RESULT_INVALID, "[0].call_id: is required"),
        (data(js!({"tool_results": [{"call_id": "b"}]})), ErrorCode::TOOL_RESULT_INVALID, "[0].output: is required"),
        (data(js!({"tool_results": "b"})), ErrorCode::TOOL_RESULT_INVALID, "invalid type"),
        (data(js!({"tool_results": [{"call_id": 7, "output": 1}]})), ErrorCode::TOOL_RESULT_INVALID, "invalid type"),
    ];
    for (message, code, words) in table {
        let refused = accept_message(&partly, message.clone(), baton_types::Timestamp::from_millis(0)).unwrap_err();
        assert_eq!(refused.code, code, "{message:?}");
        let told = format!("{}: {}", refused.field, refused.detail);
        assert!(told.contains(words), "'{told}' should say '{words}'");
        assert!(refused.field.starts_with("message.parts.tool_results"), "{}", refused.field);
    }
    let own = calling(Agent, &[call("a", "look")]);
    let meddling = accept_message(&own, told("x", "", &[result("a", "look")]), baton_types::Timestamp::from_millis(0))
        .unwrap_err();
    assert!(meddling.detail.ends_with("open calls: none"), "{meddling}");
}

#[test]
fn whether_a_message_takes_the_task_up_depends_on_what_it_waits_for() {
    let text = || told("x", "hello?", &[]);
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
fn leave_to_run_is_given_in_so_many_words() {
    let mut task = calling(Agent, &[call("g", "gate")]);
    let ask = ToolInputRequest { questions: vec![ToolQuestion::approval("May it?".to_owned())], state: None };
    apply_all(&mut task, &[TaskEvent::ToolInputRequested { call: "g".into(), ask }, status(TaskState::InputRequired)]);
    let answered = |entry: serde_json::Value| {
        let part = Part::data(js!({ "input_responses": [entry] }).into());
        let heard = accept_message(&task, says("a", vec![part]), at(5)).map_err(|refused| refused.code)?;
        let mut after = task.clone();
        apply_all(&mut after, &heard.events);
        Ok(after.call(&"g".into()).unwrap().approved)
    };
    for (entry, expect) in [
        (js!({"call_id": "g"}), Err(ErrorCode::ANSWER_INVALID)),
        (js!({"call_id": "g", "content": {"text": "no"}}), Err(ErrorCode::ANSWER_INVALID)),
        (js!({"call_id": "g", "descision": "deny"}), Err(ErrorCode::ANSWER_INVALID)),
        (js!({"call_id": "g", "decision": "refuse"}), Err(ErrorCode::ANSWER_INVALID)),
        (js!({"call_id": "g", "action": "accept", "decision": "deny"}), Err(ErrorCode::ANSWER_INVALID)),
        (js!({"call_id": "g", "decision": "deny"}), Ok(Some(false))),
        (js!({"call_id": "g", "action": "cancel"}), Ok(Some(false))),
        (js!({"call_id": "g", "action": "accept", "decision": "allow_once"}), Ok(Some(true))),
        (js!({"decision": "allow_session"}), Ok(Some(true))),
    ] {
        assert_eq!(answered(entry.clone()), expect, "{entry}");
    }
}

#[test]
fn a_tool_cannot_be_allowed_by_the_answer_to_its_own_question() {
    let mut task = calling(Agent, &[call("g", "gate")]);
    let ToolQuestion { key, message, .. } = ToolQuestion::approval("Which city?".to_owned());
    let wants =
        QuestionKind::Form { schema: js!({"type": "object", "properties": {"city": {"type": "string"}}}).into() };
    let ask = ToolInputRequest { questions: vec![ToolQuestion { key, message, wants }], state: None };
    apply_all(&mut task, &[TaskEvent::ToolInputRequested { call: "g".into(), ask }, status(TaskState::InputRequired)]);
    let entry = js!({"call_id": "g", "action": "accept_for_session", "content": {"city": "Oakland"}});
    let part = Part::data(js!({ "input_responses": [entry] }).into());
    assert!(say(&mut task, says("a", vec![part])));
    let state = task.call(&"g".into()).unwrap();
    assert!(state.approved.is_none() && state.answers.is_some() && task.grants.is_empty());
}

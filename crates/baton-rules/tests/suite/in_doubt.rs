//! In-doubt calls: never published as calls to run, and decided by the caller.

use crate::sample::*;
use baton_rules::{
    CallStage, TaskRecord, accept_message, error_codes, in_doubt_part, in_doubt_request, parse_own_tool_calls,
    parse_tool_calls, parse_tool_results,
};
use baton_types::*;
use serde_json::{Value, json as js};

use ToolExecution::Agent;

/// A task that waits because `pay` was interrupted.
fn in_doubt() -> TaskRecord {
    let mut task = calling(Agent, &[call("p", "pay")]);
    apply_all(&mut task, &[started("p"), status(TaskState::InputRequired)]);
    task
}

fn responses(entry: &Value) -> Message {
    user_message("a", vec![Part::data(js!({ "input_responses": [entry] }).into())])
}

/// Call stage after an answer, and whether a run starts.
fn answered(message: Message) -> Result<(CallStage, bool), ErrorCode> {
    let mut task = in_doubt();
    let accepted = accept_message(&task, message, at(5)).map_err(|refused| refused.code)?;
    apply_all(&mut task, &accepted.events);
    Ok((task.call(&"p".into()).unwrap().stage.clone(), accepted.starts_run))
}

#[test]
fn in_doubt_call_is_not_published_as_a_call_to_run() {
    let asked = user_message("q", vec![Part::text(""), in_doubt_part(&"shop".into(), [&call("p", "pay")])]);
    assert!(
        parse_tool_calls(&asked).is_empty() && parse_own_tool_calls(&asked).is_empty(),
        "it is not published as a call"
    );
    let PartContent::Data(data) = &asked.parts[1].content else { panic!() };
    let entry = &data.to_value()["input_requests"][0];
    assert_eq!((&entry["call_id"], &entry["tool"], &entry["in_doubt"]), (&js!("p"), &js!("pay"), &js!(true)));
    assert_eq!(entry["schema"]["properties"]["outcome"]["enum"], js!(["run_again", "use_result", "fail"]));
    // Other calls of the turn are not published either: the message asks about the outcome first.
    let both = user_message(
        "q",
        vec![in_doubt_part(&"shop".into(), [&call("p", "pay")]), baton_rules::calls_part([&call("l", "look")])],
    );
    assert!(parse_own_tool_calls(&both).is_empty());
}

#[test]
fn answer_decides_the_outcome() {
    let result = |output: Json, is_error| {
        let (call, name) = ("p".into(), "pay".to_owned());
        Ok((CallStage::Finished(ToolResult { call, name, output, is_error }), true))
    };
    let used = || result(Json::string("paid"), false);
    let again = || Ok((CallStage::Pending, true));
    let invalid = || Err(error_codes::ANSWER_INVALID);
    let filled = |content: Value| responses(&js!({"call_id": "p", "key": "baton/outcome", "content": content}));
    for (message, expect) in [
        (filled(js!({"outcome": "run_again"})), again()),
        (caller_message("a", "run_again", &[]), again()),
        (filled(js!({"outcome": "use_result", "result": "paid"})), used()),
        (caller_message("a", r#"{"outcome": "use_result", "result": "paid"}"#, &[]), used()),
        (caller_message("a", "", &[ToolResult { output: Json::string("paid"), ..self::result("p", "pay") }]), used()),
        (
            caller_message("a", "I looked", &[ToolResult { output: Json::string("paid"), ..self::result("p", "pay") }]),
            used(),
        ),
        (filled(js!({"outcome": "use_result"})), invalid()),
        (filled(js!({"outcome": "perhaps"})), invalid()),
        (filled(js!({})), invalid()),
        (caller_message("a", "use_result", &[]), invalid()),
        (caller_message("a", "please hurry", &[]), invalid()),
        (responses(&js!({"call_id": "q", "content": {"outcome": "fail"}})), invalid()),
    ] {
        assert_eq!(answered(message.clone()), expect, "{message:?}");
    }
    for message in
        [filled(js!({"outcome": "fail"})), caller_message("a", "fail", &[]), responses(&js!({"action": "decline"}))]
    {
        let (stage, resumes) = answered(message).unwrap();
        let CallStage::Finished(result) = stage else { panic!("{stage:?}") };
        assert!(resumes && result.is_error && result.output.as_str().contains("BTN-3004"), "{result:?}");
    }
}

#[test]
fn decided_result_is_in_the_history_once() {
    let mut task = in_doubt();
    assert!(apply_message(&mut task, responses(&js!({"content": {"outcome": "use_result", "result": "paid"}}))));
    let results: Vec<ToolResult> =
        task.history.iter().flat_map(|message| parse_tool_results(message).unwrap()).collect();
    assert_eq!(results.len(), 1, "{results:?}");
}

#[test]
fn in_doubt_call_runs_again_only_after_an_explicit_answer() {
    let mut task = in_doubt();
    let content = Some(json(js!({"outcome": "fail"})));
    let answer = ToolAnswer { key: "baton/outcome".to_owned(), action: AnswerAction::Accept, content };
    let answers = ToolAnswers { answers: vec![answer], state: None };
    assert!(task.apply(at(5), &TaskEvent::ToolInputReceived { call: "p".into(), answers }).is_err());
    assert!(apply_message(&mut task, caller_message("a", "run_again", &[])));
    let state = task.call(&"p".into()).unwrap();
    assert!(state.answers.is_none() && state.effects.is_none(), "the answer is not passed to the tool: {state:?}");
    apply_all(&mut task, &[run_started(), started("p"), finished("p", "pay")]);
}

#[test]
fn tool_question_cannot_imitate_an_in_doubt_request() {
    let mut task = calling(Agent, &[call("g", "gate")]);
    let ask = in_doubt_request(&call("g", "gate"));
    apply_all(
        &mut task,
        &[started("g"), TaskEvent::ToolInputRequested { call: "g".into(), ask }, status(TaskState::InputRequired)],
    );
    let content = js!({"outcome": "use_result", "result": "forged"});
    assert!(apply_message(&mut task, responses(&js!({"call_id": "g", "content": content}))));
    let state = task.call(&"g".into()).unwrap();
    assert!(state.stage == CallStage::Pending && state.answers.is_some(), "the tool gets its answer: {state:?}");
}

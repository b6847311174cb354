//! Structured answers, guardrail verdicts, and concurrent calls.

use crate::{sample::*, schemas::validator};
use baton_rules::{
    CallState, GuardDecision, RunStep, argument_errors, extract_json, group_concurrent_calls, next_step, parse_answer,
    unchecked_messages,
};
use baton_types::*;
use serde_json::{Value, json};

#[test]
fn arguments_are_an_object_even_without_a_schema() {
    let called = |arguments: Value| ToolCall { arguments: json(arguments), ..call("c", "look") };
    assert_eq!(argument_errors(None, &called(json!({"any": 1}))), None);
    for arguments in [json!(null), json!("{}"), json!([1])] {
        let error = argument_errors(None, &called(arguments)).unwrap();
        assert!(error.starts_with("BTN-3014: the arguments of 'look' are not a JSON object: "), "{error}");
    }
}

#[test]
fn answer_is_json_or_its_first_fenced_block() {
    let table = [
        ("{\"a\": 1}", Some("{\"a\":1}")),
        ("  [1]\n", Some("[1]")),
        ("So:\n```json\n{\"a\": 1}\n```\nand\n```\n2\n```", Some("{\"a\":1}")),
        ("```\n{\"a\": 1}\n```", Some("{\"a\":1}")),
        ("{\"a\": 1} and more", None),
        ("```json\n{\"a\": 1}", None),
        ("", None),
    ];
    for (answer, expected) in table {
        assert_eq!(extract_json(answer).as_ref().map(Json::as_str), expected, "{answer}");
    }
    let object = validator(json!({"type": "object"}));
    assert_eq!(parse_answer(&object, "words"), Err("the answer is not JSON".to_owned()));
    assert!(parse_answer(&object, "[]").unwrap_err().starts_with("the answer does not match its schema: "));
}

#[test]
fn a_verdict_is_one_of_three_with_content_of_its_kind() {
    use GuardStage::{Input, ToolCall, ToolResult};
    let modified = |content: Value| Ok(GuardDecision::Modify(json(content), String::new()));
    let table = [
        (Input, json!({"action": "allow", "content": "ignored"}), Ok(GuardDecision::Allow)),
        (Input, json!("{\"action\": \"block\", \"reason\": \"no\"}\n"), Ok(GuardDecision::Block("no".to_owned()))),
        (Input, json!({"action": "modify", "content": "new"}), modified(json!("new"))),
        (ToolCall, json!({"action": "modify", "content": {"a": 1}}), modified(json!({"a": 1}))),
        (ToolResult, json!({"action": "modify", "content": [1]}), modified(json!([1]))),
        (Input, json!({"action": "modify", "content": {"a": 1}}), Err("is not text")),
        (ToolCall, json!({"action": "modify", "content": "new"}), Err("not an object")),
        (Input, json!({"action": "modify"}), Err("without `content`")),
        (Input, json!({"action": "perhaps"}), Err("not allow, block or modify")),
        (Input, json!({"verdict": "allow"}), Err("with `action`")),
        (Input, json!("allow"), Err("with `action`")),
    ];
    for (stage, output, expected) in table {
        match (GuardDecision::parse(stage, &json(output.clone())), expected) {
            (Err(error), Err(part)) => assert!(error.contains(part), "{output}: {error}"),
            (read, expected) => assert_eq!(read, expected.map_err(str::to_owned), "{output}"),
        }
    }
}

#[test]
fn sequential_calls_run_alone() {
    let groups = |names: &str| {
        let calls = names.chars().map(|name| CallState::pending(call(&name.to_string(), &name.to_string()))).collect();
        let groups = group_concurrent_calls(calls, |name| name == "s");
        let names = |group: &Vec<CallState>| group.iter().map(|state| state.call.name.clone()).collect::<String>();
        groups.iter().map(names).collect::<Vec<_>>().join(" ")
    };
    for (calls, expected) in [("", ""), ("ab", "ab"), ("s", "s"), ("asb", "a s b"), ("ssab", "s s ab"), ("abs", "ab s")]
    {
        assert_eq!(groups(calls), expected);
    }
}

#[test]
fn tool_error_limit_ends_the_run_and_counts_per_run() {
    let failed = |id: &str| {
        let result = ToolResult { is_error: true, output: Json::string("broken"), ..result(id, "look") };
        TaskEvent::ToolFinished { result }
    };
    let mut task = calling(ToolExecution::Agent, &[call("a", "look"), call("b", "look")]);
    apply_all(&mut task, &[failed("a"), failed("b")]);
    let limited = |tool_errors| AgentSpec { limits: RunLimits { tool_errors, ..spec().limits }, ..spec() };
    assert!(matches!(next_step(&task, &limited(2), at(10)), RunStep::CallModel { .. }));
    let RunStep::Fail(reason) = next_step(&task, &limited(1), at(10)) else { panic!("the run continues") };
    assert_eq!(reason.code, ErrorCode::TOOL_ERRORS.code);
    assert_eq!(reason.detail, "'look' failed 2 times in this run, the last time with: broken");
    apply_all(&mut task, &[status(TaskState::InputRequired)]);
    apply_message(&mut task, caller_message("more", "again", &[]));
    apply_all(&mut task, &[run_started()]);
    assert!(matches!(next_step(&task, &limited(1), at(10)), RunStep::CallModel { .. }));
}

#[test]
fn input_guardrails_check_a_message_once_and_may_rewrite_it() {
    let mut task = task(ToolExecution::Agent, &[run_started(), attempt(1, 1)]);
    let unchecked: Vec<MessageId> = unchecked_messages(&task).iter().map(|message| message.id.clone()).collect();
    let [first] = &unchecked[..] else { panic!("{unchecked:?}") };
    let looked = TaskEvent::GuardrailChecked {
        guardrail: "g".to_owned(),
        stage: GuardStage::Input,
        call: None,
        message: Some(first.clone()),
        verdict: GuardVerdict::Rewritten,
        detail: String::new(),
        content: Some(Json::string("masked")),
        original: None,
    };
    apply_all(&mut task, &[looked]);
    assert!(unchecked_messages(&task).is_empty());
    assert_eq!(task.history[0].text(), "masked");
    apply_message(&mut task, caller_message("more", "and this", &[]));
    apply_all(&mut task, &[answered(1), attempt(2, 1)]);
    assert_eq!(unchecked_messages(&task).len(), 1, "a new message is checked");
}

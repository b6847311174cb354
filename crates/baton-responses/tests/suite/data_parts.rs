//! Calls, results and answers of a request have the shape in which the rules of tasks read them.

use baton_responses::{Create, Turn};
use baton_rules::{answers_tools, calls_in, results_in};
use serde_json::json;

#[test]
fn the_rules_read_what_requests_bring() {
    let body = json!({"input": [
        {"role": "user", "content": "hi"},
        {"type": "function_call", "call_id": "a", "name": "mine", "arguments": "{\"x\": 1.50}"},
        {"type": "function_call", "call_id": "b", "name": "mine", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "72°F"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_t-1_call_9", "approve": true},
    ]});
    let mut count = 0;
    let mut fresh = || {
        count += 1;
        format!("f{count}")
    };
    let create = Create::read(body.to_string().as_bytes(), &mut fresh).unwrap();
    let Turn::Said(calls) = &create.input.history[1] else { panic!("{:?}", create.input.history) };
    let calls: Vec<String> =
        calls_in(calls).iter().map(|call| format!("{} {} {:?}", call.id, call.name, call.arguments)).collect();
    assert_eq!(calls, ["a mine {\"x\":1.50}", "b mine {}"]);
    let last = create.input.last.message.unwrap();
    let results: Vec<String> = results_in(&last)
        .unwrap()
        .iter()
        .map(|result| format!("{} {} {:?} {}", result.call, result.name, result.output, result.is_error))
        .collect();
    assert_eq!(results, ["a mine \"72°F\" false", "b mine \"The caller gave no result.\" true"]);
    assert!(answers_tools(&last));
    assert_eq!(create.input.last.approvals[0].task.as_str(), "t-1");
    assert_eq!(create.input.last.approvals[0].call, "call_9");
}

//! Tool calls, results and answers of a request have the format that `baton-rules` parses.

use baton_responses::{CreateResponse, HistoryEntry};
use baton_rules::{is_tool_answer, parse_tool_calls, parse_tool_results};
use serde_json::json;

#[test]
fn request_data_parts_are_parsed_by_the_rules() {
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
    let create = CreateResponse::parse(body.to_string().as_bytes(), &mut fresh).unwrap();
    let HistoryEntry::Message(calls) = &create.input.history[1] else { panic!("{:?}", create.input.history) };
    let calls: Vec<String> =
        parse_tool_calls(calls).iter().map(|call| format!("{} {} {:?}", call.id, call.name, call.arguments)).collect();
    assert_eq!(calls, ["a mine {\"x\":1.50}", "b mine {}"]);
    let last = create.input.current.message.unwrap();
    let results: Vec<String> = parse_tool_results(&last)
        .unwrap()
        .iter()
        .map(|result| format!("{} {} {:?} {}", result.call, result.name, result.output, result.is_error))
        .collect();
    assert_eq!(results, ["a mine \"72°F\" false", "b mine \"The caller gave no result.\" true"]);
    assert!(is_tool_answer(&last));
    assert_eq!(create.input.current.approvals[0].task.as_str(), "t-1");
    assert_eq!(create.input.current.approvals[0].call, "call_9");
}

//! Invalid requests and their errors.

use baton_responses::{CompactRequest, CreateResponse, OpenAiError, chat::CreateChatCompletion};
use serde_json::{Value, json};

fn fresh() -> impl FnMut() -> String {
    let mut count = 0;
    move || {
        count += 1;
        format!("f{count}")
    }
}

/// Table of requests with their errors.
fn table(requests: &[Value], read: impl Fn(&[u8]) -> Option<OpenAiError>) -> String {
    let line = |request: &Value| {
        let body = request.to_string();
        let refusal = read(body.as_bytes()).unwrap_or_else(|| panic!("taken: {body}"));
        assert_eq!((refusal.status, refusal.kind), (400, "invalid_request_error"));
        let (code, param) = (refusal.code.unwrap_or_default(), refusal.param.unwrap_or_default());
        let shown: String = body.chars().take(120).collect();
        format!("{shown}\n  {code} at {param}: {}", refusal.message)
    };
    requests.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn invalid_requests_are_rejected_with_field_and_advice() {
    let with = |name: &str, value: Value| json!({"input": "hi", name: value});
    let item = |item: Value| json!({"input": [item]});
    let part = |part: Value| json!({"input": [{"role": "user", "content": [part]}]});
    let tool = |tool: Value| json!({"input": "hi", "tools": [tool]});
    let pairs: Value = (0..17).map(|n| (n.to_string(), json!("v"))).collect::<serde_json::Map<_, _>>().into();
    let requests = [
        json!([]),
        json!({}),
        json!({"input": null}),
        json!({"input": ""}),
        json!({"input": []}),
        json!({"input": 7}),
        json!({"input": [{"role": "assistant", "content": "the agent has the last word"}]}),
        with("model", json!(1)),
        with("stream", json!("yes")),
        with("instructions", json!([])),
        with("prompt", json!({"id": "p"})),
        json!({"input": "hi", "previous_response_id": "resp_1", "conversation": "conv_1"}),
        with("conversation", json!({})),
        json!({"input": "hi", "background": true, "store": false}),
        with("max_output_tokens", json!(15)),
        with("max_output_tokens", json!(1.5)),
        with("max_tool_calls", json!(0)),
        with("temperature", json!(2.1)),
        with("temperature", json!("hot")),
        with("top_p", json!(-0.1)),
        with("presence_penalty", json!(3)),
        with("top_logprobs", json!(21)),
        with("truncation", json!("middle")),
        with("include", json!([1])),
        with("metadata", json!({"a": 1})),
        with("metadata", json!({"k".repeat(65): "v"})),
        with("metadata", json!({"k": "v".repeat(513)})),
        with("metadata", pairs),
        with("safety_identifier", json!("x".repeat(129))),
        with("prompt_cache_key", json!("x".repeat(65))),
        with("reasoning", json!({"effort": "huge"})),
        with("text", json!({"format": {"type": "xml"}})),
        with("text", json!({"format": {"type": "json_schema", "schema": {}}})),
        with("text", json!({"format": {"type": "json_schema", "name": "n"}})),
        with("text", json!({"verbosity": "chatty"})),
        with("tool_choice", json!("sometimes")),
        with("tool_choice", json!({"type": "function"})),
        with("tool_choice", json!({"type": "file_search"})),
        with("tool_choice", json!({"type": "allowed_tools", "mode": "auto", "tools": []})),
        with("tools", json!({})),
        tool(json!("f")),
        tool(json!({"name": "no_type"})),
        tool(json!({"type": "web_search"})),
        tool(json!({"type": "function", "name": "has space"})),
        tool(json!({"type": "function", "name": "handoff"})),
        tool(json!({"type": "function", "name": "f", "parameters": []})),
        json!({"input": "hi", "tools": [{"type": "function", "name": "f"}, {"type": "custom", "name": "f"}]}),
        tool(json!({"type": "mcp", "server_url": "https://x"})),
        tool(json!({"type": "mcp", "server_label": "x"})),
        tool(json!({"type": "mcp", "server_label": "x", "connector_id": "c"})),
        tool(json!({"type": "mcp", "server_label": "x", "server_url": "https://x", "require_approval": "maybe"})),
        tool(json!({"type": "mcp", "server_label": "x", "server_url": "https://x", "headers": {"a": 1}})),
        item(json!("words")),
        item(json!({"content": "no role"})),
        item(json!({"role": "user"})),
        item(json!({"role": "robot", "content": "hi"})),
        item(json!({"type": "computer_call"})),
        item(json!({"type": "function_call", "name": "f", "arguments": "{}"})),
        item(json!({"type": "function_call_output", "call_id": "lost", "output": "x"})),
        item(json!({"type": "function_call_output", "call_id": "lost"})),
        item(json!({"type": "mcp_approval_response", "approval_request_id": "c1", "approve": true})),
        item(json!({"type": "mcp_approval_response", "approval_request_id": "mcpr_t_c", "approve": "yes"})),
        item(json!({"type": "compaction", "encrypted_content": "bm90IG91cnM="})),
        item(json!({"type": "item_reference"})),
        part(json!({"text": "no type"})),
        part(json!({"type": "input_audio"})),
        part(json!({"type": "input_text"})),
        part(json!({"type": "input_image", "file_id": "file-1"})),
        part(json!({"type": "input_image"})),
        part(json!({"type": "input_image", "image_url": "file:///etc/passwd"})),
        part(json!({"type": "input_image", "image_url": "data:image/png,raw"})),
        part(json!({"type": "input_image", "image_url": "data:image/png;base64,!"})),
        part(json!({"type": "input_file", "filename": "a.pdf"})),
    ];
    insta::assert_snapshot!(table(&requests, |body| CreateResponse::parse(body, &mut fresh()).err()));
}

#[test]
fn invalid_chat_and_compaction_requests_are_rejected() {
    let with = |name: &str, value: Value| json!({"messages": [{"role": "user", "content": "hi"}], name: value});
    let requests = [
        json!({}),
        json!({"messages": []}),
        json!({"messages": ["hi"]}),
        json!({"messages": [{"role": "tool", "content": "x"}]}),
        json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "lost", "content": "x"},
        ]}),
        json!({"messages": [{"role": "assistant", "tool_calls": [{"id": "a"}]}]}),
        with("n", json!(2)),
        with("max_tokens", json!(0)),
        with("response_format", json!({"type": "json_schema", "json_schema": {"name": "n"}})),
        with("functions", json!([{"name": "f"}])),
        with("function_call", json!("auto")),
        with("logprobs", json!(true)),
        with("top_logprobs", json!(3)),
        with("logit_bias", json!({"50256": -100})),
        with("modalities", json!(["text", "audio"])),
        with("web_search_options", json!({"search_context_size": "low"})),
        with("stop", json!(["a", "b", "c", "d", "e"])),
        with("stop", json!("")),
        with("stop_sequences", json!([1])),
    ];
    insta::assert_snapshot!("chat", table(&requests, |body| CreateChatCompletion::parse(body, &mut fresh()).err()));
    // An empty choice of tools is not an error.
    for (name, value) in
        [("logprobs", json!(false)), ("top_logprobs", json!(0)), ("functions", json!([])), ("n", json!(1))]
    {
        assert!(CreateChatCompletion::parse(with(name, value).to_string().as_bytes(), &mut fresh()).is_ok(), "{name}");
    }
    let with = |name: &str, value: Value| json!({"prompt": "hi", name: value});
    let requests = [
        json!({}),
        json!({"prompt": 7}),
        json!({"prompt": ["one", "two"]}),
        json!({"prompt": [1, 2, 3]}),
        with("suffix", json!("end")),
        with("echo", json!(true)),
        with("best_of", json!(3)),
        with("logprobs", json!(2)),
        with("n", json!(2)),
    ];
    insta::assert_snapshot!(
        "prompts",
        table(&requests, |body| CreateChatCompletion::read_prompt(body, &mut fresh()).err())
    );
    let requests = [json!({"input": "hi"}), json!({"model": "m"})];
    insta::assert_snapshot!("compact", table(&requests, |body| CompactRequest::parse(body, &mut fresh()).err()));
    assert_eq!(
        CreateResponse::parse(b"{", &mut fresh()).map_err(|refusal| refusal.to_json()),
        Err("{\"error\":{\"message\":\"The request cannot be read: the body is not JSON: EOF while parsing an object at line 1 column 1.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_json\"}}".to_owned())
    );
}

//! Parsing of valid requests.

use baton_responses::{
    CreateResponse, HistoryEntry, ItemOrder, ParsedInput, open_compaction, page_items, seal_compaction,
};
use baton_types::{Message, Part, PartContent, Role};
use serde_json::{Value, json};

fn read(body: &Value) -> CreateResponse {
    let mut count = 0;
    let mut fresh = || {
        count += 1;
        format!("f{count}")
    };
    CreateResponse::parse(body.to_string().as_bytes(), &mut fresh).unwrap()
}

fn shown(message: &Message) -> String {
    let parts = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Text(text) if text.is_empty() => None,
        PartContent::Text(text) => Some(text.clone()),
        PartContent::Data(data) => Some(data.as_str().to_owned()),
        PartContent::Raw(raw) => Some(format!("<{} bytes64 of {:?} {:?}>", raw.len(), part.media_type, part.filename)),
        PartContent::Url(url) => Some(format!("<{url} {:?}>", part.media_type)),
    });
    let role = if message.role == Role::User { "user" } else { "agent" };
    format!("{role}: {}", parts.collect::<Vec<_>>().join(" | "))
}

fn in_lines(input: &ParsedInput) -> String {
    let mut lines: Vec<String> = input.system.iter().map(|words| format!("system: {words}")).collect();
    lines.extend(input.history.iter().map(|turn| match turn {
        HistoryEntry::Message(message) => shown(message),
        HistoryEntry::Reference { id, .. } => format!("reference: {id}"),
    }));
    lines.extend(input.current.message.iter().map(|message| format!("now {}", shown(message))));
    lines.join("\n")
}

#[test]
fn items_become_messages_in_model_order() {
    let sealed = seal_compaction(&[Message::new("old".into(), Role::User, vec![Part::text("long ago")])]);
    assert_eq!(open_compaction(&sealed).unwrap()[0].text(), "long ago");
    let png = "data:image/png;base64,aGVsbG8=";
    let inputs = [
        json!("hi"),
        json!([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "one"}, {"role": "user", "content": "two"}]),
        json!([
            {"type": "compaction", "encrypted_content": sealed},
            {"role": "user", "content": [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": png}]},
            {"type": "message", "role": "assistant", "id": "msg_1", "phase": "commentary", "content": [{"type": "output_text", "text": "I will", "annotations": []}]},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{\"x\":1}"},
            {"type": "custom_tool_call", "call_id": "b", "name": "g", "input": "text"},
            {"role": "user", "content": "and?"},
            {"type": "custom_tool_call_output", "call_id": "b", "output": [{"type": "input_text", "text": "B"}, {"type": "input_image", "image_url": "https://x/i.png"}]},
            {"type": "function_call_output", "call_id": "a", "output": "A"},
        ]),
        json!([
            {"role": "user", "content": "go"},
            {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []},
            {"type": "mcp_call", "id": "mcp_c1", "server_label": "s", "name": "look", "arguments": "{}", "output": "seen"},
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "not json"},
            {"role": "assistant", "content": "never mind"},
            {"type": "item_reference", "id": "msg_9"},
            {"role": "user", "content": [{"type": "input_file", "filename": "a.txt", "file_data": "aGk="}]},
        ]),
        json!([{"type": "mcp_approval_response", "approval_request_id": "mcpr_t-1_c_1", "approve": false, "reason": "no"}]),
        json!([{"role": "tool", "tool_call_id": "a", "content": "A"}, {"type": "item_reference", "id": "fc_a"}]),
    ];
    let all = inputs.iter().enumerate().map(|(index, input)| {
        let previous = (index == 5).then_some("resp_t-1");
        let body = json!({"input": input, "previous_response_id": previous});
        let mut count = 0;
        let mut fresh = || {
            count += 1;
            format!("f{count}")
        };
        in_lines(&CreateResponse::parse_unanswerable(body.to_string().as_bytes(), &mut fresh).unwrap().input)
    });
    insta::assert_snapshot!(all.collect::<Vec<_>>().join("\n---\n"));
}

#[test]
fn run_options_and_request_record_contain_no_secret() {
    let create = read(&json!({
        "model": "helper", "instructions": "Be kind.", "stream": true, "background": true, "unknown": {"is": "ignored"},
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="}]},
        ],
        "tools": [
            {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": true},
            {"type": "custom", "name": "g", "description": "d", "format": {"type": "grammar", "syntax": "lark", "definition": "start: X"}},
            {"type": "mcp", "server_label": "s", "server_url": "https://s/mcp", "authorization": "SECRET1", "headers": {"x": "SECRET2"},
             "allowed_tools": {"tool_names": ["t"]}, "require_approval": {"never": {"tool_names": ["t"]}}},
        ],
        "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "f"}]},
        "parallel_tool_calls": false, "max_tool_calls": 3, "max_output_tokens": 100, "temperature": 0.7, "top_p": 0.5,
        "presence_penalty": 0.5, "top_logprobs": 2, "truncation": "disabled", "metadata": {"a": "b"},
        "reasoning": {"effort": "low"}, "service_tier": "flex", "conversation": {"id": "conv_1"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": true}, "verbosity": "low"},
    }));
    assert!(create.stream && create.background && create.store);
    assert_eq!(create.mcp[0].headers["Authorization"], "Bearer SECRET1");
    let run_options = serde_json::to_value(create.run_options()).unwrap();
    assert!(!run_options.to_string().contains("SECRET") && !format!("{create:?}").contains("SECRET"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&run_options).unwrap());
    let record = baton_responses::RequestRecord::from_run_options(&create.run_options());
    let response = baton_responses::Response::new("resp_t-1".to_owned(), 1, "agent", &record);
    insta::assert_snapshot!("the_echo", serde_json::to_string_pretty(&response).unwrap());
    assert_eq!(serde_json::to_string(&read(&json!({"input": "hi"})).run_options).unwrap(), "{}");
}

#[test]
fn items_are_paginated() {
    let items: Vec<baton_types::Json> = (1..=3).map(|n| json!({"id": format!("i{n}")}).into()).collect();
    let page = |limit, order, after| {
        let page = page_items(&items, limit, order, after).unwrap();
        (page.first_id.unwrap_or_default(), page.last_id.unwrap_or_default(), page.has_more)
    };
    let of = |first: &str, last: &str, more| (first.to_owned(), last.to_owned(), more);
    assert_eq!(page(2, ItemOrder::Desc, None), of("i3", "i2", true));
    assert_eq!(page(2, ItemOrder::Desc, Some("i2")), of("i1", "i1", false));
    assert_eq!(page(20, ItemOrder::Asc, Some("i1")), of("i2", "i3", false));
    assert_eq!(page(20, ItemOrder::Asc, Some("i3")), of("", "", false));
    assert!(page_items(&items, 20, ItemOrder::Asc, Some("other")).is_err());
}

use crate::sample::*;
use baton_rules::{calls_part, parse_tool_calls, parse_tool_results, results_part};
use baton_types::*;
use proptest::prelude::*;
use serde_json::json as js;

#[test]
fn both_call_formats_are_parsed_and_other_parts_ignored() {
    let weather = |arguments| ToolCall { id: "call_1".into(), name: "get_weather".to_owned(), arguments };
    let oakland = || weather(json(js!({"location": "Oakland"})));
    let older = |arguments: serde_json::Value| {
        js!({"tool_calls": [{"id": "call_1", "type": "function",
            "function": {"name": "get_weather", "arguments": arguments}}]})
    };
    let flat = |arguments: serde_json::Value| js!({"tool_calls": [{"call_id": "call_1", "name": "get_weather", "arguments": arguments}]});
    let table = [
        (flat(js!({"location": "Oakland"})), vec![oakland()]),
        (older(js!("{\"location\": \"Oakland\"}")), vec![oakland()]),
        (older(js!({"location": "Oakland"})), vec![oakland()]),
        (older(js!("not json")), vec![weather(json(js!({})))]),
        (flat(js!(null)), vec![weather(json(js!({})))]),
        (js!({"tool_calls": [{"name": "nobody"}, {"call_id": "nameless"}]}), vec![]),
        (js!({"tool_calls": "three"}), vec![]),
        (js!({"other": 1}), vec![]),
        (js!([1, 2]), vec![]),
    ];
    for (data, expect) in table {
        let message = user_message("m", vec![Part::text("tool_calls"), Part::data(json(data.clone()))]);
        assert_eq!(parse_tool_calls(&message), expect, "{data}");
        assert_eq!(parse_tool_results(&message), Ok(vec![]), "{data}");
    }
    let two = user_message("m", vec![Part::data(json(flat(js!({})))), Part::data(json(older(js!("{}"))))]);
    assert_eq!(parse_tool_calls(&two).len(), 2);
}

fn output() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just("null"),
        Just("\"text\""),
        Just("9007199254740993"),
        Just("1.50"),
        Just("[]"),
        Just("{\"tool_results\":[]}")
    ]
    .prop_map(|text| Json::parse(text).unwrap())
}

proptest! {
    #[test]
    fn tool_parts_round_trip(
        results in prop::collection::vec((".*", ".*", output(), any::<bool>()), 0..4),
        calls in prop::collection::vec((".*", ".*", 0..9), 0..4),
    ) {
        let results: Vec<_> = results.into_iter().map(|(id, name, output, is_error)| {
            ToolResult { call: id.into(), name, output, is_error }
        }).collect();
        let calls: Vec<_> = calls.into_iter().map(|(id, name, number)| {
            ToolCall { id: id.into(), name, arguments: json(js!({ "n": number })) }
        }).collect();
        let message = user_message("m", vec![results_part(&results), calls_part(&calls)]);
        prop_assert_eq!(parse_tool_results(&message).unwrap(), results);
        prop_assert_eq!(parse_tool_calls(&message), calls);
    }
}

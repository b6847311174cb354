//! Long tool results: shortened in the model input, with the rest readable through a tool.

use super::small_window::{SmallWindowFixture, ask, call_tool, say};
use baton_ports::ChatMessage;
use baton_types::{Part, TaskState};
use serde_json::{Value, json};

fn outputs(call: &baton_ports::ModelCall) -> Vec<String> {
    let outputs = call.messages.iter().filter_map(|message| match message {
        ChatMessage::Tool { output, .. } => Some(output.to_plain_text()),
        _ => None,
    });
    outputs.collect()
}

#[tokio::test(start_paused = true)]
async fn long_result_is_shortened_and_readable_in_ranges() {
    let fixture = SmallWindowFixture::new(Some(200_000), |call, number| {
        let id = || match &call.messages[2] {
            ChatMessage::Tool { call, .. } => call.to_string(),
            other => panic!("{other:?}"),
        };
        match number {
            1 => call_tool(call, "look", json!({})),
            2 => call_tool(call, "read_output", json!({"call": id(), "offset": 500_000, "length": 20})),
            3 => call_tool(call, "read_output", json!({"call": id(), "pattern": "LINE 70000 "})),
            4 => call_tool(call, "read_output", json!({"call": "nobody's"})),
            5 => call_tool(call, "read_output", json!({"call": id(), "offset": 99_000_000})),
            _ => say("read"),
        }
    });
    let whole: String = (0..100_000).map(|line| format!("line {line} of it\n")).collect();
    *fixture.output.lock().unwrap() = whole.clone();
    let engine = fixture.engine();
    let done = ask(&engine, "m-1", vec![Part::text("look")]).await;
    assert_eq!(done.state, TaskState::Completed, "{done:?}");
    let calls = fixture.calls.lock().unwrap().clone();
    let offered = |at: usize| calls[at].tools.iter().any(|tool| tool.name == "read_output");
    assert!(!offered(0) && offered(1), "offered only after a result was shortened");
    let given = outputs(calls.last().unwrap());
    assert!(given[0].len() < 6_000, "{} bytes", given[0].len());
    assert!(given[0].starts_with("line 0 of it\n") && given[0].ends_with("line 99999 of it\n"));
    let place = &whole[500_000..500_020];
    assert_eq!(given[1], format!("[bytes 500000 to 500020 of {}; go on with offset 500020]\n{place}", whole.len()));
    assert_eq!(given[2], format!("{}: line 70000 of it", whole.find("line 70000 ").unwrap()));
    assert_eq!(given[3], "There is no result of a call 'nobody's' to read from.");
    assert!(given[4].contains("is behind its end"), "{}", given[4]);
    // The task contains the whole result.
    let results: Value = match &done.history[2].parts[0].content {
        baton_types::PartContent::Data(data) => data.to_value(),
        other => panic!("{other:?}"),
    };
    assert_eq!(results["tool_results"][0]["output"].as_str().unwrap().len(), whole.len());
    // Later tasks of the conversation get the shortened result too.
    ask(&engine, "m-2", vec![Part::text("again")]).await;
    let last = fixture.calls.lock().unwrap().last().unwrap().clone();
    assert!(outputs(&last)[0].len() < 6_000);
}

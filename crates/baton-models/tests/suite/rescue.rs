//! Recovery of tool calls written as text, in every format and split at any point.

use crate::calls::{tool, user, with_tools};
use baton_models::RescueModel;
use baton_ports::{FinishReason, Model, ModelCall, ModelEvent, ModelStream, OutputFormat};
use baton_types::Usage;
use futures_util::{FutureExt, StreamExt};
use proptest::prelude::*;
use std::sync::Arc;

struct ChunkedModel(Vec<String>);

impl Model for ChunkedModel {
    fn name(&self) -> &str {
        "small"
    }

    fn call(&self, _: ModelCall) -> ModelStream {
        let done = ModelEvent::Done { usage: Usage::new(1, 1), finish: FinishReason::Stop, answered_by: None };
        let pieces: Vec<_> = self.0.iter().cloned().map(ModelEvent::Text).chain([done]).map(Ok).collect();
        Box::pin(futures_util::stream::iter(pieces))
    }
}

fn call_with_tools() -> ModelCall {
    with_tools(user("x"), &[tool("weather", "{}"), tool("time", "{}")])
}

/// The response with its text joined.
fn answer(pieces: &[String], call: ModelCall) -> String {
    let events: Vec<_> =
        RescueModel::new(Arc::new(ChunkedModel(pieces.to_vec()))).call(call).collect().now_or_never().unwrap();
    let (mut text, mut rest) = (String::new(), Vec::new());
    for event in events {
        match event {
            Ok(ModelEvent::Text(piece)) => text.push_str(&piece),
            event => rest.push(event),
        }
    }
    format!("{text}|{}", crate::calls::shown(&rest))
}

const EXPECTED_CALL: &str = "|note Rescued { calls: 1 }\ncall call-m1-0 weather {\"city\":\"Rome\"}\ndone ToolCalls";

const CALLS: &[&str] = &[
    r#"{"name":"weather","arguments":{"city":"Rome"}}"#,
    "\n ```json\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n```\n",
    "```\n[{\"tool\":\"weather\",\"parameters\":{\"city\":\"Rome\"}}]\n```",
    r#"<tool_call>{"name":"weather","arguments":{"city":"Rome"}}</tool_call>"#,
    "<tool_call>\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}",
    r#"{"type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}"#,
    r#"{"function":"weather","args":{"city":"Rome"}}"#,
    r#"{{"name": "weather", "arguments": {"city": "Rome"}}}"#,
    r#"{"tool_calls":[{"id":"1","function":{"name":"weather","arguments":{"city":"Rome"}}}]}"#,
];

const PLAIN_TEXTS: &[&str] = &[
    "It is sunny.",
    "",
    "{",
    "``",
    "<tool_ca",
    "Call it so: {\"name\":\"weather\",\"arguments\":{}}",
    "{\"name\":\"weather\",\"arguments\":{}} is how to call it",
    r#"{"name":"unknown","arguments":{}}"#,
    r#"{"name":"weather"}"#,
    r#"{"name":"weather","arguments":{},"and":1}"#,
    r#"{"name":"weather","arguments":[1]}"#,
    r#"{"city":"Rome"}"#,
    "```python\nprint(1)\n```",
    "```json\n{\"city\":\"Rome\"}\n```",
    "[1, 2]",
    "<b>bold</b>",
    "{\"name\":\"weather\",\"argum",
    r#"{{"name":"weather","arguments":{}}"#,
];

#[test]
fn text_calls_are_recovered_and_plain_text_is_kept() {
    for text in CALLS {
        assert_eq!(answer(&[(*text).to_owned()], call_with_tools()), EXPECTED_CALL, "{text}");
        assert_eq!(answer(&[(*text).to_owned()], user("no tools")), format!("{text}|done"));
    }
    for text in PLAIN_TEXTS {
        assert_eq!(answer(&[(*text).to_owned()], call_with_tools()), format!("{text}|done"));
    }
    let two =
        "<tool_call>{\"name\":\"time\"}</tool_call>\n<tool_call>{\"name\":\"weather\",\"arguments\":{}}</tool_call>";
    let both = answer(&[two.to_owned()], call_with_tools());
    assert!(
        both.starts_with("|note Rescued { calls: 2 }\ncall call-m1-0 time {}\ncall call-m1-1 weather {}"),
        "{both}"
    );
    let one = answer(&[two.to_owned()], ModelCall { parallel_calls: false, ..call_with_tools() });
    assert!(one.starts_with("|note Rescued { calls: 1 }\ncall call-m1-0 time {}\ndone"), "{one}");
    // If JSON was requested, JSON is the answer.
    let json = ModelCall { format: OutputFormat::JsonObject, ..call_with_tools() };
    assert_eq!(answer(&[CALLS[0].to_owned()], json.clone()), format!("{}|done", CALLS[0]));
    assert_eq!(answer(&[CALLS[3].to_owned()], json), EXPECTED_CALL);
}

#[test]
fn plain_text_is_not_delayed() {
    for (text, held) in [("Hello", 0), ("{\"city\"", 8), ("```rust", 4), ("<b>", 2), ("[1", 2)] {
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        let mut stream = RescueModel::new(Arc::new(ChunkedModel(pieces))).call(call_with_tools());
        let first = stream.next().now_or_never().unwrap();
        let Some(Ok(ModelEvent::Text(first))) = first else { panic!("{text}: {first:?}") };
        assert!(first.chars().count() <= held.max(1), "{text}: {first}");
    }
}

proptest! {
    #[test]
    fn chunk_boundaries_do_not_matter(
        index in 0..CALLS.len() + PLAIN_TEXTS.len(),
        cuts in prop::collection::vec(0_usize..200, 0..12),
    ) {
        let text = CALLS.iter().chain(PLAIN_TEXTS).nth(index).unwrap();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).filter(|cut| text.is_char_boundary(*cut)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<String> = cuts.windows(2).map(|cut| text[cut[0]..cut[1]].to_owned()).collect();
        prop_assert_eq!(answer(&pieces, call_with_tools()), answer(&[(*text).to_owned()], call_with_tools()));
    }

    #[test]
    fn no_text_is_lost(text in "[\\[{\"`<a-z:,} \\n]{0,40}") {
        let whole = answer(std::slice::from_ref(&text), call_with_tools());
        let letters: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(&answer(&letters, call_with_tools()), &whole);
        prop_assert_eq!(whole, format!("{text}|done"));
    }
}

//! Calls that were written as text, in every spelling and cut in every way.

use crate::ask::{tool, user, with_tools};
use baton_models::RescueModel;
use baton_ports::{FinishReason, Model, ModelCall, ModelEvent, ModelStream, OutputFormat};
use baton_types::Usage;
use futures_util::{FutureExt, StreamExt};
use proptest::prelude::*;
use std::sync::Arc;

struct Pieces(Vec<String>);

impl Model for Pieces {
    fn name(&self) -> &str {
        "small"
    }

    fn call(&self, _: ModelCall) -> ModelStream {
        let done = ModelEvent::Done { usage: Usage::new(1, 1), finish: FinishReason::Stop, answered_by: None };
        let pieces: Vec<_> = self.0.iter().cloned().map(ModelEvent::Text).chain([done]).map(Ok).collect();
        Box::pin(futures_util::stream::iter(pieces))
    }
}

fn asked() -> ModelCall {
    with_tools(user("x"), &[tool("weather", "{}"), tool("time", "{}")])
}

/// The answer with its text in one piece.
fn answer(pieces: &[String], call: ModelCall) -> String {
    let events: Vec<_> =
        RescueModel::new(Arc::new(Pieces(pieces.to_vec()))).call(call).collect().now_or_never().unwrap();
    let (mut text, mut rest) = (String::new(), Vec::new());
    for event in events {
        match event {
            Ok(ModelEvent::Text(piece)) => text.push_str(&piece),
            event => rest.push(event),
        }
    }
    format!("{text}|{}", crate::ask::shown(&rest))
}

const RESCUED: &str = "|note Rescued { calls: 1 }\ncall call-m1-0 weather {\"city\":\"Rome\"}\ndone ToolCalls";

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

const WORDS: &[&str] = &[
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
fn calls_are_understood_and_words_stay_words() {
    for text in CALLS {
        assert_eq!(answer(&[(*text).to_owned()], asked()), RESCUED, "{text}");
        assert_eq!(answer(&[(*text).to_owned()], user("no tools")), format!("{text}|done"));
    }
    for text in WORDS {
        assert_eq!(answer(&[(*text).to_owned()], asked()), format!("{text}|done"));
    }
    let two =
        "<tool_call>{\"name\":\"time\"}</tool_call>\n<tool_call>{\"name\":\"weather\",\"arguments\":{}}</tool_call>";
    let both = answer(&[two.to_owned()], asked());
    assert!(
        both.starts_with("|note Rescued { calls: 2 }\ncall call-m1-0 time {}\ncall call-m1-1 weather {}"),
        "{both}"
    );
    let one = answer(&[two.to_owned()], ModelCall { parallel_calls: false, ..asked() });
    assert!(one.starts_with("|note Rescued { calls: 1 }\ncall call-m1-0 time {}\ndone"), "{one}");
    // Where JSON was asked for, JSON is the answer.
    let json = ModelCall { format: OutputFormat::JsonObject, ..asked() };
    assert_eq!(answer(&[CALLS[0].to_owned()], json.clone()), format!("{}|done", CALLS[0]));
    assert_eq!(answer(&[CALLS[3].to_owned()], json), RESCUED);
}

#[test]
fn ordinary_words_are_not_kept_waiting() {
    for (text, held) in [("Hello", 0), ("{\"city\"", 8), ("```rust", 4), ("<b>", 2), ("[1", 2)] {
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        let mut stream = RescueModel::new(Arc::new(Pieces(pieces))).call(asked());
        let first = stream.next().now_or_never().unwrap();
        let Some(Ok(ModelEvent::Text(first))) = first else { panic!("{text}: {first:?}") };
        assert!(first.chars().count() <= held.max(1), "{text}: {first}");
    }
}

proptest! {
    #[test]
    fn pieces_do_not_matter(index in 0..CALLS.len() + WORDS.len(), cuts in prop::collection::vec(0_usize..200, 0..12)) {
        let text = CALLS.iter().chain(WORDS).nth(index).unwrap();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).filter(|cut| text.is_char_boundary(*cut)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<String> = cuts.windows(2).map(|cut| text[cut[0]..cut[1]].to_owned()).collect();
        prop_assert_eq!(answer(&pieces, asked()), answer(&[(*text).to_owned()], asked()));
    }

    #[test]
    fn no_text_is_lost(text in "[\\[{\"`<a-z:,} \\n]{0,40}") {
        let whole = answer(std::slice::from_ref(&text), asked());
        let letters: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(&answer(&letters, asked()), &whole);
        prop_assert_eq!(whole, format!("{text}|done"));
    }
}

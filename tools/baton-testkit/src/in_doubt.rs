//! Answers to in-doubt questions: the outcome of a tool call that a crash interrupted.

use baton_types::{Message, Part, PartContent};
use serde_json::{Map, Value, json};

/// The in-doubt entries of a message, one per call, unchanged.
pub(crate) fn in_doubt_entries(message: &Message) -> Vec<Map<String, Value>> {
    let data = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) => data.to_value().get_mut("input_requests").map(Value::take),
        _ => None,
    });
    let entries = data.filter_map(|requests| requests.as_array().cloned()).flatten();
    let doubts = entries.filter(|entry| entry["in_doubt"] == json!(true));
    doubts.filter_map(|entry| entry.as_object().cloned()).collect()
}

/// Forms of an answer; none of them runs the call again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DoubtAnswer {
    /// The result, as a caller's tool result.
    ToolResult,
    /// The result, in the requested form.
    UseResult,
    /// The outcome is unknown; the call fails.
    Fail,
}

impl DoubtAnswer {
    pub(crate) const ALL: [Self; 3] = [Self::ToolResult, Self::UseResult, Self::Fail];

    /// One part that answers all entries.
    pub(crate) fn part(self, doubts: &[Map<String, Value>]) -> Part {
        const OBSERVED_RESULT: &str = "checked manually: the effect took place";
        let (member, more) = match self {
            Self::ToolResult => ("tool_results", json!({ "output": OBSERVED_RESULT })),
            Self::UseResult => {
                ("input_responses", json!({ "content": { "outcome": "use_result", "result": OBSERVED_RESULT } }))
            }
            Self::Fail => ("input_responses", json!({ "content": { "outcome": "fail" } })),
        };
        let answer = |doubt: &Map<String, Value>| {
            let address = doubt.iter().filter(|(name, _)| ["task_id", "call_id", "key"].contains(&name.as_str()));
            let mut entry: Map<String, Value> = address.map(|(name, value)| (name.clone(), value.clone())).collect();
            entry.extend(more.as_object().cloned().unwrap_or_default());
            Value::Object(entry)
        };
        Part::data(json!({ member: doubts.iter().map(answer).collect::<Vec<_>>() }).into())
    }
}

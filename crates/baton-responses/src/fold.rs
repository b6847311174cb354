//! Client-side view of a stream: applies the events to an object, one by one.

use serde_json::{Value, json};

/// A response object as a client builds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedResponse {
    /// The object so far.
    pub response: Value,
    /// Number of applied events.
    pub count: u64,
}

/// Error for an event that does not fit the state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {number}, {kind}: {problem}")]
pub struct FoldError {
    /// Number of earlier events.
    pub number: u64,
    /// Type of the event.
    pub kind: String,
    /// The problem.
    pub problem: String,
}

impl FoldedResponse {
    /// Applies the next event. An event with the whole object must agree with the state built from the others.
    pub fn apply(&mut self, event: &Value) -> Result<(), FoldError> {
        let kind = event["type"].as_str().unwrap_or_default();
        let unfit =
            |problem: &str| FoldError { number: self.count, kind: kind.to_owned(), problem: problem.to_owned() };
        if event["sequence_number"].as_u64() != Some(self.count) {
            return Err(unfit("the sequence number does not follow"));
        }
        let applied = match kind {
            "response.created" if self.count == 0 => {
                self.response = event["response"].clone();
                Ok(())
            }
            "error" => Ok(()),
            _ if self.count == 0 => Err("the stream has not begun"),
            _ if event["response"].is_object() => self.apply_response(&event["response"]),
            _ => self.apply_item_event(kind, event),
        };
        let applied = applied.map_err(|problem| FoldError {
            number: self.count,
            kind: kind.to_owned(),
            problem: problem.to_owned(),
        });
        self.count += 1;
        applied
    }

    fn apply_response(&mut self, response: &Value) -> Result<(), &'static str> {
        let agrees = response["output"] == self.response["output"];
        self.response = response.clone();
        if agrees { Ok(()) } else { Err("the output differs from the streamed items") }
    }

    fn apply_item_event(&mut self, kind: &str, event: &Value) -> Result<(), &'static str> {
        let Some(output) = self.response["output"].as_array_mut() else { return Err("there is no output") };
        let index = event["output_index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let index = index.ok_or("there is no output_index")?;
        if kind == "response.output_item.added" {
            output.push(event["item"].clone());
            return if index + 1 == output.len() { Ok(()) } else { Err("items are added at the end") };
        }
        let item = output.get_mut(index).ok_or("there is no such item")?;
        let (id, is_open) = (item["id"].clone(), item["status"] == "in_progress" || item["status"].is_null());
        let is_target = event["item_id"] == id || event["item"]["id"] == id;
        if !is_target {
            return Err("the item has another id");
        }
        if kind == "response.output_item.done" {
            *item = event["item"].clone();
            return Ok(());
        }
        if !is_open {
            return Err("the item is closed");
        }
        apply_to(item, kind, event)
    }
}

fn apply_to(item: &mut Value, kind: &str, event: &Value) -> Result<(), &'static str> {
    let index_of =
        |name: &str| event[name].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX);
    let (content, summary) = (index_of("content_index"), index_of("summary_index"));
    let member = if item["type"] == "custom_tool_call" { "input" } else { "arguments" };
    match kind {
        "response.content_part.added" => put(&mut item["content"], content, &event["part"]),
        "response.content_part.done" => replace(&mut item["content"], content, &event["part"]),
        "response.output_text.delta" => append(&mut item["content"][content]["text"], &event["delta"]),
        "response.output_text.done" => set(&mut item["content"][content]["text"], &event["text"]),
        "response.refusal.delta" => append(&mut item["content"][content]["refusal"], &event["delta"]),
        "response.refusal.done" => {
            replace(&mut item["content"], content, &json!({"type": "refusal", "refusal": event["refusal"]}))
        }
        "response.reasoning_summary_part.added" => put(&mut item["summary"], summary, &event["part"]),
        "response.reasoning_summary_part.done" => replace(&mut item["summary"], summary, &event["part"]),
        "response.reasoning_summary_text.delta" => append(&mut item["summary"][summary]["text"], &event["delta"]),
        "response.reasoning_summary_text.done" => set(&mut item["summary"][summary]["text"], &event["text"]),
        "response.function_call_arguments.delta"
        | "response.custom_tool_call_input.delta"
        | "response.mcp_call_arguments.delta" => append(&mut item[member], &event["delta"]),
        "response.function_call_arguments.done"
        | "response.custom_tool_call_input.done"
        | "response.mcp_call_arguments.done" => set(&mut item[member], &event[member]),
        "response.mcp_call.in_progress"
        | "response.mcp_call.completed"
        | "response.mcp_call.failed"
        | "response.mcp_list_tools.in_progress"
        | "response.mcp_list_tools.completed" => Ok(()),
        _ => Err("the event type is unknown"),
    }
}

fn put(list: &mut Value, index: usize, value: &Value) -> Result<(), &'static str> {
    match list.as_array_mut() {
        Some(list) if list.len() == index => {
            list.push(value.clone());
            Ok(())
        }
        _ => Err("parts are added at the end"),
    }
}

fn replace(list: &mut Value, index: usize, value: &Value) -> Result<(), &'static str> {
    match list.get_mut(index) {
        Some(part) => {
            *part = value.clone();
            Ok(())
        }
        None => Err("there is no such part"),
    }
}

fn append(target: &mut Value, delta: &Value) -> Result<(), &'static str> {
    match (target, delta) {
        (Value::String(text), Value::String(delta)) => {
            text.push_str(delta);
            Ok(())
        }
        _ => Err("there is no text to append to"),
    }
}

fn set(target: &mut Value, value: &Value) -> Result<(), &'static str> {
    match target {
        Value::String(_) => {
            *target = value.clone();
            Ok(())
        }
        _ => Err("there is no text to replace"),
    }
}

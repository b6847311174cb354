//! Items that callers name instead of sending them again.

use super::{
    asked::Asked,
    refused::from_engine,
    turn::{self, facts, project},
};
use baton_engine::{EngineError, TaskRef};
use baton_responses::{OutputItem, Refusal, ResponseId, task_of_item};
use baton_types::{ErrorCode, StreamId, TaskEvent};
use serde_json::{Map, Value};

/// How such an item says what it is.
const KIND: &str = "item_reference";

/// The body of a request with the items that it names in their places; none when it names none. A body that cannot be read
/// is left to whoever reads it.
pub(super) async fn resolved(asked: &Asked, body: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    if !body.windows(KIND.len()).any(|word| word == KIND.as_bytes()) {
        return Ok(None);
    }
    let Ok(mut members) = serde_json::from_slice::<Map<String, Value>>(body) else { return Ok(None) };
    let Some(Value::Array(items)) = members.get_mut("input") else { return Ok(None) };
    for (index, item) in items.iter_mut().enumerate() {
        let is_reference = item.get("type").and_then(Value::as_str) == Some(KIND);
        let Some(id) = item.get("id").and_then(Value::as_str).filter(|_| is_reference) else { continue };
        let Some(found) = find(asked, id).await? else {
            let message = format!("there is no item '{id}' here; send the item itself");
            return Err(Refusal::invalid("item_not_found", &format!("input[{index}].id"), message));
        };
        *item = serde_json::to_value(found).unwrap_or_default();
    }
    Ok(serde_json::to_vec(&members).ok())
}

/// An item of a response that the caller may see.
async fn find(asked: &Asked, id: &str) -> Result<Option<OutputItem>, Refusal> {
    let Some(task) = task_of_item(id) else { return Ok(None) };
    let named = TaskRef { task: task.clone(), agent: None };
    let (view, events) = match asked.shared.engine.told(asked.principal(), &named).await {
        Ok(told) => told,
        Err(EngineError::TaskNotFound(task)) => {
            asked.caller.not_found(&asked.shared, StreamId::Task(task), ErrorCode::RESPONSE_NOT_FOUND);
            return Ok(None);
        }
        Err(error) => return Err(from_engine(error)),
    };
    let first = ResponseId::first(task.clone());
    let wished = facts(&events).filter(|(.., event)| matches!(event, TaskEvent::Wished { .. }));
    let mut turns: Vec<ResponseId> = wished.map(|(at, ..)| ResponseId { task: task.clone(), at }).collect();
    if !turns.contains(&first) {
        turns.push(first);
    }
    for turn in turns {
        let name = turn.to_string();
        let Some(turn) = project(turn, view.clone(), &events) else { continue };
        let Some(item) = turn.projector.response().output.iter().find(|item| item.id() == id) else { continue };
        // Whether it may be seen and is still there is asked where all others ask it.
        return match turn::find(asked, &name).await {
            Ok(_) => Ok(Some(item.clone())),
            Err(refused) if refused.status == 404 => Ok(None),
            Err(refused) => Err(refused),
        };
    }
    Ok(None)
}

//! Callers that answer whatever a task asks.

use crate::world::message;
use baton_engine::{Engine, EngineError, SendCommand, TaskRef};
use baton_rules::{calls_in, results_part};
use baton_types::{Json, Message, Part, PartContent, Principal, Role, TaskId, TaskState, ToolResult};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// A caller that answers whatever the task asks, until it has ended.
pub(crate) async fn answer(engine: &Engine, task: &TaskId) {
    let principal = Arc::new(Principal::local());
    let reference = TaskRef { task: task.clone(), agent: None };
    for turn in 0_u32.. {
        let view = match engine.task(&principal, &reference).await {
            Ok(view) => view,
            Err(EngineError::Journal(_)) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        if view.state.is_terminal() {
            return;
        }
        assert!(
            turn < 20_000,
            "{task} stays {:?} for ever: {:?}",
            view.state,
            engine.events(&principal, &reference, 0, 1000).await
        );
        if view.state == TaskState::InputRequired {
            let reply = reply(&view.status_message, turn);
            let message = Message { task: Some(task.clone()), ..reply };
            let command = SendCommand::new(view.agent.clone(), message);
            let _ = engine.send(&principal, command).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Results for the calls that are asked for and answers to what tools ask; sometimes in plain words.
fn reply(asked: &Option<Message>, turn: u32) -> Message {
    let calls = asked.as_ref().map(calls_in).unwrap_or_default();
    let requests = asked.as_ref().map(requests_in).unwrap_or_default();
    let mut parts = Vec::new();
    if !calls.is_empty() {
        let result = |call: baton_types::ToolCall| {
            let (call, name) = (call.id, call.name);
            ToolResult { call, name, output: Json::string("by caller"), is_error: false }
        };
        parts.push(results_part(&calls.into_iter().map(result).collect::<Vec<_>>()));
    }
    let yes = !turn.is_multiple_of(3);
    if let ([request], true, true) = (requests.as_slice(), parts.is_empty(), turn.is_multiple_of(2)) {
        let approval = request.get("approval").is_some();
        return message(
            &format!("a{turn}"),
            if !approval {
                "this one"
            } else if yes {
                "yes"
            } else {
                "no"
            },
        );
    }
    if requests.is_empty() && parts.is_empty() {
        return message(&format!("a{turn}"), "this one");
    }
    if !requests.is_empty() {
        let response = |request: &Value| {
            let accept = request.get("approval").is_none() || yes;
            json!({
                "call_id": request["call_id"], "key": request["key"],
                "action": if accept { "accept" } else { "decline" },
                "content": request.get("schema").map(|_| json!({"which": "this one"})),
            })
        };
        let responses: Vec<Value> = requests.iter().map(response).collect();
        // A question of the model may be open as well; words answer that one.
        parts.push(Part::text("this one"));
        parts.push(Part::data(json!({ "input_responses": responses }).into()));
    }
    Message::new(format!("a{turn}").into(), Role::User, parts)
}

/// What tools ask, as the status message shows it.
pub(crate) fn requests_in(message: &Message) -> Vec<Value> {
    let data = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) => data.read::<Value>().ok(),
        _ => None,
    });
    data.flat_map(|data| data["input_requests"].as_array().cloned().unwrap_or_default()).collect()
}

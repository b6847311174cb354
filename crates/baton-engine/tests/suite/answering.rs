//! Clients that answer every question of a task.

use crate::world::message;
use baton_engine::{Engine, EngineError, SendCommand, TaskRef};
use baton_rules::{parse_tool_calls, results_part};
use baton_types::{Json, Message, Part, PartContent, Principal, Role, TaskId, TaskState, ToolResult};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// Answers every question of the task until the task ends.
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
            "{task} stays in {:?}: {:?}",
            view.state,
            engine.events(&principal, &reference, 0, 1000).await
        );
        if view.state == TaskState::InputRequired {
            let below = view.status_message.as_ref().and_then(asking_child_task).filter(|_| turn % 4 == 3);
            match below {
                // A child task accepts an answer directly too.
                Some(child) => answer_once(engine, &principal, &child, turn).await,
                None => answer_once(engine, &principal, task, turn).await,
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn answer_once(engine: &Engine, principal: &Arc<Principal>, task: &TaskId, turn: u32) {
    let reference = TaskRef { task: task.clone(), agent: None };
    let Ok(view) = engine.task(principal, &reference).await else { return };
    if view.state == TaskState::InputRequired {
        let message = Message { task: Some(task.clone()), ..reply(&view.status_message, turn) };
        let _ = engine.send(principal, SendCommand::new(view.agent.clone(), message)).await;
    }
}

/// Id of the child task that asks.
fn asking_child_task(message: &Message) -> Option<TaskId> {
    let requests = requests_in(message);
    requests.iter().find_map(|request| request["task_id"].as_str()).map(Into::into)
}

/// Tool results for requested calls and answers to tool questions; sometimes plain text.
fn reply(asked: &Option<Message>, turn: u32) -> Message {
    let calls = asked.as_ref().map(parse_tool_calls).unwrap_or_default();
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
        if request.get("in_doubt").is_some() {
            return message(&format!("a{turn}"), if yes { "run_again" } else { "fail" });
        }
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
            let mut response = request.clone();
            let members = response.as_object_mut().unwrap();
            // The answer repeats the address and the digest from the request.
            members.retain(|name, _| ["task_id", "call_id", "key", "digest"].contains(&name.as_str()));
            if request.get("in_doubt").is_some() {
                response["content"] = json!({"outcome": "use_result", "result": "by caller"});
            } else if request.get("schema").is_some() {
                response["content"] = json!({"which": "this one"});
            } else if request.get("key").is_none() {
                response["content"] = json!({"text": "this one"});
            }
            response["decision"] = match (accept, turn.is_multiple_of(5)) {
                (true, true) => "allow_session",
                (true, false) => "allow_once",
                (false, _) => "deny",
            }
            .into();
            response
        };
        let responses: Vec<Value> = requests.iter().map(response).collect();
        // A question of the model may be open too; the text answers it.
        parts.push(Part::text("this one"));
        parts.push(Part::data(json!({ "input_responses": responses }).into()));
    }
    Message::new(format!("a{turn}").into(), Role::User, parts)
}

/// Tool questions in a status message.
pub(crate) fn requests_in(message: &Message) -> Vec<Value> {
    let data = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Data(data) => data.read::<Value>().ok(),
        _ => None,
    });
    data.flat_map(|data| data["input_requests"].as_array().cloned().unwrap_or_default()).collect()
}

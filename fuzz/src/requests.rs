//! Requests of A2A 1.0.

use crate::property::{accepted, assert_round_trip, params, to_text};
use baton_types::{Json, MAX_JSON_DEPTH, PushDialect, Violations};
use baton_encoding::depth_within;
use baton_wire::{a2a::v1, jsonrpc::{self, RpcRequest, RpcResponse}};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// The grammar shape of each choice.
pub(crate) const SHAPES: &[&str] =
    &["envelope", "send", "query", "query", "query", "query", "push", "query", "query", "query", "send"];

pub(crate) fn read(choice: usize, text: &str) {
    if !depth_within(text.as_bytes(), MAX_JSON_DEPTH) {
        return;
    }
    match choice {
        0 => envelope(text),
        1 => {
            read_params::<v1::SendMessageRequest<'static>>(text).map(|request| send(&request));
        }
        2 => drop(read_params::<v1::GetTaskRequest<'static>>(text).map(|request| accepted(request.check()))),
        3 => drop(read_params::<v1::ListTasksRequest<'static>>(text).map(|request| accepted(request.check()))),
        4 => drop(read_params::<v1::CancelTaskRequest<'static>>(text).map(|request| accepted(request.check()))),
        5 => drop(read_params::<v1::SubscribeToTaskRequest<'static>>(text).map(|request| accepted(request.check()))),
        6 => {
            if let Some(request) = read_params::<v1::TaskPushNotificationConfig<'static>>(text)
                && let Some((task, config)) = accepted(request.check_create(PushDialect::V1))
            {
                let shown = v1::TaskPushNotificationConfig::from_config(&task, &config);
                assert_eq!(shown.check_create(PushDialect::V1).ok(), Some((task.clone(), config.clone())));
            }
        }
        7 => drop(read_params::<v1::TaskPushNotificationConfigRequest<'static>>(text).map(|it| accepted(it.check()))),
        8 => drop(
            read_params::<v1::ListTaskPushNotificationConfigsRequest<'static>>(text).map(|it| accepted(it.check())),
        ),
        9 => drop(read_params::<v1::GetExtendedAgentCardRequest<'static>>(text)),
        _ => json(text),
    }
}

fn read_params<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) -> Option<T> {
    let request = params::<T>(text)?;
    assert_round_trip(&request);
    Some(request)
}

fn envelope(body: &str) {
    let mut out = Vec::new();
    let params = match RpcRequest::read(body) {
        Ok(request) => {
            jsonrpc::write_result(&mut out, request.id, &request.params);
            request.params
        }
        Err(rejected) => {
            jsonrpc::write_error(&mut out, rejected.id, &rejected.error);
            None
        }
    };
    serde_json::from_slice::<RpcResponse<'_>>(&out).expect("a response is JSON for every id");
    if let Some(request) = accepted(v1::read_params::<v1::SendMessageRequest<'static>>(params)) {
        send(&request);
    }
}

/// An accepted message must be the same after writing and reading.
pub(crate) fn send(request: &v1::SendMessageRequest<'static>) {
    let metadata = request.message.as_ref().and_then(|message| message.metadata.as_ref());
    let _ = accepted(v1::requested_tool_execution(metadata));
    let _ = accepted(v1::requested_idempotency_key(metadata));
    let _ = accepted(v1::requested_generation(metadata));
    let Some((message, _)) = accepted(request.clone().check()) else { return };
    let text = to_text(&v1::Message::from(&message));
    let again: v1::Message<'static> = serde_json::from_str(&text).expect("an accepted message can be read");
    let mut violations = Violations::default();
    let again = again.check("message", &mut violations);
    assert_eq!((again, violations.into_result(())), (Some(message), Ok(())));
}

/// Compact JSON must keep its value and must not be longer than its input.
pub(crate) fn json(text: &str) {
    let Ok(json) = Json::parse(text) else { return };
    let again = Json::parse(json.as_str()).expect("compact JSON is JSON");
    assert_eq!(again, json);
    assert!(json.as_str().len() <= text.len());
    assert_eq!(json.is_object(), text.trim_ascii_start().starts_with('{'));
    let tree = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    assert_eq!(tree(json.as_str()), tree(text));
    let _ = (json.to_value(), json.to_plain_text());
}

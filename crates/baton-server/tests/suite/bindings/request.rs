//! Encoding of requests.

use super::{Binding, Op, WireRequest, old, reply::framed};
use baton_proto::v1::pb;
use baton_wire::a2a::v1;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(super) const AGENT: &str = "/agents/weather";
const JSON: Option<&str> = Some("application/json");

/// Parses the parameters into a wire type.
pub(super) fn read<T: DeserializeOwned>(params: &Value) -> T {
    serde_json::from_str(&params.to_string()).unwrap()
}

/// Text of a parameter; empty if it is missing.
pub(super) fn text_param<'a>(params: &'a Value, name: &str) -> &'a str {
    params[name].as_str().unwrap_or_default()
}

fn without(params: &Value, names: &[&str]) -> Value {
    let members = params.as_object().unwrap().iter().filter(|(name, _)| !names.contains(&name.as_str()));
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}

pub(super) fn query(params: &Value, left_out: &[&str]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in without(params, left_out).as_object().unwrap() {
        query.append_pair(name, value.as_str().map_or(value.to_string(), str::to_owned).as_str());
    }
    query.finish()
}

pub(super) fn get(path: String) -> WireRequest {
    WireRequest { method: "GET", path, content_type: None, body: Vec::new() }
}

pub(super) fn post(path: String, body: &Value) -> WireRequest {
    WireRequest { method: "POST", path, content_type: JSON, body: body.to_string().into_bytes() }
}

pub(super) fn grpc(path: String, message: &impl prost::Message) -> WireRequest {
    let content_type = Some("application/grpc");
    WireRequest { method: "POST", path, content_type, body: framed(&message.encode_to_vec()) }
}

pub(super) fn rpc(method: &str, params: &Value) -> WireRequest {
    post(AGENT.to_owned(), &json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
}

pub(super) fn encode(binding: Binding, op: Op, params: &Value) -> Option<WireRequest> {
    Some(match binding {
        Binding::JsonRpc => rpc(op.method(), params),
        Binding::Rest => rest(op, params),
        Binding::Grpc => current_grpc(op, params),
        Binding::OldJsonRpc => old::json_rpc(op, params)?,
        Binding::OldRest => old::rest(op, params)?,
        Binding::OldGrpc => old::grpc(op, params)?,
    })
}

fn rest(op: Op, params: &Value) -> WireRequest {
    let task = format!("{AGENT}/tasks/{}", text_param(params, "id"));
    let configs = format!("{AGENT}/tasks/{}/pushNotificationConfigs", text_param(params, "taskId"));
    match op {
        Op::Send => post(format!("{AGENT}/message:send"), params),
        Op::Stream => post(format!("{AGENT}/message:stream"), params),
        Op::Get => get(format!("{task}?{}", query(params, &["id"]))),
        Op::List => get(format!("{AGENT}/tasks?{}", query(params, &[]))),
        Op::Cancel => post(format!("{task}:cancel"), &without(params, &["id"])),
        Op::Subscribe => get(format!("{task}:subscribe")),
        Op::CreatePush => post(configs, &without(params, &["taskId"])),
        Op::GetPush => get(format!("{configs}/{}", text_param(params, "id"))),
        Op::ListPush => get(format!("{configs}?{}", query(params, &["taskId"]))),
        Op::DeletePush => WireRequest { method: "DELETE", ..get(format!("{configs}/{}", text_param(params, "id"))) },
        Op::Card => get(format!("{AGENT}/extendedAgentCard")),
    }
}

fn current_grpc(op: Op, params: &Value) -> WireRequest {
    let path = format!("/lf.a2a.v1.A2AService/{}", op.method());
    match op {
        Op::Send | Op::Stream => {
            grpc(path, &pb::SendMessageRequest::try_from(read::<v1::SendMessageRequest<'_>>(params)).unwrap())
        }
        Op::Get => grpc(path, &pb::GetTaskRequest::try_from(read::<v1::GetTaskRequest<'_>>(params)).unwrap()),
        Op::List => grpc(path, &pb::ListTasksRequest::try_from(read::<v1::ListTasksRequest<'_>>(params)).unwrap()),
        Op::Cancel => grpc(path, &pb::CancelTaskRequest::try_from(read::<v1::CancelTaskRequest<'_>>(params)).unwrap()),
        Op::Subscribe => {
            grpc(path, &pb::SubscribeToTaskRequest::try_from(read::<v1::SubscribeToTaskRequest<'_>>(params)).unwrap())
        }
        Op::CreatePush => {
            let config = read::<v1::TaskPushNotificationConfig<'_>>(params);
            grpc(path, &pb::TaskPushNotificationConfig::try_from(config).unwrap())
        }
        Op::GetPush | Op::DeletePush => grpc(
            path,
            &pb::GetTaskPushNotificationConfigRequest {
                tenant: text_param(params, "tenant").to_owned(),
                task_id: text_param(params, "taskId").to_owned(),
                id: text_param(params, "id").to_owned(),
            },
        ),
        Op::ListPush => {
            let listed = read::<v1::ListTaskPushNotificationConfigsRequest<'_>>(params);
            grpc(path, &pb::ListTaskPushNotificationConfigsRequest::try_from(listed).unwrap())
        }
        Op::Card => grpc(path, &pb::GetExtendedAgentCardRequest { tenant: text_param(params, "tenant").to_owned() }),
    }
}

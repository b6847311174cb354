//! Encoding of requests in 0.3; fields that it does not have are dropped.

use super::{
    Op, WireRequest,
    request::{AGENT, get, grpc as message, post, query, read, rpc, text_param},
};
use baton_proto::v03::pb;
use baton_wire::a2a::{
    v1,
    v03::{self, rest},
};
use serde::Serialize;
use serde_json::{Value, json};

fn value(written: &impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(written).unwrap()).unwrap()
}

fn named(params: &Value) -> v1::TaskPushNotificationConfigRequest<'static> {
    v1::TaskPushNotificationConfigRequest {
        tenant: None,
        task_id: text_param(params, "taskId").to_owned().into(),
        id: text_param(params, "id").to_owned().into(),
    }
}

pub(super) fn json_rpc(op: Op, params: &Value) -> Option<WireRequest> {
    let sent = || value(&v03::MessageSendParams::from(read::<v1::SendMessageRequest<'_>>(params)));
    Some(match op {
        Op::Send => rpc("message/send", &sent()),
        Op::Stream => rpc("message/stream", &sent()),
        Op::Get => rpc("tasks/get", &value(&v03::TaskQueryParams::from(read::<v1::GetTaskRequest<'_>>(params)))),
        Op::Cancel => rpc("tasks/cancel", &value(&v03::TaskIdParams::from(read::<v1::CancelTaskRequest<'_>>(params)))),
        Op::Subscribe => {
            let task = v03::TaskIdParams::from(read::<v1::SubscribeToTaskRequest<'_>>(params));
            rpc("tasks/resubscribe", &value(&task))
        }
        Op::CreatePush => {
            let config = v03::TaskPushNotificationConfig::from(read::<v1::TaskPushNotificationConfig<'_>>(params));
            rpc("tasks/pushNotificationConfig/set", &value(&config))
        }
        Op::GetPush => rpc("tasks/pushNotificationConfig/get", &value(&v03::GetPushParams::from(named(params)))),
        Op::ListPush => rpc("tasks/pushNotificationConfig/list", &json!({"id": text_param(params, "taskId")})),
        Op::DeletePush => {
            rpc("tasks/pushNotificationConfig/delete", &value(&v03::DeletePushParams::from(named(params))))
        }
        Op::Card => rpc("agent/getAuthenticatedExtendedCard", &json!({})),
        Op::List => return None,
    })
}

pub(super) fn rest(op: Op, params: &Value) -> Option<WireRequest> {
    let task = format!("{AGENT}/v1/tasks/{}", text_param(params, "id"));
    let configs = format!("{AGENT}/v1/tasks/{}/pushNotificationConfigs", text_param(params, "taskId"));
    let sent = || value(&rest::SendMessageRequest::from(read::<v1::SendMessageRequest<'_>>(params)));
    Some(match op {
        Op::Send => post(format!("{AGENT}/v1/message:send"), &sent()),
        Op::Stream => post(format!("{AGENT}/v1/message:stream"), &sent()),
        Op::Get => get(format!("{task}?{}", query(params, &["id"]))),
        Op::Cancel => post(format!("{task}:cancel"), &json!({})),
        Op::Subscribe => get(format!("{task}:subscribe")),
        Op::CreatePush => {
            let config = rest::CreatePushRequest::from(read::<v1::TaskPushNotificationConfig<'_>>(params));
            post(configs, &value(&config))
        }
        Op::GetPush => get(format!("{configs}/{}", text_param(params, "id"))),
        Op::ListPush => get(configs),
        Op::DeletePush => WireRequest { method: "DELETE", ..get(format!("{configs}/{}", text_param(params, "id"))) },
        Op::Card => get(format!("{AGENT}/v1/card")),
        Op::List => return None,
    })
}

pub(super) fn grpc(op: Op, params: &Value) -> Option<WireRequest> {
    let path = |method: &str| format!("/a2a.v1.A2AService/{method}");
    let name = rest::push_name(text_param(params, "taskId"), text_param(params, "id"));
    Some(match op {
        Op::Send | Op::Stream => {
            let sent = pb::SendMessageRequest::try_from(read::<v1::SendMessageRequest<'_>>(params)).ok()?;
            message(path(op.method()), &sent)
        }
        Op::Get => {
            let asked = pb::GetTaskRequest::try_from(read::<v1::GetTaskRequest<'_>>(params)).ok()?;
            message(path("GetTask"), &asked)
        }
        Op::Cancel => {
            message(path("CancelTask"), &pb::CancelTaskRequest { name: rest::task_name(text_param(params, "id")) })
        }
        Op::Subscribe => {
            let asked = pb::TaskSubscriptionRequest { name: rest::task_name(text_param(params, "id")) };
            message(path("TaskSubscription"), &asked)
        }
        Op::CreatePush => {
            let config = read::<v1::TaskPushNotificationConfig<'_>>(params);
            let asked = pb::CreateTaskPushNotificationConfigRequest::try_from(config).ok()?;
            message(path("CreateTaskPushNotificationConfig"), &asked)
        }
        Op::GetPush => {
            message(path("GetTaskPushNotificationConfig"), &pb::GetTaskPushNotificationConfigRequest { name })
        }
        Op::DeletePush => {
            message(path("DeleteTaskPushNotificationConfig"), &pb::DeleteTaskPushNotificationConfigRequest { name })
        }
        Op::ListPush => {
            let asked = read::<v1::ListTaskPushNotificationConfigsRequest<'_>>(params);
            let asked = pb::ListTaskPushNotificationConfigRequest::try_from(asked).ok()?;
            message(path("ListTaskPushNotificationConfig"), &asked)
        }
        Op::Card => message(path("GetAgentCard"), &pb::GetAgentCardRequest {}),
        Op::List => return None,
    })
}

//! gRPC messages: bytes to messages, to wire types, and back.

use crate::{effort::assert_within_budget, grammar, property::accepted, requests::send};
use baton_proto::{v1, v03};
use baton_wire::a2a::v1 as wire;
use prost::Message;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// Messages of 0.3 whose defaults become explicit when written: blocking, and unsupported capabilities of an agent.
const EXPLICIT_DEFAULT_MESSAGES: [u8; 2] = [16, 29];

/// Reads an input: the first byte selects the message, and whether the rest is its bytes or a plan with mutations.
pub(crate) fn read(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else { return };
    let planned = first & 0x80 != 0;
    macro_rules! choose {
        ($($number:literal $pb:ty, $wire:ty, $shape:literal;)*) => {
            match (first & 0x7f) % 41 {
                $($number => {
                    let bytes = if planned { mutated_message::<$pb, $wire>(rest, $shape) } else { Some(rest.to_vec()) };
                    if let Some(bytes) = bytes {
                        let exact = !EXPLICIT_DEFAULT_MESSAGES.contains(&$number);
                        assert_within_budget(bytes.len(), || one::<$pb, $wire>(&bytes, exact));
                    }
                })*
                39 => assert_within_budget(rest.len(), || read_stream_item(rest)),
                _ => {
                    let status = tonic::Status::with_details(tonic::Code::Internal, "", rest.to_vec().into());
                    let error = baton_proto::error_from_status(&status, baton_types::ErrorCode::SHARED_CODES);
                    let again = baton_proto::error_from_status(&baton_proto::status(&error), baton_types::ErrorCode::SHARED_CODES);
                    assert_eq!((again.kind, again.violations), (error.kind, error.violations));
                }
            }
        };
    }
    choose! {
        0 v1::pb::SendMessageRequest, wire::SendMessageRequest<'static>, "send";
        1 v1::pb::GetTaskRequest, wire::GetTaskRequest<'static>, "query";
        2 v1::pb::ListTasksRequest, wire::ListTasksRequest<'static>, "query";
        3 v1::pb::CancelTaskRequest, wire::CancelTaskRequest<'static>, "query";
        4 v1::pb::SubscribeToTaskRequest, wire::SubscribeToTaskRequest<'static>, "query";
        5 v1::pb::GetExtendedAgentCardRequest, wire::GetExtendedAgentCardRequest<'static>, "query";
        6 v1::pb::TaskPushNotificationConfig, wire::TaskPushNotificationConfig<'static>, "push";
        7 v1::pb::GetTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>, "query";
        8 v1::pb::DeleteTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>, "query";
        9 v1::pb::ListTaskPushNotificationConfigsRequest, wire::ListTaskPushNotificationConfigsRequest<'static>, "query";
        10 v1::pb::ListTaskPushNotificationConfigsResponse, wire::ListTaskPushNotificationConfigsResponse<'static>, "pushes";
        11 v1::pb::StreamResponse, wire::StreamResponse<'static>, "item";
        12 v1::pb::SendMessageResponse, wire::SendMessageResponse<'static>, "item";
        13 v1::pb::ListTasksResponse, wire::ListTasksResponse<'static>, "tasks";
        14 v1::pb::Task, wire::Task<'static>, "task";
        15 v1::pb::AgentCard, wire::AgentCard, "card";
        16 v03::pb::SendMessageRequest, wire::SendMessageRequest<'static>, "send";
        17 v03::pb::GetTaskRequest, wire::GetTaskRequest<'static>, "query";
        18 v03::pb::CancelTaskRequest, wire::CancelTaskRequest<'static>, "query";
        19 v03::pb::TaskSubscriptionRequest, wire::SubscribeToTaskRequest<'static>, "query";
        20 v03::pb::GetAgentCardRequest, wire::GetExtendedAgentCardRequest<'static>, "query";
        21 v03::pb::CreateTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfig<'static>, "push";
        22 v03::pb::GetTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>, "query";
        23 v03::pb::DeleteTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>, "query";
        24 v03::pb::ListTaskPushNotificationConfigRequest, wire::ListTaskPushNotificationConfigsRequest<'static>, "query";
        25 v03::pb::TaskPushNotificationConfig, wire::TaskPushNotificationConfig<'static>, "push";
        26 v03::pb::ListTaskPushNotificationConfigResponse, wire::ListTaskPushNotificationConfigsResponse<'static>, "pushes";
        27 v03::pb::SendMessageResponse, wire::SendMessageResponse<'static>, "item";
        28 v03::pb::Task, wire::Task<'static>, "task";
        29 v03::pb::AgentCard, wire::AgentCard, "card";
        30 v03::pb::Message, wire::Message<'static>, "message";
        31 v03::pb::Part, wire::Part<'static>, "part";
        32 v1::pb::Message, wire::Message<'static>, "message";
        33 v1::pb::Part, wire::Part<'static>, "part";
        34 v1::pb::Artifact, wire::Artifact<'static>, "artifact";
        35 v03::pb::Artifact, wire::Artifact<'static>, "artifact";
        36 v1::pb::TaskStatusUpdateEvent, wire::TaskStatusUpdateEvent<'static>, "update";
        37 v1::pb::TaskArtifactUpdateEvent, wire::TaskArtifactUpdateEvent<'static>, "update";
        38 v03::pb::TaskStatus, wire::TaskStatus<'static>, "status";
    }
}

/// Checks that a message survives writing and reading, as protobuf and as JSON.
fn one<P, W>(bytes: &[u8], exact: bool)
where
    P: Message + Default + TryFrom<W, Error = wire::Error>,
    W: TryFrom<P, Error = wire::Error> + Serialize + DeserializeOwned + Clone + PartialEq + Debug + 'static,
{
    let Ok(message) = P::decode(bytes) else { return };
    let Some(first) = accepted(W::try_from(message)) else { return };
    crate::property::assert_round_trip(&first);
    if let Some(request) = (&first as &dyn std::any::Any).downcast_ref::<wire::SendMessageRequest<'static>>() {
        send(request);
    }
    let Some(second) = round_trip::<P, W>(first.clone()) else { return };
    if exact {
        assert_eq!(second, first);
    } else {
        assert_eq!(round_trip::<P, W>(second.clone()), Some(second));
    }
}

/// Converts the value to bytes and back; `None` if gRPC cannot represent it.
fn round_trip<P, W>(value: W) -> Option<W>
where
    P: Message + Default + TryFrom<W, Error = wire::Error>,
    W: TryFrom<P, Error = wire::Error>,
{
    let written = accepted(P::try_from(value))?.encode_to_vec();
    let read = P::decode(written.as_slice()).expect("the encoded message can be decoded");
    Some(W::try_from(read).unwrap_or_else(|error| panic!("the encoded message is rejected: {error}")))
}

fn read_stream_item(bytes: &[u8]) {
    let Ok(message) = v03::pb::StreamResponse::decode(bytes) else { return };
    let last = message.is_final();
    let Some(first) = accepted(wire::StreamResponse::try_from(message)) else { return };
    crate::property::assert_round_trip(&first);
    let Some(written) = accepted(v03::pb::StreamResponse::from_wire(first.clone(), last)) else { return };
    let again = v03::pb::StreamResponse::decode(written.encode_to_vec().as_slice())
        .expect("the encoded message can be decoded");
    assert_eq!(wire::StreamResponse::try_from(again).ok(), Some(first));
}

/// Bytes of a generated message with some mutated bytes.
fn mutated_message<P, W>(plan: &[u8], shape: &'static str) -> Option<Vec<u8>>
where
    P: Message + TryFrom<W, Error = wire::Error>,
    W: DeserializeOwned,
{
    let (damages, plan) = plan.split_at_checked(9)?;
    let value: W = serde_json::from_str(&grammar::write(plan, shape)).ok()?;
    let mut bytes = accepted(P::try_from(value))?.encode_to_vec();
    if bytes.is_empty() {
        return Some(bytes);
    }
    for damage in damages.chunks(3) {
        let [high, low, byte] = damage else { continue };
        let at = usize::from(u16::from_be_bytes([*high, *low]));
        // Most plans leave the bytes unchanged.
        if at < 0x8000 && at != 0 {
            let at = at % bytes.len();
            bytes[at] = *byte;
        }
    }
    Some(bytes)
}

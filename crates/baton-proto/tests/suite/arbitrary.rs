//! Readers accept or reject any bytes without a panic.

use crate::golden;
use baton_proto::{v1, v03};
use baton_wire::a2a::v1 as wire;
use proptest::prelude::*;
use prost::Message;

fn read<P: Message + Default, W: TryFrom<P>>(bytes: &[u8]) {
    let _ = P::decode(bytes).map(W::try_from);
}

fn read_as_every_type(bytes: &[u8]) {
    read::<v1::pb::SendMessageRequest, wire::SendMessageRequest<'static>>(bytes);
    read::<v1::pb::ListTasksRequest, wire::ListTasksRequest<'static>>(bytes);
    read::<v1::pb::GetTaskRequest, wire::GetTaskRequest<'static>>(bytes);
    read::<v1::pb::CancelTaskRequest, wire::CancelTaskRequest<'static>>(bytes);
    read::<v1::pb::TaskPushNotificationConfig, wire::TaskPushNotificationConfig<'static>>(bytes);
    read::<v1::pb::ListTasksResponse, wire::ListTasksResponse<'static>>(bytes);
    read::<v1::pb::StreamResponse, wire::StreamResponse<'static>>(bytes);
    read::<v1::pb::AgentCard, wire::AgentCard>(bytes);
    read::<v03::pb::SendMessageRequest, wire::SendMessageRequest<'static>>(bytes);
    read::<v03::pb::GetTaskRequest, wire::GetTaskRequest<'static>>(bytes);
    read::<v03::pb::CreateTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfig<'static>>(bytes);
    read::<v03::pb::GetTaskPushNotificationConfigRequest, wire::TaskPushNotificationConfigRequest<'static>>(bytes);
    read::<v03::pb::StreamResponse, wire::StreamResponse<'static>>(bytes);
    read::<v03::pb::AgentCard, wire::AgentCard>(bytes);
    let status = tonic::Status::with_details(tonic::Code::Internal, "", bytes.to_vec().into());
    let _ = baton_proto::error_from_status(&status, baton_types::ErrorCode::SHARED_CODES);
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..96)) {
        read_as_every_type(&bytes);
    }

    #[test]
    fn damaged_messages_are_parsed_or_rejected(
        which in 0..golden::ALL.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = golden::bytes(golden::ALL[which]);
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        read_as_every_type(&bytes);
    }
}

//! Parameters of the operations on one task.

use super::pb;
use crate::{
    fault::{At, Carried, Carry, Fault, convert, maybe},
    scalar::{cows, object, read_object, some, text, texts},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_request:
    pb::SendMessageRequest, wire::SendMessageRequest<'static>, wire::SendMessageRequest<'_>;
    pb::GetTaskRequest, wire::GetTaskRequest<'static>, wire::GetTaskRequest<'_>;
    pb::CancelTaskRequest, wire::CancelTaskRequest<'static>, wire::CancelTaskRequest<'_>;
    pb::SubscribeToTaskRequest, wire::SubscribeToTaskRequest<'static>, wire::SubscribeToTaskRequest<'_>;
    pb::GetExtendedAgentCardRequest, wire::GetExtendedAgentCardRequest<'static>, wire::GetExtendedAgentCardRequest<'_>;
}

impl Carry<wire::SendMessageRequest<'static>> for pb::SendMessageRequest {
    fn carry(self) -> Carried<wire::SendMessageRequest<'static>> {
        Ok(wire::SendMessageRequest {
            tenant: some(self.tenant),
            message: maybe(self.message, "message")?,
            configuration: maybe(self.configuration, "configuration")?,
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl Carry<pb::SendMessageRequest> for wire::SendMessageRequest<'_> {
    fn carry(self) -> Carried<pb::SendMessageRequest> {
        Ok(pb::SendMessageRequest {
            tenant: text(self.tenant),
            message: maybe(self.message, "message")?,
            configuration: maybe(self.configuration, "configuration")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl Carry<wire::SendMessageConfiguration<'static>> for pb::SendMessageConfiguration {
    fn carry(self) -> Carried<wire::SendMessageConfiguration<'static>> {
        Ok(wire::SendMessageConfiguration {
            accepted_output_modes: cows(self.accepted_output_modes),
            task_push_notification_config: maybe(self.task_push_notification_config, "taskPushNotificationConfig")?,
            history_length: self.history_length,
            return_immediately: self.return_immediately,
        })
    }
}

impl Carry<pb::SendMessageConfiguration> for wire::SendMessageConfiguration<'_> {
    fn carry(self) -> Carried<pb::SendMessageConfiguration> {
        Ok(pb::SendMessageConfiguration {
            accepted_output_modes: texts(self.accepted_output_modes),
            task_push_notification_config: maybe(self.task_push_notification_config, "taskPushNotificationConfig")?,
            history_length: self.history_length,
            return_immediately: self.return_immediately,
        })
    }
}

impl Carry<wire::GetTaskRequest<'static>> for pb::GetTaskRequest {
    fn carry(self) -> Carried<wire::GetTaskRequest<'static>> {
        Ok(wire::GetTaskRequest {
            tenant: some(self.tenant),
            id: Cow::Owned(self.id),
            history_length: self.history_length,
            current_generation: None,
        })
    }
}

impl Carry<pb::GetTaskRequest> for wire::GetTaskRequest<'_> {
    fn carry(self) -> Carried<pb::GetTaskRequest> {
        if self.current_generation.is_some() {
            return Err(Fault::new("gRPC has no field for it")).at("currentGeneration");
        }
        Ok(pb::GetTaskRequest {
            tenant: text(self.tenant),
            id: self.id.into_owned(),
            history_length: self.history_length,
        })
    }
}

impl Carry<wire::CancelTaskRequest<'static>> for pb::CancelTaskRequest {
    fn carry(self) -> Carried<wire::CancelTaskRequest<'static>> {
        Ok(wire::CancelTaskRequest {
            tenant: some(self.tenant),
            id: Cow::Owned(self.id),
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl Carry<pb::CancelTaskRequest> for wire::CancelTaskRequest<'_> {
    fn carry(self) -> Carried<pb::CancelTaskRequest> {
        Ok(pb::CancelTaskRequest {
            tenant: text(self.tenant),
            id: self.id.into_owned(),
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl Carry<wire::SubscribeToTaskRequest<'static>> for pb::SubscribeToTaskRequest {
    fn carry(self) -> Carried<wire::SubscribeToTaskRequest<'static>> {
        Ok(wire::SubscribeToTaskRequest { tenant: some(self.tenant), id: Cow::Owned(self.id) })
    }
}

impl Carry<pb::SubscribeToTaskRequest> for wire::SubscribeToTaskRequest<'_> {
    fn carry(self) -> Carried<pb::SubscribeToTaskRequest> {
        Ok(pb::SubscribeToTaskRequest { tenant: text(self.tenant), id: self.id.into_owned() })
    }
}

impl Carry<wire::GetExtendedAgentCardRequest<'static>> for pb::GetExtendedAgentCardRequest {
    fn carry(self) -> Carried<wire::GetExtendedAgentCardRequest<'static>> {
        Ok(wire::GetExtendedAgentCardRequest { tenant: some(self.tenant) })
    }
}

impl Carry<pb::GetExtendedAgentCardRequest> for wire::GetExtendedAgentCardRequest<'_> {
    fn carry(self) -> Carried<pb::GetExtendedAgentCardRequest> {
        Ok(pb::GetExtendedAgentCardRequest { tenant: text(self.tenant) })
    }
}

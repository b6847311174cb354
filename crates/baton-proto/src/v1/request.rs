//! Parameters of the operations on one task.

use super::pb;
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, maybe},
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

impl WireConvert<wire::SendMessageRequest<'static>> for pb::SendMessageRequest {
    fn convert(self) -> ConversionResult<wire::SendMessageRequest<'static>> {
        Ok(wire::SendMessageRequest {
            tenant: some(self.tenant),
            message: maybe(self.message, "message")?,
            configuration: maybe(self.configuration, "configuration")?,
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl WireConvert<pb::SendMessageRequest> for wire::SendMessageRequest<'_> {
    fn convert(self) -> ConversionResult<pb::SendMessageRequest> {
        Ok(pb::SendMessageRequest {
            tenant: text(self.tenant),
            message: maybe(self.message, "message")?,
            configuration: maybe(self.configuration, "configuration")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl WireConvert<wire::SendMessageConfiguration<'static>> for pb::SendMessageConfiguration {
    fn convert(self) -> ConversionResult<wire::SendMessageConfiguration<'static>> {
        Ok(wire::SendMessageConfiguration {
            accepted_output_modes: cows(self.accepted_output_modes),
            task_push_notification_config: maybe(self.task_push_notification_config, "taskPushNotificationConfig")?,
            history_length: self.history_length,
            return_immediately: self.return_immediately,
        })
    }
}

impl WireConvert<pb::SendMessageConfiguration> for wire::SendMessageConfiguration<'_> {
    fn convert(self) -> ConversionResult<pb::SendMessageConfiguration> {
        Ok(pb::SendMessageConfiguration {
            accepted_output_modes: texts(self.accepted_output_modes),
            task_push_notification_config: maybe(self.task_push_notification_config, "taskPushNotificationConfig")?,
            history_length: self.history_length,
            return_immediately: self.return_immediately,
        })
    }
}

impl WireConvert<wire::GetTaskRequest<'static>> for pb::GetTaskRequest {
    fn convert(self) -> ConversionResult<wire::GetTaskRequest<'static>> {
        Ok(wire::GetTaskRequest {
            tenant: some(self.tenant),
            id: Cow::Owned(self.id),
            history_length: self.history_length,
            current_generation: None,
        })
    }
}

impl WireConvert<pb::GetTaskRequest> for wire::GetTaskRequest<'_> {
    fn convert(self) -> ConversionResult<pb::GetTaskRequest> {
        if self.current_generation.is_some() {
            return Err(ConversionError::new("gRPC has no field for it")).at("currentGeneration");
        }
        Ok(pb::GetTaskRequest {
            tenant: text(self.tenant),
            id: self.id.into_owned(),
            history_length: self.history_length,
        })
    }
}

impl WireConvert<wire::CancelTaskRequest<'static>> for pb::CancelTaskRequest {
    fn convert(self) -> ConversionResult<wire::CancelTaskRequest<'static>> {
        Ok(wire::CancelTaskRequest {
            tenant: some(self.tenant),
            id: Cow::Owned(self.id),
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl WireConvert<pb::CancelTaskRequest> for wire::CancelTaskRequest<'_> {
    fn convert(self) -> ConversionResult<pb::CancelTaskRequest> {
        Ok(pb::CancelTaskRequest {
            tenant: text(self.tenant),
            id: self.id.into_owned(),
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl WireConvert<wire::SubscribeToTaskRequest<'static>> for pb::SubscribeToTaskRequest {
    fn convert(self) -> ConversionResult<wire::SubscribeToTaskRequest<'static>> {
        Ok(wire::SubscribeToTaskRequest { tenant: some(self.tenant), id: Cow::Owned(self.id) })
    }
}

impl WireConvert<pb::SubscribeToTaskRequest> for wire::SubscribeToTaskRequest<'_> {
    fn convert(self) -> ConversionResult<pb::SubscribeToTaskRequest> {
        Ok(pb::SubscribeToTaskRequest { tenant: text(self.tenant), id: self.id.into_owned() })
    }
}

impl WireConvert<wire::GetExtendedAgentCardRequest<'static>> for pb::GetExtendedAgentCardRequest {
    fn convert(self) -> ConversionResult<wire::GetExtendedAgentCardRequest<'static>> {
        Ok(wire::GetExtendedAgentCardRequest { tenant: some(self.tenant) })
    }
}

impl WireConvert<pb::GetExtendedAgentCardRequest> for wire::GetExtendedAgentCardRequest<'_> {
    fn convert(self) -> ConversionResult<pb::GetExtendedAgentCardRequest> {
        Ok(pb::GetExtendedAgentCardRequest { tenant: text(self.tenant) })
    }
}

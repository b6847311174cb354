//! Parameters of the operations on one task.

use super::{name, pb};
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, maybe},
    scalar::{cows, object, read_object, texts},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_request:
    pb::SendMessageRequest, wire::SendMessageRequest<'static>, wire::SendMessageRequest<'_>;
    pb::GetTaskRequest, wire::GetTaskRequest<'static>, wire::GetTaskRequest<'_>;
    pb::CancelTaskRequest, wire::CancelTaskRequest<'static>, wire::CancelTaskRequest<'_>;
    pb::TaskSubscriptionRequest, wire::SubscribeToTaskRequest<'static>, wire::SubscribeToTaskRequest<'_>;
    pb::GetAgentCardRequest, wire::GetExtendedAgentCardRequest<'static>, wire::GetExtendedAgentCardRequest<'_>;
}

/// Rejects a tenant: without it the request would reach another agent.
pub(super) fn reject_tenant(tenant: Option<Cow<'_, str>>) -> ConversionResult<()> {
    match tenant.filter(|tenant| !tenant.is_empty()) {
        Some(_) => Err(ConversionError::new("0.3 has no tenants")).at("tenant"),
        None => Ok(()),
    }
}

/// A history length; 0 counts as absent in 0.3.
fn history(length: Option<i32>) -> ConversionResult<i32> {
    match length {
        Some(0) => Err(ConversionError::new("0.3 cannot request an empty history")).at("historyLength"),
        length => Ok(length.unwrap_or_default()),
    }
}

fn read_history(length: i32) -> Option<i32> {
    Some(length).filter(|length| *length != 0)
}

impl WireConvert<wire::SendMessageRequest<'static>> for pb::SendMessageRequest {
    fn convert(self) -> ConversionResult<wire::SendMessageRequest<'static>> {
        Ok(wire::SendMessageRequest {
            tenant: None,
            message: maybe(self.request, "message")?,
            configuration: maybe(self.configuration, "configuration")?,
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl WireConvert<pb::SendMessageRequest> for wire::SendMessageRequest<'_> {
    fn convert(self) -> ConversionResult<pb::SendMessageRequest> {
        reject_tenant(self.tenant)?;
        Ok(pb::SendMessageRequest {
            request: maybe(self.message, "message")?,
            configuration: Some(self.configuration.unwrap_or_default().convert().at("configuration")?),
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl WireConvert<wire::SendMessageConfiguration<'static>> for pb::SendMessageConfiguration {
    fn convert(self) -> ConversionResult<wire::SendMessageConfiguration<'static>> {
        Ok(wire::SendMessageConfiguration {
            accepted_output_modes: cows(self.accepted_output_modes),
            task_push_notification_config: maybe(self.push_notification, "pushNotification")?,
            history_length: read_history(self.history_length),
            return_immediately: !self.blocking,
        })
    }
}

impl WireConvert<pb::SendMessageConfiguration> for wire::SendMessageConfiguration<'_> {
    fn convert(self) -> ConversionResult<pb::SendMessageConfiguration> {
        Ok(pb::SendMessageConfiguration {
            accepted_output_modes: texts(self.accepted_output_modes),
            push_notification: maybe(self.task_push_notification_config, "pushNotification")?,
            history_length: history(self.history_length)?,
            blocking: !self.return_immediately,
        })
    }
}

impl WireConvert<wire::GetTaskRequest<'static>> for pb::GetTaskRequest {
    fn convert(self) -> ConversionResult<wire::GetTaskRequest<'static>> {
        Ok(wire::GetTaskRequest {
            id: name::parse_task(&self.name, "name")?,
            history_length: read_history(self.history_length),
            ..wire::GetTaskRequest::default()
        })
    }
}

impl WireConvert<pb::GetTaskRequest> for wire::GetTaskRequest<'_> {
    fn convert(self) -> ConversionResult<pb::GetTaskRequest> {
        reject_tenant(self.tenant)?;
        if self.current_generation.is_some() {
            return Err(ConversionError::new("gRPC has no field for it")).at("currentGeneration");
        }
        Ok(pb::GetTaskRequest { name: name::task_name(&self.id), history_length: history(self.history_length)? })
    }
}

impl WireConvert<wire::CancelTaskRequest<'static>> for pb::CancelTaskRequest {
    fn convert(self) -> ConversionResult<wire::CancelTaskRequest<'static>> {
        Ok(wire::CancelTaskRequest { id: name::parse_task(&self.name, "name")?, ..wire::CancelTaskRequest::default() })
    }
}

impl WireConvert<pb::CancelTaskRequest> for wire::CancelTaskRequest<'_> {
    fn convert(self) -> ConversionResult<pb::CancelTaskRequest> {
        reject_tenant(self.tenant)?;
        Ok(pb::CancelTaskRequest { name: name::task_name(&self.id) })
    }
}

impl WireConvert<wire::SubscribeToTaskRequest<'static>> for pb::TaskSubscriptionRequest {
    fn convert(self) -> ConversionResult<wire::SubscribeToTaskRequest<'static>> {
        Ok(wire::SubscribeToTaskRequest { tenant: None, id: name::parse_task(&self.name, "name")? })
    }
}

impl WireConvert<pb::TaskSubscriptionRequest> for wire::SubscribeToTaskRequest<'_> {
    fn convert(self) -> ConversionResult<pb::TaskSubscriptionRequest> {
        reject_tenant(self.tenant)?;
        Ok(pb::TaskSubscriptionRequest { name: name::task_name(&self.id) })
    }
}

impl WireConvert<wire::GetExtendedAgentCardRequest<'static>> for pb::GetAgentCardRequest {
    fn convert(self) -> ConversionResult<wire::GetExtendedAgentCardRequest<'static>> {
        Ok(wire::GetExtendedAgentCardRequest::default())
    }
}

impl WireConvert<pb::GetAgentCardRequest> for wire::GetExtendedAgentCardRequest<'_> {
    fn convert(self) -> ConversionResult<pb::GetAgentCardRequest> {
        reject_tenant(self.tenant)?;
        Ok(pb::GetAgentCardRequest {})
    }
}

//! Parameters of the operations on one task.

use super::{name, pb};
use crate::{
    fault::{At, Carried, Carry, Fault, convert, maybe},
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
pub(super) fn no_tenant(tenant: Option<Cow<'_, str>>) -> Carried<()> {
    match tenant.filter(|tenant| !tenant.is_empty()) {
        Some(_) => Err(Fault::new("0.3 has no tenants")).at("tenant"),
        None => Ok(()),
    }
}

/// A history length; 0 counts as absent in 0.3.
fn history(length: Option<i32>) -> Carried<i32> {
    match length {
        Some(0) => Err(Fault::new("0.3 cannot request an empty history")).at("historyLength"),
        length => Ok(length.unwrap_or_default()),
    }
}

fn read_history(length: i32) -> Option<i32> {
    Some(length).filter(|length| *length != 0)
}

impl Carry<wire::SendMessageRequest<'static>> for pb::SendMessageRequest {
    fn carry(self) -> Carried<wire::SendMessageRequest<'static>> {
        Ok(wire::SendMessageRequest {
            tenant: None,
            message: maybe(self.request, "message")?,
            configuration: maybe(self.configuration, "configuration")?,
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl Carry<pb::SendMessageRequest> for wire::SendMessageRequest<'_> {
    fn carry(self) -> Carried<pb::SendMessageRequest> {
        no_tenant(self.tenant)?;
        Ok(pb::SendMessageRequest {
            request: maybe(self.message, "message")?,
            configuration: Some(self.configuration.unwrap_or_default().carry().at("configuration")?),
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl Carry<wire::SendMessageConfiguration<'static>> for pb::SendMessageConfiguration {
    fn carry(self) -> Carried<wire::SendMessageConfiguration<'static>> {
        Ok(wire::SendMessageConfiguration {
            accepted_output_modes: cows(self.accepted_output_modes),
            task_push_notification_config: maybe(self.push_notification, "pushNotification")?,
            history_length: read_history(self.history_length),
            return_immediately: !self.blocking,
        })
    }
}

impl Carry<pb::SendMessageConfiguration> for wire::SendMessageConfiguration<'_> {
    fn carry(self) -> Carried<pb::SendMessageConfiguration> {
        Ok(pb::SendMessageConfiguration {
            accepted_output_modes: texts(self.accepted_output_modes),
            push_notification: maybe(self.task_push_notification_config, "pushNotification")?,
            history_length: history(self.history_length)?,
            blocking: !self.return_immediately,
        })
    }
}

impl Carry<wire::GetTaskRequest<'static>> for pb::GetTaskRequest {
    fn carry(self) -> Carried<wire::GetTaskRequest<'static>> {
        Ok(wire::GetTaskRequest {
            id: name::task(&self.name, "name")?,
            history_length: read_history(self.history_length),
            ..wire::GetTaskRequest::default()
        })
    }
}

impl Carry<pb::GetTaskRequest> for wire::GetTaskRequest<'_> {
    fn carry(self) -> Carried<pb::GetTaskRequest> {
        no_tenant(self.tenant)?;
        if self.current_generation.is_some() {
            return Err(Fault::new("gRPC has no field for it")).at("currentGeneration");
        }
        Ok(pb::GetTaskRequest { name: name::of_task(&self.id), history_length: history(self.history_length)? })
    }
}

impl Carry<wire::CancelTaskRequest<'static>> for pb::CancelTaskRequest {
    fn carry(self) -> Carried<wire::CancelTaskRequest<'static>> {
        Ok(wire::CancelTaskRequest { id: name::task(&self.name, "name")?, ..wire::CancelTaskRequest::default() })
    }
}

impl Carry<pb::CancelTaskRequest> for wire::CancelTaskRequest<'_> {
    fn carry(self) -> Carried<pb::CancelTaskRequest> {
        no_tenant(self.tenant)?;
        Ok(pb::CancelTaskRequest { name: name::of_task(&self.id) })
    }
}

impl Carry<wire::SubscribeToTaskRequest<'static>> for pb::TaskSubscriptionRequest {
    fn carry(self) -> Carried<wire::SubscribeToTaskRequest<'static>> {
        Ok(wire::SubscribeToTaskRequest { tenant: None, id: name::task(&self.name, "name")? })
    }
}

impl Carry<pb::TaskSubscriptionRequest> for wire::SubscribeToTaskRequest<'_> {
    fn carry(self) -> Carried<pb::TaskSubscriptionRequest> {
        no_tenant(self.tenant)?;
        Ok(pb::TaskSubscriptionRequest { name: name::of_task(&self.id) })
    }
}

impl Carry<wire::GetExtendedAgentCardRequest<'static>> for pb::GetAgentCardRequest {
    fn carry(self) -> Carried<wire::GetExtendedAgentCardRequest<'static>> {
        Ok(wire::GetExtendedAgentCardRequest::default())
    }
}

impl Carry<pb::GetAgentCardRequest> for wire::GetExtendedAgentCardRequest<'_> {
    fn carry(self) -> Carried<pb::GetAgentCardRequest> {
        no_tenant(self.tenant)?;
        Ok(pb::GetAgentCardRequest {})
    }
}

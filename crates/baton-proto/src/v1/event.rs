//! Stream items, and the response to a send.

use super::pb::{self, send_message_response, stream_response::Payload};
use crate::{
    fault::{At, Carried, Carry, Fault, convert, maybe},
    scalar::{object, read_object},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_answer:
    pb::StreamResponse, wire::StreamResponse<'static>, wire::StreamResponse<'_>;
    pb::SendMessageResponse, wire::SendMessageResponse<'static>, wire::SendMessageResponse<'_>;
    pb::TaskStatusUpdateEvent, wire::TaskStatusUpdateEvent<'static>, wire::TaskStatusUpdateEvent<'_>;
    pb::TaskArtifactUpdateEvent, wire::TaskArtifactUpdateEvent<'static>, wire::TaskArtifactUpdateEvent<'_>;
}

impl Carry<wire::StreamResponse<'static>> for pb::StreamResponse {
    fn carry(self) -> Carried<wire::StreamResponse<'static>> {
        let mut item = wire::StreamResponse::default();
        match self.payload {
            Some(Payload::Task(task)) => item.task = Some(task.carry().at("task")?),
            Some(Payload::Message(message)) => item.message = Some(message.carry().at("message")?),
            Some(Payload::StatusUpdate(update)) => item.status_update = Some(update.carry().at("statusUpdate")?),
            Some(Payload::ArtifactUpdate(update)) => item.artifact_update = Some(update.carry().at("artifactUpdate")?),
            None => return Err(Fault::new("exactly one of task, message, statusUpdate, artifactUpdate")),
        }
        Ok(item)
    }
}

impl Carry<pb::StreamResponse> for wire::StreamResponse<'_> {
    fn carry(self) -> Carried<pb::StreamResponse> {
        let payload = match (self.task, self.message, self.status_update, self.artifact_update) {
            (Some(task), None, None, None) => Payload::Task(task.carry().at("task")?),
            (None, Some(message), None, None) => Payload::Message(message.carry().at("message")?),
            (None, None, Some(update), None) => Payload::StatusUpdate(update.carry().at("statusUpdate")?),
            (None, None, None, Some(update)) => Payload::ArtifactUpdate(update.carry().at("artifactUpdate")?),
            _ => return Err(Fault::new("exactly one of task, message, statusUpdate, artifactUpdate")),
        };
        Ok(pb::StreamResponse { payload: Some(payload) })
    }
}

impl Carry<wire::SendMessageResponse<'static>> for pb::SendMessageResponse {
    fn carry(self) -> Carried<wire::SendMessageResponse<'static>> {
        use send_message_response::Payload;
        match self.payload {
            Some(Payload::Task(task)) => {
                Ok(wire::SendMessageResponse { task: Some(task.carry().at("task")?), message: None })
            }
            Some(Payload::Message(message)) => {
                Ok(wire::SendMessageResponse { task: None, message: Some(message.carry().at("message")?) })
            }
            None => Err(Fault::new("exactly one of task, message")),
        }
    }
}

impl Carry<pb::SendMessageResponse> for wire::SendMessageResponse<'_> {
    fn carry(self) -> Carried<pb::SendMessageResponse> {
        use send_message_response::Payload;
        let payload = match (self.task, self.message) {
            (Some(task), None) => Payload::Task(task.carry().at("task")?),
            (None, Some(message)) => Payload::Message(message.carry().at("message")?),
            _ => return Err(Fault::new("exactly one of task, message")),
        };
        Ok(pb::SendMessageResponse { payload: Some(payload) })
    }
}

impl Carry<wire::TaskStatusUpdateEvent<'static>> for pb::TaskStatusUpdateEvent {
    fn carry(self) -> Carried<wire::TaskStatusUpdateEvent<'static>> {
        Ok(wire::TaskStatusUpdateEvent {
            task_id: Cow::Owned(self.task_id),
            context_id: Cow::Owned(self.context_id),
            status: maybe(self.status, "status")?.unwrap_or_default(),
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl Carry<pb::TaskStatusUpdateEvent> for wire::TaskStatusUpdateEvent<'_> {
    fn carry(self) -> Carried<pb::TaskStatusUpdateEvent> {
        Ok(pb::TaskStatusUpdateEvent {
            task_id: self.task_id.into_owned(),
            context_id: self.context_id.into_owned(),
            status: Some(self.status.carry().at("status")?),
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl Carry<wire::TaskArtifactUpdateEvent<'static>> for pb::TaskArtifactUpdateEvent {
    fn carry(self) -> Carried<wire::TaskArtifactUpdateEvent<'static>> {
        Ok(wire::TaskArtifactUpdateEvent {
            task_id: Cow::Owned(self.task_id),
            context_id: Cow::Owned(self.context_id),
            artifact: maybe(self.artifact, "artifact")?.unwrap_or_default(),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl Carry<pb::TaskArtifactUpdateEvent> for wire::TaskArtifactUpdateEvent<'_> {
    fn carry(self) -> Carried<pb::TaskArtifactUpdateEvent> {
        Ok(pb::TaskArtifactUpdateEvent {
            task_id: self.task_id.into_owned(),
            context_id: self.context_id.into_owned(),
            artifact: Some(self.artifact.carry().at("artifact")?),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

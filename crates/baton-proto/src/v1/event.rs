//! Stream items, and the response to a send.

use super::pb::{self, send_message_response, stream_response::Payload};
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, maybe},
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

impl WireConvert<wire::StreamResponse<'static>> for pb::StreamResponse {
    fn convert(self) -> ConversionResult<wire::StreamResponse<'static>> {
        let mut item = wire::StreamResponse::default();
        match self.payload {
            Some(Payload::Task(task)) => item.task = Some(task.convert().at("task")?),
            Some(Payload::Message(message)) => item.message = Some(message.convert().at("message")?),
            Some(Payload::StatusUpdate(update)) => item.status_update = Some(update.convert().at("statusUpdate")?),
            Some(Payload::ArtifactUpdate(update)) => {
                item.artifact_update = Some(update.convert().at("artifactUpdate")?);
            }
            None => return Err(ConversionError::new("exactly one of task, message, statusUpdate, artifactUpdate")),
        }
        Ok(item)
    }
}

impl WireConvert<pb::StreamResponse> for wire::StreamResponse<'_> {
    fn convert(self) -> ConversionResult<pb::StreamResponse> {
        let payload = match (self.task, self.message, self.status_update, self.artifact_update) {
            (Some(task), None, None, None) => Payload::Task(task.convert().at("task")?),
            (None, Some(message), None, None) => Payload::Message(message.convert().at("message")?),
            (None, None, Some(update), None) => Payload::StatusUpdate(update.convert().at("statusUpdate")?),
            (None, None, None, Some(update)) => Payload::ArtifactUpdate(update.convert().at("artifactUpdate")?),
            _ => return Err(ConversionError::new("exactly one of task, message, statusUpdate, artifactUpdate")),
        };
        Ok(pb::StreamResponse { payload: Some(payload) })
    }
}

impl WireConvert<wire::SendMessageResponse<'static>> for pb::SendMessageResponse {
    fn convert(self) -> ConversionResult<wire::SendMessageResponse<'static>> {
        use send_message_response::Payload;
        match self.payload {
            Some(Payload::Task(task)) => {
                Ok(wire::SendMessageResponse { task: Some(task.convert().at("task")?), message: None })
            }
            Some(Payload::Message(message)) => {
                Ok(wire::SendMessageResponse { task: None, message: Some(message.convert().at("message")?) })
            }
            None => Err(ConversionError::new("exactly one of task, message")),
        }
    }
}

impl WireConvert<pb::SendMessageResponse> for wire::SendMessageResponse<'_> {
    fn convert(self) -> ConversionResult<pb::SendMessageResponse> {
        use send_message_response::Payload;
        let payload = match (self.task, self.message) {
            (Some(task), None) => Payload::Task(task.convert().at("task")?),
            (None, Some(message)) => Payload::Message(message.convert().at("message")?),
            _ => return Err(ConversionError::new("exactly one of task, message")),
        };
        Ok(pb::SendMessageResponse { payload: Some(payload) })
    }
}

impl WireConvert<wire::TaskStatusUpdateEvent<'static>> for pb::TaskStatusUpdateEvent {
    fn convert(self) -> ConversionResult<wire::TaskStatusUpdateEvent<'static>> {
        Ok(wire::TaskStatusUpdateEvent {
            task_id: Cow::Owned(self.task_id),
            context_id: Cow::Owned(self.context_id),
            status: maybe(self.status, "status")?.unwrap_or_default(),
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl WireConvert<pb::TaskStatusUpdateEvent> for wire::TaskStatusUpdateEvent<'_> {
    fn convert(self) -> ConversionResult<pb::TaskStatusUpdateEvent> {
        Ok(pb::TaskStatusUpdateEvent {
            task_id: self.task_id.into_owned(),
            context_id: self.context_id.into_owned(),
            status: Some(self.status.convert().at("status")?),
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl WireConvert<wire::TaskArtifactUpdateEvent<'static>> for pb::TaskArtifactUpdateEvent {
    fn convert(self) -> ConversionResult<wire::TaskArtifactUpdateEvent<'static>> {
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

impl WireConvert<pb::TaskArtifactUpdateEvent> for wire::TaskArtifactUpdateEvent<'_> {
    fn convert(self) -> ConversionResult<pb::TaskArtifactUpdateEvent> {
        Ok(pb::TaskArtifactUpdateEvent {
            task_id: self.task_id.into_owned(),
            context_id: self.context_id.into_owned(),
            artifact: Some(self.artifact.convert().at("artifact")?),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

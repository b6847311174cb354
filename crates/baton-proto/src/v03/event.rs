//! Stream items, and the response to a send.

use super::pb::{self, send_message_response, stream_response::Payload};
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, maybe},
    scalar::{object, read_object},
};
use baton_wire::a2a::v1::{self as wire, Error};
use std::borrow::Cow;

const PAYLOAD_ERROR: &str = "exactly one of task, message, statusUpdate, artifactUpdate";

convert! { in_answer:
    pb::SendMessageResponse, wire::SendMessageResponse<'static>, wire::SendMessageResponse<'_>;
}

impl pb::StreamResponse {
    /// The item in 0.3; `last` marks the end of the stream, which a terminal state implies.
    pub fn from_wire(item: wire::StreamResponse<'_>, last: bool) -> Result<Self, Error> {
        write_item(item, last).map_err(ConversionError::in_answer)
    }

    /// Whether the server marks the end of the stream.
    pub fn is_final(&self) -> bool {
        match &self.payload {
            Some(Payload::Msg(_)) => true,
            Some(Payload::StatusUpdate(update)) => update.r#final,
            _ => false,
        }
    }
}

impl TryFrom<pb::StreamResponse> for wire::StreamResponse<'static> {
    type Error = Error;

    fn try_from(item: pb::StreamResponse) -> Result<Self, Error> {
        item.convert().map_err(ConversionError::in_answer)
    }
}

fn write_item(item: wire::StreamResponse<'_>, last: bool) -> ConversionResult<pb::StreamResponse> {
    let payload = match (item.task, item.message, item.status_update, item.artifact_update) {
        (Some(task), None, None, None) => Payload::Task(task.convert().at("task")?),
        (None, Some(message), None, None) => Payload::Msg(message.convert().at("message")?),
        (None, None, Some(update), None) => {
            let ended = update.status.state.to_task_state().is_some_and(baton_types::TaskState::is_terminal);
            let update: pb::TaskStatusUpdateEvent = update.convert().at("statusUpdate")?;
            Payload::StatusUpdate(pb::TaskStatusUpdateEvent { r#final: last || ended, ..update })
        }
        (None, None, None, Some(update)) => Payload::ArtifactUpdate(update.convert().at("artifactUpdate")?),
        _ => return Err(ConversionError::new(PAYLOAD_ERROR)),
    };
    Ok(pb::StreamResponse { payload: Some(payload) })
}

impl WireConvert<wire::StreamResponse<'static>> for pb::StreamResponse {
    fn convert(self) -> ConversionResult<wire::StreamResponse<'static>> {
        let mut item = wire::StreamResponse::default();
        match self.payload {
            Some(Payload::Task(task)) => item.task = Some(task.convert().at("task")?),
            Some(Payload::Msg(message)) => item.message = Some(message.convert().at("message")?),
            Some(Payload::StatusUpdate(update)) => item.status_update = Some(update.convert().at("statusUpdate")?),
            Some(Payload::ArtifactUpdate(update)) => {
                item.artifact_update = Some(update.convert().at("artifactUpdate")?);
            }
            None => return Err(ConversionError::new(PAYLOAD_ERROR)),
        }
        Ok(item)
    }
}

impl WireConvert<wire::SendMessageResponse<'static>> for pb::SendMessageResponse {
    fn convert(self) -> ConversionResult<wire::SendMessageResponse<'static>> {
        use send_message_response::Payload;
        match self.payload {
            Some(Payload::Task(task)) => {
                Ok(wire::SendMessageResponse { task: Some(task.convert().at("task")?), message: None })
            }
            Some(Payload::Msg(message)) => {
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
            (None, Some(message)) => Payload::Msg(message.convert().at("message")?),
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
            r#final: false,
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

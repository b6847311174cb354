//! Tasks and their status.

use super::pb;
use crate::{
    fault::{ConversionResult, FieldContext, WireConvert, convert, each, maybe},
    scalar::{object, read_object, read_timestamp, state_from_number, state_number, timestamp},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_answer:
    pb::Task, wire::Task<'static>, wire::Task<'_>;
    pb::TaskStatus, wire::TaskStatus<'static>, wire::TaskStatus<'_>;
}

impl WireConvert<wire::Task<'static>> for pb::Task {
    fn convert(self) -> ConversionResult<wire::Task<'static>> {
        Ok(wire::Task {
            id: Cow::Owned(self.id),
            context_id: Cow::Owned(self.context_id),
            status: maybe(self.status, "status")?.unwrap_or_default(),
            artifacts: Some(each(self.artifacts, "artifacts")?).filter(|artifacts| !artifacts.is_empty()),
            history: Some(each(self.history, "history")?).filter(|history| !history.is_empty()),
            metadata: read_object(self.metadata, "metadata")?,
        })
    }
}

impl WireConvert<pb::Task> for wire::Task<'_> {
    fn convert(self) -> ConversionResult<pb::Task> {
        Ok(pb::Task {
            id: self.id.into_owned(),
            context_id: self.context_id.into_owned(),
            status: Some(self.status.convert().at("status")?),
            artifacts: each(self.artifacts.unwrap_or_default(), "artifacts")?,
            history: each(self.history.unwrap_or_default(), "history")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl WireConvert<wire::TaskStatus<'static>> for pb::TaskStatus {
    fn convert(self) -> ConversionResult<wire::TaskStatus<'static>> {
        Ok(wire::TaskStatus {
            state: state_from_number(self.state).at("state")?,
            message: maybe(self.update, "message")?,
            timestamp: read_timestamp(self.timestamp, "timestamp")?,
        })
    }
}

impl WireConvert<pb::TaskStatus> for wire::TaskStatus<'_> {
    fn convert(self) -> ConversionResult<pb::TaskStatus> {
        Ok(pb::TaskStatus {
            state: state_number(self.state),
            update: maybe(self.message, "message")?,
            timestamp: timestamp(self.timestamp, "timestamp")?,
        })
    }
}

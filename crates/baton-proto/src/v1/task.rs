//! Tasks and their status.

use super::pb;
use crate::{
    fault::{At, Carried, Carry, convert, each, maybe},
    scalar::{moment, object, read_moment, read_object, state_number, state_of},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_answer:
    pb::Task, wire::Task<'static>, wire::Task<'_>;
    pb::TaskStatus, wire::TaskStatus<'static>, wire::TaskStatus<'_>;
}

impl Carry<wire::Task<'static>> for pb::Task {
    fn carry(self) -> Carried<wire::Task<'static>> {
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

impl Carry<pb::Task> for wire::Task<'_> {
    fn carry(self) -> Carried<pb::Task> {
        Ok(pb::Task {
            id: self.id.into_owned(),
            context_id: self.context_id.into_owned(),
            status: Some(self.status.carry().at("status")?),
            artifacts: each(self.artifacts.unwrap_or_default(), "artifacts")?,
            history: each(self.history.unwrap_or_default(), "history")?,
            metadata: object(self.metadata.as_ref(), "metadata")?,
        })
    }
}

impl Carry<wire::TaskStatus<'static>> for pb::TaskStatus {
    fn carry(self) -> Carried<wire::TaskStatus<'static>> {
        Ok(wire::TaskStatus {
            state: state_of(self.state).at("state")?,
            message: maybe(self.message, "message")?,
            timestamp: read_moment(self.timestamp, "timestamp")?,
        })
    }
}

impl Carry<pb::TaskStatus> for wire::TaskStatus<'_> {
    fn carry(self) -> Carried<pb::TaskStatus> {
        Ok(pb::TaskStatus {
            state: state_number(self.state),
            message: maybe(self.message, "message")?,
            timestamp: moment(self.timestamp, "timestamp")?,
        })
    }
}

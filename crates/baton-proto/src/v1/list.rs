//! Lists of tasks.

use super::pb;
use crate::{
    fault::{ConversionError, ConversionResult, FieldContext, WireConvert, convert, each},
    scalar::{read_timestamp, some, state_from_number, state_number, text, timestamp},
};
use baton_wire::a2a::v1 as wire;
use std::borrow::Cow;

convert! { in_request:
    pb::ListTasksRequest, wire::ListTasksRequest<'static>, wire::ListTasksRequest<'_>;
}
convert! { in_answer:
    pb::ListTasksResponse, wire::ListTasksResponse<'static>, wire::ListTasksResponse<'_>;
}

impl WireConvert<wire::ListTasksRequest<'static>> for pb::ListTasksRequest {
    fn convert(self) -> ConversionResult<wire::ListTasksRequest<'static>> {
        let status = state_from_number(self.status).at("status")?;
        Ok(wire::ListTasksRequest {
            tenant: some(self.tenant),
            context_id: some(self.context_id),
            status: Some(status).filter(|status| *status != wire::TaskState::Unspecified),
            page_size: self.page_size,
            page_token: some(self.page_token),
            history_length: self.history_length,
            status_timestamp_after: read_timestamp(self.status_timestamp_after, "statusTimestampAfter")?,
            include_artifacts: self.include_artifacts,
        })
    }
}

impl WireConvert<pb::ListTasksRequest> for wire::ListTasksRequest<'_> {
    fn convert(self) -> ConversionResult<pb::ListTasksRequest> {
        Ok(pb::ListTasksRequest {
            tenant: text(self.tenant),
            context_id: text(self.context_id),
            status: state_number(self.status.unwrap_or_default()),
            page_size: self.page_size,
            page_token: text(self.page_token),
            history_length: self.history_length,
            status_timestamp_after: timestamp(self.status_timestamp_after, "statusTimestampAfter")?,
            include_artifacts: self.include_artifacts,
        })
    }
}

impl WireConvert<wire::ListTasksResponse<'static>> for pb::ListTasksResponse {
    fn convert(self) -> ConversionResult<wire::ListTasksResponse<'static>> {
        let negative = |_| ConversionError::new("must not be negative");
        Ok(wire::ListTasksResponse {
            tasks: each(self.tasks, "tasks")?,
            next_page_token: Cow::Owned(self.next_page_token),
            page_size: self.page_size.try_into().map_err(negative).at("pageSize")?,
            total_size: self.total_size.try_into().map_err(negative).at("totalSize")?,
        })
    }
}

impl WireConvert<pb::ListTasksResponse> for wire::ListTasksResponse<'_> {
    fn convert(self) -> ConversionResult<pb::ListTasksResponse> {
        Ok(pb::ListTasksResponse {
            tasks: each(self.tasks, "tasks")?,
            next_page_token: self.next_page_token.into_owned(),
            page_size: self.page_size.try_into().unwrap_or(i32::MAX),
            total_size: self.total_size.try_into().unwrap_or(i32::MAX),
        })
    }
}

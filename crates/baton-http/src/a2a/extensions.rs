//! Extensions that a request switches on.

use super::Call;
use axum::response::Response;
use baton_types::{Message, ToolExecution};
use baton_wire::a2a::v1::{Error, TOOL_EXECUTION, requested_tool_execution};
use http::{HeaderMap, HeaderName, HeaderValue};

const HEADER: HeaderName = HeaderName::from_static("a2a-extensions");
const OLD_HEADER: HeaderName = HeaderName::from_static("x-a2a-extensions");

/// What a request switched on.
pub(super) struct Active {
    /// Who runs tools, when the caller chose.
    pub(super) tool_execution: Option<ToolExecution>,
    echoed: bool,
}

impl Active {
    pub(super) fn of(call: &Call<'_>, message: &Message) -> Result<Self, Error> {
        if !is_requested(call.headers) {
            return Ok(Self { tool_execution: None, echoed: false });
        }
        Ok(Self { tool_execution: requested_tool_execution(message.metadata.as_ref())?, echoed: true })
    }

    /// Tells the caller what was switched on.
    pub(super) fn echo(&self, mut response: Response) -> Response {
        if self.echoed {
            response.headers_mut().insert(HEADER, HeaderValue::from_static(TOOL_EXECUTION));
        }
        response
    }
}

fn is_requested(headers: &HeaderMap) -> bool {
    let values = headers.get_all(HEADER).iter().chain(headers.get_all(OLD_HEADER));
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|uris| uris.split(','))
        .any(|uri| uri.trim() == TOOL_EXECUTION)
}

//! Extensions that a request activates.

use super::call::A2aCall;
use crate::error_codes;
use baton_types::{Message, ToolExecution};
use baton_wire::a2a::v1::{
    Error, ErrorKind, GENERATION, IDEMPOTENCY, PresentationRequest, STREAM_TEXT, TOOL_CALLS, TOOL_EXECUTION,
    requested_generation, requested_idempotency_key, requested_tool_execution,
};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers or metadata keys that request and acknowledge extensions: the current one, and that of 0.3.
const HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("a2a-extensions"), HeaderName::from_static("x-a2a-extensions")];

/// Known extensions that a request names.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveExtensions {
    uris: Vec<String>,
}

impl ActiveExtensions {
    /// Extensions named by the request; unknown ones are ignored.
    pub(super) fn from_call(call: &A2aCall<'_>) -> Self {
        let requested = requested(call.headers);
        let own = [TOOL_EXECUTION, IDEMPOTENCY, GENERATION, STREAM_TEXT, TOOL_CALLS].into_iter();
        let known = own.chain(call.shared.options.extensions.iter().map(|extension| extension.uri.as_str()));
        Self { uris: known.filter(|uri| requested.contains(uri)).map(str::to_owned).collect() }
    }

    /// Rejects a send that does not name every required extension.
    pub(super) fn check_required(&self, call: &A2aCall<'_>) -> Result<(), Error> {
        let mut required = call.shared.options.extensions.iter().filter(|extension| extension.required);
        match required.find(|extension| !self.contains(&extension.uri)) {
            None => Ok(()),
            Some(missing) => {
                let message = format!("this agent requires the extension {}", missing.uri);
                Err(Error::new(ErrorKind::ExtensionSupportRequired, error_codes::EXTENSION_REQUIRED, message))
            }
        }
    }

    fn contains(&self, uri: &str) -> bool {
        self.uris.iter().any(|active| active == uri)
    }

    /// Tool execution mode, if the caller chose one.
    pub(super) fn tool_execution(&self, message: &Message) -> Result<Option<ToolExecution>, Error> {
        if !self.contains(TOOL_EXECUTION) {
            return Ok(None);
        }
        requested_tool_execution(message.metadata.as_ref())
    }

    /// Idempotency key of the message, if the extension is active; defaults to the message id.
    pub(super) fn idempotency_key(&self, message: &Message) -> Result<Option<String>, Error> {
        if !self.contains(IDEMPOTENCY) {
            return Ok(None);
        }
        let key = requested_idempotency_key(message.metadata.as_ref())?;
        Ok(Some(key.unwrap_or_else(|| message.id.to_string())))
    }

    /// Whether tasks and events carry their generation.
    pub(super) fn generation(&self) -> bool {
        self.contains(GENERATION)
    }

    /// Stream content requested by the caller.
    pub(super) fn presentation_request(&self) -> PresentationRequest {
        PresentationRequest { stream_text: self.contains(STREAM_TEXT), tool_calls: self.contains(TOOL_CALLS) }
    }

    /// Expected generation of the task, if the caller gave one.
    pub(super) fn if_generation(&self, message: &Message) -> Result<Option<u64>, Error> {
        if !self.generation() {
            return Ok(None);
        }
        requested_generation(message.metadata.as_ref())
    }
}

/// Returns the active extensions to the caller, in the same header that requested them.
pub(super) fn acknowledge(call: &A2aCall<'_>, reply: &mut HeaderMap) {
    let header_names = HEADERS.into_iter().filter(|name| call.headers.contains_key(name));
    let active = ActiveExtensions::from_call(call).uris.join(",");
    if let Some(value) = HeaderValue::from_str(&active).ok().filter(|value| !value.is_empty()) {
        reply.extend(header_names.map(|name| (name, value.clone())));
    }
}

fn requested(headers: &HeaderMap) -> Vec<&str> {
    let values = HEADERS.into_iter().flat_map(|name| headers.get_all(name));
    values.filter_map(|value| value.to_str().ok()).flat_map(|uris| uris.split(',')).map(str::trim).collect()
}

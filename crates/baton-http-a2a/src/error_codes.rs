//! Error codes of the A2A surface.

pub(crate) use baton_api::error_codes::NOT_OFFERED;
pub(crate) use baton_engine::error_codes::PUSH_URL_REFUSED;
pub(crate) use baton_http::error_codes::RATE_LIMITED;

baton_types::error_codes! {
    VERSION_UNKNOWN = "BTN-1007", "The protocol version is not supported", "Send A2A-Version: 1.0 with method names of 1.0, or omit it with method names of 0.3.";
    EXTENSION_REQUIRED = "BTN-1008", "The agent requires an extension", "Name the extension's URI in the A2A-Extensions header.";
}

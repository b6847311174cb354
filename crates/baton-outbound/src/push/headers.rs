//! The headers of a notification.

use baton_ports::WebhookError;
use baton_types::{PushConfig, PushDialect};
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Tells a receiver that the notification is one it asked for.
const TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");

const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("baton/", env!("CARGO_PKG_VERSION")));

/// The headers that a configuration asks for; secrets are marked, so that they stay with their origin.
pub(super) fn of(config: &PushConfig) -> Result<HeaderMap, WebhookError> {
    let content_type = match config.dialect {
        PushDialect::V1 => "application/a2a+json",
        PushDialect::V03 => "application/json",
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::USER_AGENT, USER_AGENT);
    if let Some(authentication) = &config.authentication
        && let Some(credentials) = authentication.credentials.as_deref().filter(|text| !text.is_empty())
        && !authentication.scheme.is_empty()
    {
        let value = format!("{} {credentials}", authentication.scheme);
        headers.insert(header::AUTHORIZATION, secret("authentication", &value)?);
    }
    if let Some(token) = config.token.as_deref().filter(|token| !token.is_empty()) {
        headers.insert(TOKEN, secret("token", token)?);
    }
    Ok(headers)
}

fn secret(field: &str, text: &str) -> Result<HeaderValue, WebhookError> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| WebhookError::Forbidden(format!("the {field} has characters that no HTTP header can carry")))?;
    value.set_sensitive(true);
    Ok(value)
}

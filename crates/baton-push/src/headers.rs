//! Headers of a push notification.

use baton_ports::WebhookError;
use baton_types::{PushConfig, PushDialect};
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Proves to a receiver that it requested the notification.
const TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");

const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("baton/", env!("CARGO_PKG_VERSION")));

/// Headers for a push configuration; secrets are marked sensitive, so that they are never sent to another origin.
pub(crate) fn build_headers(config: &PushConfig) -> Result<HeaderMap, WebhookError> {
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
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        WebhookError::Forbidden(format!("the {field} contains characters that are invalid in an HTTP header"))
    })?;
    value.set_sensitive(true);
    Ok(value)
}

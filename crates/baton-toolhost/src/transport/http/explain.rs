//! Causes of a failed handshake, extracted from nested rmcp errors.

use super::RemoteError;
use rmcp::{
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::{AuthRequiredError, StreamableHttpError},
};
use std::error::Error;

/// The transport error in a failed handshake.
pub(super) fn transport_error(failure: &ClientInitializeError) -> Option<&(dyn Error + 'static)> {
    match failure {
        ClientInitializeError::TransportError { error, .. } => Some(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => transport_error(fallback),
        _ => None,
    }
}

/// The [`RemoteError`] in an error chain.
pub(super) fn remote_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a RemoteError> {
    chain(error).find_map(|error| match error.downcast_ref::<StreamableHttpError<RemoteError>>() {
        Some(StreamableHttpError::Client(inner)) => Some(inner),
        _ => error.downcast_ref::<RemoteError>(),
    })
}

/// The reason for a required login in an error chain.
pub(super) fn login_reason<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a str> {
    chain(error).find_map(|error| match error.downcast_ref::<StreamableHttpError<RemoteError>>() {
        Some(StreamableHttpError::AuthRequired(needed)) => Some(needed.www_authenticate_header.as_str()),
        _ => match error.downcast_ref::<RemoteError>() {
            Some(RemoteError::Login(crate::oauth::LoginError::Needed { reason })) => Some(reason),
            _ => error.downcast_ref::<AuthRequiredError>().map(|needed| needed.www_authenticate_header.as_str()),
        },
    })
}

/// The reason for a required login, if a call on an open connection failed because of it.
pub fn needs_login(error: &ServiceError) -> Option<&str> {
    match error {
        ServiceError::TransportSend(error) => login_reason(error.error.as_ref()),
        _ => None,
    }
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}

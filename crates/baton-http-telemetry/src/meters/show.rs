//! `GET /metrics`.

use super::{format::MetricsFormat, text::write};
use crate::state::TelemetryState;
use axum::{body::Body, extract::State, response::Response};
use baton_api::{ApiError, ApiErrorKind, error_codes};
use baton_http::{Caller, reply};
use baton_rules::Access;
use http::{HeaderMap, HeaderValue, header};
use std::sync::Arc;

/// Current metrics. Requires `telemetry:read`, unless metrics are configured as open.
pub(super) async fn show(State(shared): State<Arc<TelemetryState>>, caller: Caller, headers: HeaderMap) -> Response {
    let shown = async {
        if !shared.http.options.access.open_metrics {
            caller.check_access_to_all(&shared.http, Access::TelemetryRead)?;
        }
        let ports = shared.ports.meters.as_ref();
        let ports = ports.ok_or_else(|| {
            ApiError::new(
                ApiErrorKind::UnsupportedOperation,
                error_codes::NOT_OFFERED,
                "metrics are not enabled on this server",
            )
        })?;
        Ok(ports.meters.read((ports.now)()).await)
    };
    match shown.await {
        Ok(reading) => {
            let format = MetricsFormat::from_headers(&headers);
            let mut response = Response::new(Body::from(write(&reading, format)));
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
            response
        }
        Err(error) => reply::error(&error),
    }
}

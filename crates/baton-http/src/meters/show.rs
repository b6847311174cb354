//! `GET /metrics`.

use super::{format::MetricsFormat, text::write};
use crate::{app::HttpState, auth::Caller, reply};
use axum::{body::Body, extract::State, response::Response};
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::{HeaderMap, HeaderValue, header};
use std::sync::Arc;

/// Current metrics. Requires `telemetry:read`, unless metrics are configured as open.
pub(super) async fn show(State(shared): State<Arc<HttpState>>, caller: Caller, headers: HeaderMap) -> Response {
    let shown = async {
        if !shared.options.access.open_metrics {
            caller.check_access_to_all(&shared, Access::TelemetryRead)?;
        }
        let ports = shared.options.meters.as_ref();
        let ports = ports.ok_or_else(|| {
            Error::new(
                ErrorKind::UnsupportedOperation,
                ErrorCode::NOT_OFFERED,
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
        Err(error) => reply::rest_error(&error),
    }
}

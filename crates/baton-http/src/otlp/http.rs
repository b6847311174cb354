//! `POST /v1/traces`, in protobuf and JSON.

use super::{
    ingest::{Letter, admit, keep},
    refusal::{Refusal, encoding_of},
};
use crate::{app::Shared, auth::Caller, inflate::BodyEncoding, reply::unsupported};
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_otlp::{Arrival, Encoding};
use http::{HeaderMap, HeaderValue, header};
use std::sync::Arc;

/// Takes spans.
pub(crate) async fn traces(State(shared): State<Arc<Shared>>, caller: Caller, request: Request) -> Response {
    let encoding = encoding_of(request.headers());
    match take(&shared, &caller, encoding, request).await {
        Ok((arrival, encoding)) => {
            let mut response = Response::new(Body::from(arrival.write_response(encoding)));
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(encoding.media_type()));
            response
        }
        Err(refusal) => refusal.response(encoding.unwrap_or(Encoding::Json)),
    }
}

async fn take(
    shared: &Arc<Shared>,
    caller: &Caller,
    encoding: Option<Encoding>,
    request: Request,
) -> Result<(Arrival, Encoding), Refusal> {
    let store = admit(shared, caller)?;
    let (parts, body) = request.into_parts();
    let Some(encoding) = encoding else {
        return Err(unsupported("Content-Type must be application/x-protobuf or application/json").into());
    };
    let gzip = BodyEncoding::of(&parts.headers)? == BodyEncoding::Gzip;
    let received = shared.bodies.read_encoded(&parts, body).await?;
    let arrival = keep(store, Letter { received, skipped: 0, gzip, encoding }).await?;
    Ok((arrival, encoding))
}

/// Logs and metrics: taking them and throwing them away would be a lie.
pub(crate) async fn later(headers: HeaderMap) -> Response {
    const MESSAGE: &str = "Baton takes traces; it does not take logs and metrics yet: switch these exporters off with \
                           OTEL_LOGS_EXPORTER=none and OTEL_METRICS_EXPORTER=none";
    Refusal::NotOffered(MESSAGE).response(encoding_of(&headers).unwrap_or(Encoding::Json))
}

//! `POST /v1/traces`, in protobuf and JSON.

use super::{
    ingest::{ExportBody, authorize_ingest, store_spans},
    refusal::{OtlpRejection, encoding_of},
};
use crate::state::TelemetryState;
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_http::{Caller, inflate::BodyEncoding, reply::unsupported};
use baton_otlp::{DecodedExport, Encoding};
use http::{HeaderValue, header};
use std::sync::Arc;

/// Ingests spans.
pub(crate) async fn traces(State(shared): State<Arc<TelemetryState>>, caller: Caller, request: Request) -> Response {
    let encoding = encoding_of(request.headers());
    match ingest(&shared, &caller, encoding, request).await {
        Ok((arrival, encoding)) => {
            let mut response = Response::new(Body::from(arrival.write_response(encoding)));
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(encoding.media_type()));
            response
        }
        Err(refusal) => refusal.response(encoding.unwrap_or(Encoding::Json)),
    }
}

async fn ingest(
    shared: &Arc<TelemetryState>,
    caller: &Caller,
    encoding: Option<Encoding>,
    request: Request,
) -> Result<(DecodedExport, Encoding), OtlpRejection> {
    let store = authorize_ingest(shared, caller)?;
    let body = packed_body(shared, encoding, request).await?;
    let encoding = body.encoding;
    Ok((store_spans(store, body).await?, encoding))
}

/// Reads the body of a request, which may be compressed.
pub(super) async fn packed_body(
    shared: &TelemetryState,
    encoding: Option<Encoding>,
    request: Request,
) -> Result<ExportBody, OtlpRejection> {
    let (parts, body) = request.into_parts();
    let Some(encoding) = encoding else {
        return Err(unsupported("Content-Type must be application/x-protobuf or application/json").into());
    };
    let gzip = BodyEncoding::from_headers(&parts.headers)? == BodyEncoding::Gzip;
    let received = shared.http.bodies.read_encoded(&parts, body).await?;
    Ok(ExportBody { received, skipped: 0, gzip, encoding })
}

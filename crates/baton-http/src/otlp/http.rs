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
use http::{HeaderValue, header};
use std::sync::Arc;

/// Ingests spans.
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
    let letter = packed_body(shared, encoding, request).await?;
    let encoding = letter.encoding;
    Ok((keep(store, letter).await?, encoding))
}

/// Reads the body of a request, which may be compressed.
pub(super) async fn packed_body(
    shared: &Shared,
    encoding: Option<Encoding>,
    request: Request,
) -> Result<Letter, Refusal> {
    let (parts, body) = request.into_parts();
    let Some(encoding) = encoding else {
        return Err(unsupported("Content-Type must be application/x-protobuf or application/json").into());
    };
    let gzip = BodyEncoding::of(&parts.headers)? == BodyEncoding::Gzip;
    let received = shared.bodies.read_encoded(&parts, body).await?;
    Ok(Letter { received, skipped: 0, gzip, encoding })
}

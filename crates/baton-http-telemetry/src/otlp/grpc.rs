//! `opentelemetry.proto.collector.trace.v1.TraceService/Export`, on the same port.
//!
//! A unary call. The frame is decoded and encoded here, because generated services would apply their own limit to a
//! decompressed message.

use super::{
    ingest::{ExportBody, authorize_ingest, store_spans},
    refusal::OtlpRejection,
};
use crate::state::TelemetryState;
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_http::{Caller, check_grpc_frame, is_grpc, reply};
use baton_otlp::Encoding;
use bytes::{BufMut as _, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt as _, Full};
use std::{convert::Infallible, sync::Arc};

/// A flag byte and the length.
const FRAME_HEADER_LEN: usize = 5;

/// Ingests spans.
pub(crate) async fn export(State(shared): State<Arc<TelemetryState>>, caller: Caller, request: Request) -> Response {
    serve(request, async |request: Request| {
        let store = authorize_ingest(&shared, &caller)?;
        let body = framed_body(&shared, request).await?;
        Ok(store_spans(store, body).await?.write_response(Encoding::Protobuf))
    })
    .await
}

/// Answers a gRPC request with the message that the handler returns.
pub(super) async fn serve(
    request: Request,
    answer_to: impl AsyncFnOnce(Request) -> Result<Vec<u8>, OtlpRejection>,
) -> Response {
    if !is_grpc(request.headers()) {
        // The client does not use gRPC, so it would ignore a gRPC status behind a 200.
        let message =
            "Content-Type must be application/grpc; OTLP over HTTP goes to /v1/traces, /v1/metrics and /v1/logs";
        return reply::error(&reply::unsupported(message));
    }
    let mut response = match answer_to(request).await {
        Ok(message) => answer(&message),
        Err(refusal) => refusal.grpc().into_http(),
    };
    response.headers_mut().insert("grpc-accept-encoding", HeaderValue::from_static("gzip,identity"));
    response
}

/// Reads the single message of a request, which may be compressed.
pub(super) async fn framed_body(shared: &TelemetryState, request: Request) -> Result<ExportBody, OtlpRejection> {
    let (parts, body) = request.into_parts();
    let compression = parts.headers.get("grpc-encoding").map(HeaderValue::as_bytes).unwrap_or_default();
    if !matches!(compression, b"" | b"identity" | b"gzip") {
        return Err(OtlpRejection::NotOffered("messages must be compressed with gzip or not at all"));
    }
    let received = shared.http.bodies.read_encoded(&parts, body).await?;
    check_grpc_frame(&received.bytes, compression == b"gzip")?;
    let gzip = received.bytes.first() == Some(&1);
    Ok(ExportBody { received, skipped: FRAME_HEADER_LEN, gzip, encoding: Encoding::Protobuf })
}

fn answer(message: &[u8]) -> Response {
    let mut framed = BytesMut::with_capacity(FRAME_HEADER_LEN + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or_default());
    framed.extend_from_slice(message);
    let body = Full::<Bytes>::new(framed.freeze()).with_trailers(async {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        Some(Ok::<_, Infallible>(trailers))
    });
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

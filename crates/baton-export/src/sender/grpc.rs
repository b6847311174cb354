//! OTLP over gRPC, as a unary call.

use super::{
    ExportOutcome,
    answer::{from_grpc_status, from_outbound_error, from_response},
    connection::{TargetClient, TargetConnection},
};
use crate::{Compression, Route, request_body::FRAME_HEADER_LEN};
use ::http::{HeaderValue, Request, header};
use baton_outbound::SecretRedactor;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use tonic::{Code, Status};
use tower::Service as _;

/// Maximum size of a response; valid responses have a few bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

pub(super) async fn send(line: &TargetConnection, route: &Route, shown: &SecretRedactor, body: Bytes) -> ExportOutcome {
    let TargetClient::Grpc(service) = &line.client else {
        return ExportOutcome::Misconfigured("the connection is not gRPC".to_owned());
    };
    let mut request = Request::post(line.uri.clone()).body(Full::new(body)).unwrap_or_default();
    let headers = request.headers_mut();
    *headers = route.headers.clone();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(super::http::USER_AGENT));
    headers.insert("prefer", HeaderValue::from_static(super::http::STRICT_HANDLING));
    if route.compression == Compression::Gzip {
        headers.insert("grpc-encoding", HeaderValue::from_static("gzip"));
    }
    let millis = u64::try_from(route.timeout.as_millis()).unwrap_or(u64::MAX).min(99_999_999);
    if let Ok(limit) = HeaderValue::from_str(&format!("{millis}m")) {
        headers.insert("grpc-timeout", limit);
    }
    let response = match service.clone().call(request).await {
        Ok(response) => response,
        Err(error) => return from_outbound_error(&error, shown),
    };
    let (head, body) = response.into_parts();
    // A gRPC server always answers 200; another status comes from a proxy or another server.
    if head.status != ::http::StatusCode::OK {
        return super::http::from_http_status(head.status, &head.headers, "");
    }
    let body = match Limited::new(body, MAX_RESPONSE_BYTES).collect().await {
        Ok(body) => body,
        Err(error) => {
            return ExportOutcome::RetryLater { after: None, reason: format!("the response ended early: {error}") };
        }
    };
    let status = body.trailers().and_then(Status::from_header_map).or_else(|| Status::from_header_map(&head.headers));
    match status {
        Some(status) if status.code() == Code::Ok => from_grpc_message(&body.to_bytes(), shown),
        Some(status) => from_grpc_status(&status, shown),
        None => ExportOutcome::RetryLater { after: None, reason: "the response has no gRPC status".to_owned() },
    }
}

/// A compressed or truncated response still means that the request was accepted.
fn from_grpc_message(framed: &[u8], shown: &SecretRedactor) -> ExportOutcome {
    let message = framed.get(FRAME_HEADER_LEN..).filter(|_| framed.first() == Some(&0)).unwrap_or_default();
    from_response(message, baton_otlp::Encoding::Protobuf, shown)
}

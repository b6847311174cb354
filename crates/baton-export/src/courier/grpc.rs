//! OTLP over gRPC, as a unary call.

use super::{
    Delivery,
    answer::{of_outbound, of_response, of_status},
    line::{Kind, Line},
};
use crate::{Compression, Route, pack::FRAME_HEAD};
use ::http::{HeaderValue, Request, header};
use baton_outbound::SecretRedactor;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use tonic::{Code, Status};
use tower::Service as _;

/// Maximum size of a response; valid responses have a few bytes.
const MOST: usize = 1 << 20;

pub(super) async fn send(line: &Line, route: &Route, shown: &SecretRedactor, body: Bytes) -> Delivery {
    let Kind::Grpc(service) = &line.kind else { return Delivery::Misplaced("the connection is not gRPC".to_owned()) };
    let mut request = Request::post(line.uri.clone()).body(Full::new(body)).unwrap_or_default();
    let headers = request.headers_mut();
    *headers = route.headers.clone();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(super::http::AGENT));
    headers.insert("prefer", HeaderValue::from_static(super::http::STRICT));
    if route.compression == Compression::Gzip {
        headers.insert("grpc-encoding", HeaderValue::from_static("gzip"));
    }
    let millis = u64::try_from(route.timeout.as_millis()).unwrap_or(u64::MAX).min(99_999_999);
    if let Ok(limit) = HeaderValue::from_str(&format!("{millis}m")) {
        headers.insert("grpc-timeout", limit);
    }
    let response = match service.clone().call(request).await {
        Ok(response) => response,
        Err(error) => return of_outbound(&error, shown),
    };
    let (head, body) = response.into_parts();
    // A gRPC server always answers 200; another status comes from a proxy or another server.
    if head.status != ::http::StatusCode::OK {
        return super::http::of_status(head.status, &head.headers, "");
    }
    let body = match Limited::new(body, MOST).collect().await {
        Ok(body) => body,
        Err(error) => return Delivery::Later { after: None, why: format!("the response ended early: {error}") },
    };
    let status = body.trailers().and_then(Status::from_header_map).or_else(|| Status::from_header_map(&head.headers));
    match status {
        Some(status) if status.code() == Code::Ok => of_message(&body.to_bytes(), shown),
        Some(status) => of_status(&status, shown),
        None => Delivery::Later { after: None, why: "the response has no gRPC status".to_owned() },
    }
}

/// A compressed or truncated response still means that the request was accepted.
fn of_message(framed: &[u8], shown: &SecretRedactor) -> Delivery {
    let message = framed.get(FRAME_HEAD..).filter(|_| framed.first() == Some(&0)).unwrap_or_default();
    of_response(message, baton_otlp::Encoding::Protobuf, shown)
}

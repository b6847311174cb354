//! gRPC on the same port, with the services of 1.0 and 0.3.

mod request;
mod v03;
mod v1;

use super::{
    operation::A2aOperation,
    span_attributes::{self, RequestProtocol},
};
use crate::{error::from_api, reply, span_attributes::A2aSpan as _, state::A2aState};
use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use baton_api::ApiError;
use baton_http::{RequestSpan, RouteAccess, Routes, check_grpc_frame, is_grpc};
use baton_proto::{status, v1::pb::a2a_service_server as current, v03::pb::a2a_service_server as old};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind, PROTOCOL_VERSION};
use bytes::Bytes;
use http::{HeaderValue, header};
use http_body_util::Full;
use std::{convert::Infallible, pin::pin, sync::Arc};
use tower::{Service, ServiceExt as _};

/// Adds the services.
pub(crate) fn mount(routes: Routes<Arc<A2aState>>, shared: &Arc<A2aState>) -> Routes<Arc<A2aState>> {
    let max_body = shared.http.options.max_body;
    let current = current::A2aServiceServer::new(v1::V1GrpcService { shared: Arc::clone(shared) });
    let current = current.max_decoding_message_size(max_body).max_encoding_message_size(usize::MAX);
    let old = old::A2aServiceServer::new(v03::V03GrpcService { shared: Arc::clone(shared) });
    let old = old.max_decoding_message_size(max_body).max_encoding_message_size(usize::MAX);
    let current = move |State(shared): State<Arc<A2aState>>, request: Request| {
        serve(shared, current.clone(), PROTOCOL_VERSION, request)
    };
    let old = move |State(shared): State<Arc<A2aState>>, request: Request| {
        serve(shared, old.clone(), span_attributes::V03_VERSION, request)
    };
    routes.post("/lf.a2a.v1.A2AService/{method}", RouteAccess::Method, current).post(
        "/a2a.v1.A2AService/{method}",
        RouteAccess::Method,
        old,
    )
}

/// Reads the request message within the body limits and calls the service.
async fn serve<S>(shared: Arc<A2aState>, service: S, version: &'static str, request: Request) -> Response
where
    S: Service<http::Request<tonic::body::Body>, Response = http::Response<tonic::body::Body>, Error = Infallible>,
{
    let (mut parts, body) = request.into_parts();
    let span = RequestSpan::from_request(&parts.extensions, &parts.headers);
    match A2aOperation::from_grpc_path(parts.uri.path()) {
        Some(operation) => {
            parts.extensions.insert(operation);
            RequestProtocol { system: Some("grpc"), version: Some(version) }.record_operation(
                &span,
                operation,
                &parts.extensions,
            );
        }
        None => span.record_route_name(&parts.method, &parts.extensions),
    }
    if let Err(error) = check_content_type(&parts) {
        // The sender is not a gRPC client and would not see a status behind a 200.
        return reply::error(&error);
    }
    let received = shared.http.bodies.read_encoded(&parts, body).await.and_then(|received| {
        let encoding = parts.headers.get("grpc-encoding").is_some_and(|encoding| encoding != "identity");
        check_grpc_frame(&received.bytes, encoding).map(|()| received)
    });
    let received = match received {
        Ok(received) => received,
        Err(error) => {
            let error = from_api(error);
            span.record_rejection(&error);
            return status(&error).into_http();
        }
    };
    // HTTP/2 carries the host in `:authority`; cards are built from the `Host` header.
    if let Some(host) = parts.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok()) {
        parts.headers.entry(header::HOST).or_insert(host);
    }
    let bytes = received.bytes.len();
    let body = tonic::body::Body::new(Full::new(Bytes::from_owner(received)));
    let path = parts.uri.path().to_owned();
    let answered = service.oneshot(http::Request::from_parts(parts, body));
    match shared.http.large_requests.drive(bytes, pin!(answered)).await {
        Ok(response) if is_unknown_method(&response) => unknown_method(&path),
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

/// Whether the generated service reports an unknown method: only that reply has a code and no message.
fn is_unknown_method(response: &http::Response<tonic::body::Body>) -> bool {
    let headers = response.headers();
    headers.get("grpc-status").is_some_and(|code| code == "12") && !headers.contains_key("grpc-message")
}

/// Reply for an unknown method or service.
pub(crate) fn unknown_method(path: &str) -> Response {
    let message = format!("there is no method '{}'", path.chars().take(128).collect::<String>());
    status(&Error::new(ErrorKind::MethodNotFound, ErrorCode::INVALID_REQUEST, message)).into_http()
}

fn check_content_type(parts: &http::request::Parts) -> Result<(), ApiError> {
    if is_grpc(&parts.headers) {
        return Ok(());
    }
    let content_type =
        parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Err(baton_http::reply::unsupported(&format!("Content-Type must be application/grpc, not '{content_type}'")))
}

//! gRPC on the same port: the services of 1.0 and 0.3 beside each other.

mod asked;
mod v03;
mod v1;

use crate::{app::Shared, body::Received};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
    routing::post,
};
use baton_proto::{status, v1::pb::a2a_service_server as current, v03::pb::a2a_service_server as old};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use bytes::Bytes;
use http::{HeaderValue, header};
use http_body_util::Full;
use std::{convert::Infallible, sync::Arc};
use tower::{Service, ServiceExt as _};

/// Adds the services.
pub(crate) fn mount(router: Router<Arc<Shared>>, shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    let most = shared.options.max_body;
    let current = current::A2aServiceServer::new(v1::Operations { shared: Arc::clone(shared) });
    let current = current.max_decoding_message_size(most).max_encoding_message_size(usize::MAX);
    let old = old::A2aServiceServer::new(v03::Operations { shared: Arc::clone(shared) });
    let old = old.max_decoding_message_size(most).max_encoding_message_size(usize::MAX);
    let current = post(move |State(shared): State<Arc<Shared>>, request| serve(shared, current.clone(), request));
    let old = post(move |State(shared): State<Arc<Shared>>, request| serve(shared, old.clone(), request));
    router.route("/lf.a2a.v1.A2AService/{method}", current).route("/a2a.v1.A2AService/{method}", old)
}

/// Reads the one message of the request within the bounds that hold for all bodies, and lets the service answer.
async fn serve<S>(shared: Arc<Shared>, service: S, request: Request) -> Response
where
    S: Service<http::Request<tonic::body::Body>, Response = http::Response<tonic::body::Body>, Error = Infallible>,
{
    let (mut parts, body) = request.into_parts();
    let received = match check_content_type(&parts) {
        Ok(()) => shared.bodies.read(&parts.headers, body).await,
        Err(error) => Err(error),
    };
    let received = match received {
        Ok(received) => received,
        Err(error) => return status(&error).into_http(),
    };
    // HTTP/2 has the host in another place; cards are made from the header.
    if let Some(host) = parts.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok()) {
        parts.headers.entry(header::HOST).or_insert(host);
    }
    let body = tonic::body::Body::new(Full::new(Bytes::from_owner(received)));
    match service.oneshot(http::Request::from_parts(parts, body)).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}

fn check_content_type(parts: &http::request::Parts) -> Result<(), Error> {
    let given = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if given.starts_with("application/grpc") {
        return Ok(());
    }
    let message = format!("Content-Type must be application/grpc, not '{given}'");
    Err(Error::new(ErrorKind::UnsupportedMediaType, ErrorCode::INVALID_REQUEST, message))
}

impl AsRef<[u8]> for Received {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

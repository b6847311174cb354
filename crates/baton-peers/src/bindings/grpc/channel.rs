//! gRPC connection to one peer.

use super::{
    super::{
        MAX_EVENT, MAX_REPLY, credential::RequestCredential, headers, read::check_conversion,
        refusal::unsupported_request,
    },
    status,
};
use crate::{
    A2aDialect, BindingEvent, BindingEventStream, CallError, RequestMetadata, bindings::events::is_unknown_kind,
};
use async_stream::stream;
use baton_outbound::{GuardedClient, Http2Service, Target};
use baton_ports::BoxFuture;
use baton_wire::a2a::v1::{Error, StreamResponse};
use http::{Extensions, Uri};
use hyper::body::Incoming;
use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tonic::{Code, Request, Response, Status, Streaming, body::Body, metadata::MetadataMap};
use tower::Service;

/// Future returned by a generated client.
pub(super) type GrpcFuture<T> = BoxFuture<'static, Result<Response<T>, Status>>;

/// One peer over HTTP/2; clones share the connection.
#[derive(Clone)]
pub(in super::super) struct Channel {
    http2: Http2Service<Body>,
    credential: Arc<RequestCredential>,
    origin: Uri,
    request_timeout: Duration,
    head_timeout: Duration,
}

/// Size limit of a received message.
#[derive(Clone, Copy)]
pub(super) enum MessageSizeLimit {
    /// For a unary reply.
    Reply,
    /// For a message of a stream.
    Event,
}

impl MessageSizeLimit {
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Reply => MAX_REPLY,
            Self::Event => MAX_EVENT,
        }
    }
}

impl Channel {
    pub(in super::super) fn open(
        client: &GuardedClient,
        target: &Target,
        credential: Arc<RequestCredential>,
    ) -> Result<Self, CallError> {
        let http2 = client.grpc_service().map_err(|error| CallError::Forbidden(error.to_string()))?;
        let authority = target.uri().authority().map_or("", |authority| authority.as_str());
        let scheme = if target.is_secure() { "https" } else { "http" };
        let origin = format!("{scheme}://{authority}").parse();
        let origin = origin.map_err(|_| CallError::Forbidden("the URL is malformed".to_owned()))?;
        let (request_timeout, head_timeout) = (client.request_timeout(), client.head_timeout());
        Ok(Self { http2, credential, origin, request_timeout, head_timeout })
    }

    pub(super) fn origin(&self) -> Uri {
        self.origin.clone()
    }

    /// Unary call.
    pub(super) async fn call<P, R, W>(
        &self,
        message: Result<P, Error>,
        with: &RequestMetadata,
        dialect: A2aDialect,
        call: impl Fn(Request<P>) -> GrpcFuture<R> + Send + Sync,
    ) -> Result<W, CallError>
    where
        P: Clone + Send + Sync,
        R: Send,
        W: TryFrom<R, Error = Error>,
    {
        let limit = self.request_timeout;
        let answered = self.call_with_retry(message, with, dialect, limit, call).await?;
        check_conversion(answered.into_inner().try_into())
    }

    /// Server-streaming call.
    pub(super) async fn hear<P, R>(
        &self,
        message: Result<P, Error>,
        with: &RequestMetadata,
        dialect: A2aDialect,
        call: impl Fn(Request<P>) -> GrpcFuture<Streaming<R>> + Send + Sync,
    ) -> Result<BindingEventStream, CallError>
    where
        P: Clone + Send + Sync,
        R: Send + 'static,
        StreamResponse<'static>: TryFrom<R, Error = Error>,
    {
        let limit = self.head_timeout;
        let mut messages = self.call_with_retry(message, with, dialect, limit, call).await?.into_inner();
        let credential = Arc::clone(&self.credential);
        Ok(Box::pin(stream! {
            loop {
                let item = match messages.message().await {
                    Ok(None) => return,
                    Ok(Some(message)) => check_conversion(StreamResponse::try_from(message)),
                    Err(status) => Err(status::stream_error(&status)),
                };
                match item {
                    Ok(item) if is_unknown_kind(&item) => {}
                    Ok(item) => yield Ok(BindingEvent { cursor: None, item }),
                    Err(error) => {
                        yield Err(credential.redact(error));
                        return;
                    }
                }
            }
        }))
    }

    /// Calls, with one retry if the credential is rejected and another one is available.
    async fn call_with_retry<P: Clone + Send + Sync, R: Send>(
        &self,
        message: Result<P, Error>,
        with: &RequestMetadata,
        dialect: A2aDialect,
        limit: Duration,
        call: impl Fn(Request<P>) -> GrpcFuture<R> + Send + Sync,
    ) -> Result<Response<R>, CallError> {
        let message = message.map_err(|error| unsupported_request(&error))?;
        let metadata = MetadataMap::from_headers(headers::build_headers(with, dialect)?);
        let mut again = false;
        loop {
            let request = Request::from_parts(metadata.clone(), Extensions::default(), message.clone());
            match tokio::time::timeout(limit, call(request)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(status)) if status.code() == Code::Unauthenticated && !again => {
                    if !self.credential.refused().await {
                        return Err(self.credential.redact(status::call_error(&status)));
                    }
                    again = true;
                }
                Ok(Err(status)) => return Err(self.credential.redact(status::call_error(&status))),
                Err(_) => {
                    let message = format!("{} did not answer within {} ms", self.origin, limit.as_millis());
                    return Err(CallError::ConnectionLost(message));
                }
            }
        }
    }
}

impl Service<http::Request<Body>> for Channel {
    type Response = http::Response<Incoming>;
    type Error = CallError;
    type Future = BoxFuture<'static, Result<Self::Response, CallError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let (mut http2, credential) = (self.http2.clone(), Arc::clone(&self.credential));
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            // The path is that of the method; a credential can only be in the headers.
            let uri = parts.uri.clone();
            credential.apply(&mut parts).await?;
            parts.uri = uri;
            http2.call(http::Request::from_parts(parts, body)).await.map_err(CallError::from)
        })
    }
}

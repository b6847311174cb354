//! Requests and responses.

use crate::{Client, ClientError, ServerRefusal, transport::ReplyBody};
use baton_wire::{
    a2a::v1::{PROTOCOL_VERSION, RestError, STREAM_TEXT, TOOL_CALLS},
    jsonrpc::{RpcCall, RpcResponse},
};
use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Builder};
use http_body_util::{BodyExt as _, Full};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::atomic::Ordering;

/// Maximum size of a response.
const MAX_REPLY: usize = 64 * 1024 * 1024;

impl Client {
    /// A unary JSON-RPC call.
    pub(crate) async fn rpc<T: DeserializeOwned>(
        &self,
        agent: &str,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, ClientError> {
        let request = self.rpc_request(agent, method, params, |request| request)?;
        self.unary(request).await
    }

    /// The result of a unary JSON-RPC request.
    pub(crate) async fn unary<T: DeserializeOwned>(&self, request: Request<Full<Bytes>>) -> Result<T, ClientError> {
        self.with_timeout_limit(async {
            let response = self.exchange(request).await?;
            let status = response.status();
            let bytes = read_body(response.into_body()).await?;
            rpc_result(status, &bytes)
        })
        .await
    }

    /// A JSON-RPC request with additional headers.
    pub(crate) fn rpc_request(
        &self,
        agent: &str,
        method: &str,
        params: &impl Serialize,
        headers: impl FnOnce(Builder) -> Builder,
    ) -> Result<Request<Full<Bytes>>, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let body = serde_json::to_vec(&RpcCall::new(id, method, params))
            .map_err(|error| ClientError::InvalidResponse(error.to_string()))?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("/agents/{}", baton_encoding::path_segment(agent)))
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header("a2a-version", HeaderValue::from_static(PROTOCOL_VERSION))
            .header("a2a-extensions", HeaderValue::from_static(STREAM_TEXT))
            .header("a2a-extensions", HeaderValue::from_static(TOOL_CALLS));
        headers(request)
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| ClientError::Address { address: agent.to_owned(), reason: error.to_string() })
    }

    /// Sends a request with the client's token; returns when the response head has arrived.
    pub(crate) async fn exchange(&self, mut request: Request<Full<Bytes>>) -> Result<Response<ReplyBody>, ClientError> {
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(header::AUTHORIZATION, authorization.clone());
        }
        if let Some(trace) = &self.trace {
            // A trace context of the request itself takes precedence.
            request.headers_mut().entry("traceparent").or_insert_with(|| trace.clone());
        }
        self.transport.send(request).await
    }

    /// Gets a JSON document.
    pub(crate) async fn document<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.send_json(Request::get(path), path, Bytes::new()).await
    }

    /// Posts a JSON document.
    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(invalid_response)?;
        let request = Request::post(path).header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.send_json(request, path, body.into()).await
    }

    /// Puts a JSON document.
    pub(crate) async fn put<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(invalid_response)?;
        let request = Request::put(path).header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.send_json(request, path, body.into()).await
    }

    /// Deletes a resource.
    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.send_json(Request::delete(path), path, Bytes::new()).await
    }

    /// Patches a resource.
    pub(crate) async fn patch<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(invalid_response)?;
        let request = Request::patch(path).header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.send_json(request, path, body.into()).await
    }

    /// Posts a file of this media type.
    pub(crate) async fn post_file<T: DeserializeOwned>(
        &self,
        path: &str,
        kind: &'static str,
        file: Bytes,
    ) -> Result<T, ClientError> {
        let request = Request::post(path).header(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        self.send_json(request, path, file).await
    }

    /// Gets a file unchanged.
    pub(crate) async fn file(&self, path: &str) -> Result<Bytes, ClientError> {
        self.send_bytes(Request::get(path), path, Bytes::new()).await
    }

    async fn send_json<T: DeserializeOwned>(
        &self,
        request: Builder,
        path: &str,
        body: Bytes,
    ) -> Result<T, ClientError> {
        let bytes = self.send_bytes(request, path, body).await?;
        serde_json::from_slice(&bytes).map_err(invalid_response)
    }

    async fn send_bytes(&self, request: Builder, path: &str, body: Bytes) -> Result<Bytes, ClientError> {
        let address = |error: http::Error| ClientError::Address { address: path.to_owned(), reason: error.to_string() };
        let request = request.body(Full::new(body)).map_err(address)?;
        self.with_timeout_limit(async {
            let response = self.exchange(request).await?;
            let status = response.status();
            let bytes = read_body(response.into_body()).await?;
            if status.is_success() { Ok(bytes) } else { Err(response_error(status, &bytes)) }
        })
        .await
    }

    pub(crate) async fn with_timeout_limit<T>(
        &self,
        call: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        match self.timeout {
            Some(timeout) => tokio::time::timeout(timeout, call).await.unwrap_or(Err(ClientError::Timeout(timeout))),
            None => call.await,
        }
    }
}

/// Reads a complete body.
pub(crate) async fn read_body(mut body: ReplyBody) -> Result<Bytes, ClientError> {
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ClientError::Interrupted(error.to_string()))?;
        if let Ok(data) = frame.into_data() {
            if all.len() + data.len() > MAX_REPLY {
                return Err(ClientError::InvalidResponse(format!("it is larger than {MAX_REPLY} bytes")));
            }
            all.extend_from_slice(&data);
        }
    }
    Ok(all.freeze())
}

/// The result inside a JSON-RPC reply.
pub(crate) fn rpc_result<T: DeserializeOwned>(status: StatusCode, bytes: &[u8]) -> Result<T, ClientError> {
    match serde_json::from_slice::<RpcResponse<'_>>(bytes) {
        Ok(RpcResponse { error: Some(error), .. }) => Err(ServerRefusal::new(status.as_u16(), error).into()),
        Ok(RpcResponse { result: Some(result), .. }) => serde_json::from_str(result.get()).map_err(invalid_response),
        _ => Err(response_error(status, bytes)),
    }
}

/// The error of a response outside JSON-RPC.
pub(crate) fn response_error(status: StatusCode, bytes: &[u8]) -> ClientError {
    match serde_json::from_slice::<RestError>(bytes) {
        Ok(error) => ServerRefusal::new(status.as_u16(), error.into_object()).into(),
        Err(_) => {
            let shown: String = String::from_utf8_lossy(bytes).chars().take(200).collect();
            ClientError::InvalidResponse(format!("status {status}: {shown}"))
        }
    }
}

pub(crate) fn invalid_response(error: impl std::fmt::Display) -> ClientError {
    ClientError::InvalidResponse(error.to_string())
}

/// Whether the response is an event stream, not an error.
pub(crate) fn is_stream(response: &Response<ReplyBody>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

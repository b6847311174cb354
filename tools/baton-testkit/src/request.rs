//! Raw HTTP requests in any dialect.

use anyhow::Result;
use baton_client::ClientError;
use bytes::Bytes;
use http::{Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// A response of any status.
#[derive(Clone, Debug, PartialEq)]
pub struct RawResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body; null if empty, a string if it is not JSON.
    pub body: Value,
}

/// Sends one request to `base`, such as `http://127.0.0.1:8700`, over a new connection; a null body sends none.
pub async fn request(
    base: &str,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Result<RawResponse, ClientError> {
    let authority = base.trim_start_matches("http://").trim_end_matches('/');
    let unreachable = |reason: String| ClientError::Unreachable { address: authority.to_owned(), reason };
    let broken = |error: hyper::Error| ClientError::Interrupted(error.to_string());
    let stream = TcpStream::connect(authority).await.map_err(|error| unreachable(error.to_string()))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|error| unreachable(error.to_string()))?;
    let content = if body.is_null() { String::new() } else { body.to_string() };
    let mut http_request = Request::builder().method(method).uri(path).header(header::HOST, authority);
    if !body.is_null() {
        http_request = http_request.header(header::CONTENT_TYPE, "application/json");
    }
    for (name, value) in headers {
        http_request = http_request.header(*name, *value);
    }
    let http_request = http_request.body(Full::new(Bytes::from(content)));
    let http_request =
        http_request.map_err(|error| ClientError::Address { address: path.to_owned(), reason: error.to_string() })?;
    // The connection task ends once the response has been read and the sender is dropped.
    let driving = tokio::spawn(connection);
    let answer = async {
        let (head, body) = sender.send_request(http_request).await?.into_parts();
        Ok((head.status.as_u16(), body.collect().await?.to_bytes()))
    };
    let (status, bytes) = answer.await.map_err(broken)?;
    driving.abort();
    let body = match bytes.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned())),
    };
    Ok(RawResponse { status, body })
}

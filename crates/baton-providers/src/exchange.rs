//! Single request with a JSON response, for everything except chat.

use crate::{
    Provider,
    failure::{self, AnswerProgress},
};
use baton_ports::ModelError;
use futures_util::StreamExt;
use serde_json::Value;
use std::time::Duration;

/// Request timeout.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum response size in bytes.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// Sends a GET request.
pub(crate) async fn get(provider: &Provider, url: &str) -> Result<Value, ModelError> {
    send(provider, provider.http_client()?.get(url)).await
}

/// Sends a POST request with a JSON body.
pub(crate) async fn post(provider: &Provider, url: &str, body: &Value) -> Result<Value, ModelError> {
    send(provider, provider.http_client()?.post(url).json(body)).await
}

async fn send(provider: &Provider, request: reqwest::RequestBuilder) -> Result<Value, ModelError> {
    let failed = |error: reqwest::Error| failure::from_connection_error(provider, &error, AnswerProgress::NotStarted);
    let (client, request) = request.headers(provider.header_map()?).timeout(REQUEST_TIMEOUT).build_split();
    let mut request = request.map_err(failed)?;
    provider.sign(&mut request)?;
    let answer = client.execute(request).await.map_err(failed)?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut body = Vec::new();
    let mut pieces = answer.bytes_stream();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(failed)?);
        if body.len() > MAX_RESPONSE_BYTES {
            return Err(failure::answer_failed(
                provider,
                "sent a response that is too large",
                AnswerProgress::NotStarted,
            ));
        }
    }
    if !status.is_success() {
        return Err(failure::refused(provider, status.as_u16(), &String::from_utf8_lossy(&body), Some(&headers)));
    }
    let unreadable =
        |_| failure::answer_failed(provider, "sent an answer that is not JSON", AnswerProgress::NotStarted);
    serde_json::from_slice(&body).map_err(unreadable)
}

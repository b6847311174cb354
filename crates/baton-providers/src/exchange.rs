//! Requests to a service: chat in the terms of this crate, and single requests with a JSON response.

use crate::{
    Provider,
    answer::FinalAnswer,
    failure::{self, AnswerProgress},
};
use baton_ports::ModelError;
use futures_util::{Stream, StreamExt};
use genai::chat::{ChatOptions, ChatRequest};
use serde_json::Value;
use std::{pin::Pin, time::Duration};

/// Request timeout for everything except chat.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum response size in bytes.
pub(crate) const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// A complete chat request.
pub(crate) struct ChatExchange {
    pub(crate) provider: Provider,
    pub(crate) url: String,
    pub(crate) model: String,
    pub(crate) chat: ChatRequest,
    pub(crate) options: ChatOptions,
}

/// A piece of a streamed answer.
pub(crate) enum AnswerPiece {
    Text(String),
    Reasoning(String),
    /// A part that the end contains in full.
    Partial,
    /// The end; nothing follows.
    End(FinalAnswer),
}

/// A streamed answer; dropping it closes the connection.
pub(crate) type AnswerStream = Pin<Box<dyn Stream<Item = Result<AnswerPiece, ModelError>> + Send>>;

/// Sends a GET request.
pub(crate) async fn get(provider: &Provider, url: &str) -> Result<Value, ModelError> {
    let request = provider.http_client()?.get(url).timeout(REQUEST_TIMEOUT);
    read_json(provider, open(provider, request).await?).await
}

/// Sends a POST request with a JSON body.
pub(crate) async fn post(provider: &Provider, url: &str, body: &Value) -> Result<Value, ModelError> {
    let request = provider.http_client()?.post(url).json(body).timeout(REQUEST_TIMEOUT);
    read_json(provider, open(provider, request).await?).await
}

/// Sends a request with the headers of the provider, signed if necessary; an error status is an error.
pub(crate) async fn open(
    provider: &Provider,
    request: reqwest::RequestBuilder,
) -> Result<reqwest::Response, ModelError> {
    let failed = |error: reqwest::Error| failure::from_connection_error(provider, &error, AnswerProgress::NotStarted);
    let (client, request) = request.headers(provider.header_map()?).build_split();
    let mut request = request.map_err(failed)?;
    provider.sign(&mut request)?;
    let response = client.execute(request).await.map_err(failed)?;
    if response.status().is_success() {
        return Ok(response);
    }
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = read_body(provider, response).await?;
    Err(failure::refused(provider, status, &String::from_utf8_lossy(&body), Some(&headers)))
}

/// Reads a response as JSON.
pub(crate) async fn read_json(provider: &Provider, response: reqwest::Response) -> Result<Value, ModelError> {
    let body = read_body(provider, response).await?;
    let unreadable =
        |_| failure::answer_failed(provider, "sent an answer that is not JSON", AnswerProgress::NotStarted);
    serde_json::from_slice(&body).map_err(unreadable)
}

async fn read_body(provider: &Provider, response: reqwest::Response) -> Result<Vec<u8>, ModelError> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let failed = |error| failure::from_connection_error(provider, &error, AnswerProgress::NotStarted);
        body.extend_from_slice(&chunk.map_err(failed)?);
        if body.len() > MAX_RESPONSE_BYTES {
            let problem = "sent a response that is too large";
            return Err(failure::answer_failed(provider, problem, AnswerProgress::NotStarted));
        }
    }
    Ok(body)
}

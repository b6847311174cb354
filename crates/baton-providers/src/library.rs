//! Exchange of chat requests through the client library.

use crate::{
    Provider,
    answer::FinalAnswer,
    exchange::{AnswerPiece, AnswerStream, ChatExchange},
    failure::{self, AnswerProgress},
    log_suppressor::LogSuppressor,
};
use baton_ports::ModelError;
use baton_types::Usage;
use futures_util::StreamExt;
use genai::{
    Headers, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{self, ChatStreamEvent, MessageContent},
    resolver::{AuthData, Endpoint},
};

/// A streamed answer; dropping the stream closes the connection.
pub(crate) fn stream(adapter: AdapterKind, exchange: ChatExchange) -> AnswerStream {
    Box::pin(async_stream::try_stream! {
        let provider = &exchange.provider;
        let fail = |error: genai::Error, progress| from_library_error(provider, &error, progress);
        let client = client(provider)?;
        let response = client.exec_chat_stream(target(adapter, &exchange), exchange.chat.clone(), Some(&exchange.options));
        let response = LogSuppressor::new(response).await.map_err(|error| fail(error, AnswerProgress::NotStarted))?;
        let mut stream = LogSuppressor::new(response.stream);
        let mut progress = AnswerProgress::NotStarted;
        while let Some(event) = stream.next().await {
            let piece = match event.map_err(|error| fail(error, progress))? {
                ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => continue,
                ChatStreamEvent::Chunk(chunk) => AnswerPiece::Text(chunk.content),
                ChatStreamEvent::ReasoningChunk(chunk) => AnswerPiece::Reasoning(chunk.content),
                // Tool calls are taken from the end event, where they are complete: in chunks some services send text
                // and others values.
                ChatStreamEvent::ToolCallChunk(_) | ChatStreamEvent::ThoughtSignatureChunk(_) => AnswerPiece::Partial,
                ChatStreamEvent::End(end) => AnswerPiece::End(FinalAnswer {
                    reasoning: end.captured_reasoning_content,
                    usage: end.captured_usage.as_ref().map(convert_usage),
                    stop: end.captured_stop_reason,
                    parts: end.captured_content.map(MessageContent::into_parts).unwrap_or_default(),
                }),
            };
            progress = AnswerProgress::Started;
            yield piece;
        }
    })
}

/// An answer that comes at once.
pub(crate) async fn answer(adapter: AdapterKind, exchange: ChatExchange) -> Result<FinalAnswer, ModelError> {
    let client = client(&exchange.provider)?;
    let pending = client.exec_chat(target(adapter, &exchange), exchange.chat.clone(), Some(&exchange.options));
    let fail = |error| from_library_error(&exchange.provider, &error, AnswerProgress::NotStarted);
    let answer = LogSuppressor::new(pending).await.map_err(fail)?;
    Ok(FinalAnswer {
        reasoning: answer.reasoning_content,
        usage: Some(convert_usage(&answer.usage)),
        stop: answer.stop_reason,
        parts: answer.content.into_parts(),
    })
}

fn client(provider: &Provider) -> Result<genai::Client, ModelError> {
    let client = genai::Client::builder().with_reqwest(provider.http_client()?).build();
    client.map_err(|error| from_library_error(provider, &error, AnswerProgress::NotStarted))
}

/// Address and credentials of the request; the library adds neither an address nor a key.
fn target(adapter: AdapterKind, exchange: &ChatExchange) -> ServiceTarget {
    ServiceTarget {
        endpoint: Endpoint::from_owned(exchange.url.clone()),
        auth: AuthData::RequestOverride {
            url: exchange.url.clone(),
            headers: Headers::from(exchange.provider.request_headers()),
        },
        model: ModelIden::new(adapter, exchange.model.as_str()),
    }
}

fn convert_usage(reported: &chat::Usage) -> Usage {
    let count = |tokens: Option<i32>| u64::try_from(tokens.unwrap_or_default()).unwrap_or_default();
    let read = reported.prompt_tokens_details.as_ref();
    let reasoning = count(reported.completion_tokens_details.as_ref().and_then(|it| it.reasoning_tokens));
    Usage {
        input_tokens: count(reported.prompt_tokens),
        output_tokens: count(reported.completion_tokens).max(reasoning),
        cached_tokens: count(read.and_then(|it| it.cached_tokens)),
        cache_write_tokens: count(read.and_then(|it| it.cache_creation_tokens)),
        reasoning_tokens: reasoning,
        micro_dollars: 0,
    }
}

/// Converts an error of the client library.
fn from_library_error(provider: &Provider, error: &genai::Error, progress: AnswerProgress) -> ModelError {
    use genai::Error;
    match error {
        Error::HttpError { status, body, headers, .. } => {
            failure::refused(provider, status.as_u16(), body, Some(headers))
        }
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            from_web_error(provider, webc_error, progress)
        }
        Error::WebStream { error, .. } => from_stream_error(provider, error.as_ref(), progress),
        Error::ChatResponse { body, .. } => failure::from_error_body(provider, body, progress),
        Error::StreamParse { .. } | Error::SerdeJson(_) | Error::JsonValueExt(_) => {
            failure::answer_failed(provider, "sent data that cannot be parsed", progress)
        }
        Error::ChatResponseGeneration { .. } | Error::NoChatResponse { .. } => {
            failure::answer_failed(provider, "sent an answer that cannot be parsed", progress)
        }
        other => ModelError::Configuration(provider.redact(&format!("{}: {other}", provider.name()))),
    }
}

fn from_web_error(provider: &Provider, error: &genai::webc::Error, progress: AnswerProgress) -> ModelError {
    use genai::webc::Error;
    match error {
        Error::ResponseFailedStatus { status, body, headers } => {
            failure::refused(provider, status.as_u16(), body, Some(headers))
        }
        Error::Reqwest(error) => failure::from_connection_error(provider, error, progress),
        Error::ResponseFailedNotJson { .. } | Error::ResponseFailedInvalidJson { .. } | Error::JsonValueExt(_) => {
            failure::answer_failed(provider, "sent an answer that is not JSON", progress)
        }
    }
}

/// The library wraps the actual error in a box.
fn from_stream_error(
    provider: &Provider,
    error: &(dyn std::error::Error + 'static),
    progress: AnswerProgress,
) -> ModelError {
    if let Some(error) = error.downcast_ref::<genai::Error>() {
        return from_library_error(provider, error, progress);
    }
    if let Some(error) = error.downcast_ref::<genai::webc::Error>() {
        return from_web_error(provider, error, progress);
    }
    if error.is::<genai::webc::StreamTimeout>() && progress == AnswerProgress::NotStarted {
        return failure::timed_out(provider);
    }
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return failure::from_connection_error(provider, error, progress);
    }
    failure::answer_failed(provider, &error.to_string(), progress)
}

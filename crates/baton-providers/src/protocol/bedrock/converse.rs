//! Exchange of Converse requests. The bytes that are signed are the bytes that are sent.

use super::{
    answer::{FrameEffect, StreamedAnswer, complete_answer},
    event_stream::FrameBuffer,
    request::request_body,
};
use crate::{
    answer::FinalAnswer,
    exchange::{self, AnswerPiece, AnswerStream, ChatExchange, MAX_RESPONSE_BYTES},
    failure::{self, AnswerProgress},
};
use baton_ports::ModelError;
use futures_util::StreamExt;
use http::{HeaderValue, header::CONTENT_TYPE};
use tokio::time::timeout;

/// Problem of data that cannot be decoded.
const UNREADABLE: &str = "sent data that cannot be parsed";

/// A streamed answer; dropping the stream closes the connection.
pub(super) fn stream(exchange: ChatExchange) -> AnswerStream {
    Box::pin(async_stream::try_stream! {
        let provider = &exchange.provider;
        let late = |_| failure::timed_out(provider);
        let response = timeout(provider.timeouts.first_byte, open(&exchange)).await.map_err(late)??;
        let mut chunks = response.bytes_stream();
        let (mut frames, mut answer) = (FrameBuffer::default(), StreamedAnswer::default());
        let (mut progress, mut received) = (AnswerProgress::NotStarted, 0_usize);
        'answer: loop {
            let fail = |problem| failure::answer_failed(provider, problem, progress);
            let chunk = match timeout(provider.timeouts.idle, chunks.next()).await {
                Ok(Some(chunk)) => chunk.map_err(|error| failure::from_connection_error(provider, &error, progress))?,
                Ok(None) => break,
                Err(_) if progress == AnswerProgress::NotStarted => Err(failure::timed_out(provider))?,
                Err(_) => Err(fail("did not answer in time"))?,
            };
            received = received.saturating_add(chunk.len());
            if received > MAX_RESPONSE_BYTES {
                Err(fail("sent a response that is too large"))?;
            }
            frames.push(&chunk);
            while let Some(frame) = frames.next_frame().map_err(|_| failure::answer_failed(provider, UNREADABLE, progress))? {
                if frame.is_failure {
                    let status = failure::status_of(&frame.kind).unwrap_or(500);
                    let text = String::from_utf8_lossy(&frame.payload);
                    Err(failure::from_error_text(provider, status, &text, progress))?;
                }
                let unreadable = |_| failure::answer_failed(provider, UNREADABLE, progress);
                match answer.apply(&frame).map_err(unreadable)? {
                    FrameEffect::None => {}
                    FrameEffect::Piece(piece) => {
                        progress = AnswerProgress::Started;
                        yield piece;
                    }
                    FrameEffect::End => break 'answer,
                }
            }
        }
        yield AnswerPiece::End(answer.finish());
    })
}

/// An answer that comes at once.
pub(super) async fn answer(exchange: ChatExchange) -> Result<FinalAnswer, ModelError> {
    let response = open(&exchange).await?;
    Ok(complete_answer(&exchange::read_json(&exchange.provider, response).await?))
}

async fn open(exchange: &ChatExchange) -> Result<reqwest::Response, ModelError> {
    let request = exchange.provider.http_client()?.post(&exchange.url);
    let request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    exchange::open(&exchange.provider, request.body(request_body(exchange).to_string())).await
}

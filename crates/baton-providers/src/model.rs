//! A model of a provider.

use crate::{
    Provider,
    answer::{AnswerContext, FinalAnswer},
    failure::{self, AnswerProgress},
    log_suppressor::LogSuppressor,
    relay::{SigningRelay, run_with_relay},
    request::{self, ProviderRequest},
};
use baton_ports::{Model, ModelCall, ModelError, ModelEvent, ModelInfo, ModelStream};
use futures_util::StreamExt;
use genai::chat::{ChatResponse, ChatStreamEvent, ContentPart, MessageContent};

/// One model of one provider.
#[derive(Clone, Debug)]
pub struct ProviderModel {
    provider: Provider,
    model: String,
    full_name: String,
}

impl ProviderModel {
    pub(crate) fn new(provider: Provider, model: &str) -> Self {
        let full_name = format!("{}:{model}", provider.name());
        Self { provider, model: model.to_owned(), full_name }
    }

    fn client(&self, relay: Option<&SigningRelay>) -> Result<genai::Client, ModelError> {
        let http = match relay {
            Some(relay) => self.provider.http_client_for(&relay.url)?,
            None => self.provider.http_client()?,
        };
        let client = genai::Client::builder().with_reqwest(http).build();
        client.map_err(|error| failure::from_library_error(&self.provider, &error, AnswerProgress::NotStarted))
    }

    fn answer_context<'a>(&'a self, request: &'a ProviderRequest, call: &'a ModelCall) -> AnswerContext<'a> {
        AnswerContext {
            kind: request.kind,
            model: &self.full_name,
            names: &request.names,
            message: &call.message_id,
            parallel: call.parallel_calls,
        }
    }
}

impl Model for ProviderModel {
    fn name(&self) -> &str {
        &self.full_name
    }

    fn model_info(&self) -> ModelInfo {
        let convention = self.provider.kind().convention().map(str::to_owned);
        let provider = Some(convention.unwrap_or_else(|| self.provider.name().to_owned()));
        ModelInfo { provider, ..ModelInfo::default() }
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let model = self.clone();
        if self.provider.streaming { model.call_streaming(call) } else { model.call_without_streaming(call) }
    }
}

impl ProviderModel {
    /// A streamed answer; dropping the stream closes the connection.
    fn call_streaming(self, call: ModelCall) -> ModelStream {
        Box::pin(async_stream::try_stream! {
            let mut request = request::build_request(&self.provider, &self.model, &self.full_name, &call)?;
            let mut relay = SigningRelay::for_request(&self.provider, &mut request).await?;
            let client = self.client(relay.as_ref())?;
            let fail = |error: genai::Error, progress| failure::from_library_error(&self.provider, &error, progress);
            let response =
                client.exec_chat_stream(request.target.clone(), request.chat.clone(), Some(&request.options));
            let response = LogSuppressor::new(response).await.map_err(|error| fail(error, AnswerProgress::NotStarted))?;
            let mut stream = LogSuppressor::new(response.stream);
            let mut progress = AnswerProgress::NotStarted;
            let mut ended = None;
            while let Some(event) = run_with_relay(&mut relay, stream.next()).await? {
                match event.map_err(|error| fail(error, progress))? {
                    ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
                    ChatStreamEvent::Chunk(chunk) => {
                        progress = AnswerProgress::Started;
                        yield ModelEvent::Text(chunk.content);
                    }
                    ChatStreamEvent::ReasoningChunk(chunk) => {
                        progress = AnswerProgress::Started;
                        yield ModelEvent::Reasoning(chunk.content);
                    }
                    // Tool calls are taken from the end event, where they are complete: in chunks some services send
                    // text and others values.
                    ChatStreamEvent::ToolCallChunk(_) | ChatStreamEvent::ThoughtSignatureChunk(_) => {
                        progress = AnswerProgress::Started;
                    }
                    ChatStreamEvent::End(end) => {
                        ended = Some(FinalAnswer {
                            reasoning: end.captured_reasoning_content,
                            usage: end.captured_usage,
                            stop: end.captured_stop_reason,
                            parts: end.captured_content.map(MessageContent::into_parts).unwrap_or_default(),
                        });
                        break;
                    }
                }
            }
            let ended = ended
                .filter(|ended| ended.is_complete(request.kind))
                .ok_or_else(|| {
                    failure::answer_failed(&self.provider, "ended its answer before it was complete", progress)
                })?;
            for event in ended.events(&self.answer_context(&request, &call)) {
                yield event;
            }
        })
    }

    /// An answer without streaming.
    fn call_without_streaming(self, call: ModelCall) -> ModelStream {
        Box::pin(async_stream::try_stream! {
            let mut request = request::build_request(&self.provider, &self.model, &self.full_name, &call)?;
            let mut relay = SigningRelay::for_request(&self.provider, &mut request).await?;
            let client = self.client(relay.as_ref())?;
            let pending = client.exec_chat(request.target.clone(), request.chat.clone(), Some(&request.options));
            let late = |_| failure::timed_out(&self.provider);
            let pending = run_with_relay(&mut relay, LogSuppressor::new(pending));
            let answer = tokio::time::timeout(self.provider.timeouts.first_byte, pending).await.map_err(late)?;
            let answer = answer?.map_err(|error| failure::from_library_error(&self.provider, &error, AnswerProgress::NotStarted))?;
            let ended = final_answer(answer);
            if ended.is_empty() {
                Err(failure::answer_failed(&self.provider, "sent an empty answer", AnswerProgress::NotStarted))?;
            }
            if let Some(thought) = ended.reasoning.clone().filter(|thought| !thought.is_empty()) {
                yield ModelEvent::Reasoning(thought);
            }
            let texts: Vec<String> = ended.parts.iter().filter_map(ContentPart::as_text).map(str::to_owned).collect();
            for text in texts.into_iter().filter(|text| !text.is_empty()) {
                yield ModelEvent::Text(text);
            }
            for event in ended.events(&self.answer_context(&request, &call)) {
                yield event;
            }
        })
    }
}

fn final_answer(answer: ChatResponse) -> FinalAnswer {
    FinalAnswer {
        reasoning: answer.reasoning_content,
        usage: Some(answer.usage),
        stop: answer.stop_reason,
        parts: answer.content.into_parts(),
    }
}

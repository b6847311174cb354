//! A model of a provider.

use crate::{
    Provider,
    answer::{Ended, Reading},
    failure::{self, Heard},
    quiet::Quiet,
    relay::{Relay, beside},
    request::{self, Request},
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

    fn client(&self, relay: Option<&Relay>) -> Result<genai::Client, ModelError> {
        let http = match relay {
            Some(relay) => self.provider.http_to(&relay.url)?,
            None => self.provider.http()?,
        };
        let client = genai::Client::builder().with_reqwest(http).build();
        client.map_err(|error| failure::of(&self.provider, &error, Heard::Nothing))
    }

    fn reading<'a>(&'a self, request: &'a Request, call: &'a ModelCall) -> Reading<'a> {
        Reading {
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
        let known = self.provider.kind().convention().map(str::to_owned);
        let provider = Some(known.unwrap_or_else(|| self.provider.name().to_owned()));
        ModelInfo { provider, ..ModelInfo::default() }
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let model = self.clone();
        if self.provider.streaming { model.streamed(call) } else { model.at_once(call) }
    }
}

impl ProviderModel {
    /// A streamed answer; dropping the stream closes the connection.
    fn streamed(self, call: ModelCall) -> ModelStream {
        Box::pin(async_stream::try_stream! {
            let mut request = request::make(&self.provider, &self.model, &self.full_name, &call)?;
            let mut relay = Relay::before(&self.provider, &mut request).await?;
            let client = self.client(relay.as_ref())?;
            let fail = |error: genai::Error, heard| failure::of(&self.provider, &error, heard);
            let begun = client.exec_chat_stream(request.target.clone(), request.chat.clone(), Some(&request.options));
            let begun = Quiet::new(begun).await.map_err(|error| fail(error, Heard::Nothing))?;
            let mut stream = Quiet::new(begun.stream);
            let mut heard = Heard::Nothing;
            let mut ended = None;
            while let Some(event) = beside(&mut relay, stream.next()).await? {
                match event.map_err(|error| fail(error, heard))? {
                    ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
                    ChatStreamEvent::Chunk(chunk) => {
                        heard = Heard::Something;
                        yield ModelEvent::Text(chunk.content);
                    }
                    ChatStreamEvent::ReasoningChunk(chunk) => {
                        heard = Heard::Something;
                        yield ModelEvent::Reasoning(chunk.content);
                    }
                    // Tool calls are taken from the end event, where they are complete: in chunks some services send
                    // text and others values.
                    ChatStreamEvent::ToolCallChunk(_) | ChatStreamEvent::ThoughtSignatureChunk(_) => {
                        heard = Heard::Something;
                    }
                    ChatStreamEvent::End(end) => {
                        ended = Some(Ended {
                            thought: end.captured_reasoning_content,
                            usage: end.captured_usage,
                            stop: end.captured_stop_reason,
                            parts: end.captured_content.map(MessageContent::into_parts).unwrap_or_default(),
                        });
                        break;
                    }
                }
            }
            let ended = ended
                .filter(|ended| ended.is_whole(request.kind))
                .ok_or_else(|| failure::broken(&self.provider, "ended its answer before it was complete", heard))?;
            for event in ended.events(&self.reading(&request, &call)) {
                yield event;
            }
        })
    }

    /// An answer without streaming.
    fn at_once(self, call: ModelCall) -> ModelStream {
        Box::pin(async_stream::try_stream! {
            let mut request = request::make(&self.provider, &self.model, &self.full_name, &call)?;
            let mut relay = Relay::before(&self.provider, &mut request).await?;
            let client = self.client(relay.as_ref())?;
            let asked = client.exec_chat(request.target.clone(), request.chat.clone(), Some(&request.options));
            let late = |_| failure::late(&self.provider);
            let asked = beside(&mut relay, Quiet::new(asked));
            let answer = tokio::time::timeout(self.provider.patience.first, asked).await.map_err(late)?;
            let answer = answer?.map_err(|error| failure::of(&self.provider, &error, Heard::Nothing))?;
            let ended = whole(answer);
            if ended.is_nothing() {
                Err(failure::broken(&self.provider, "sent an empty answer", Heard::Nothing))?;
            }
            if let Some(thought) = ended.thought.clone().filter(|thought| !thought.is_empty()) {
                yield ModelEvent::Reasoning(thought);
            }
            let texts: Vec<String> = ended.parts.iter().filter_map(ContentPart::as_text).map(str::to_owned).collect();
            for text in texts.into_iter().filter(|text| !text.is_empty()) {
                yield ModelEvent::Text(text);
            }
            for event in ended.events(&self.reading(&request, &call)) {
                yield event;
            }
        })
    }
}

fn whole(answer: ChatResponse) -> Ended {
    Ended {
        thought: answer.reasoning_content,
        usage: Some(answer.usage),
        stop: answer.stop_reason,
        parts: answer.content.into_parts(),
    }
}

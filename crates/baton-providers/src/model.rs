//! A model of a provider.

use crate::{
    Provider,
    answer::AnswerContext,
    exchange::AnswerPiece,
    failure::{self, AnswerProgress},
    names::WireToolNames,
    protocol::ProviderProtocol,
    request::{self, ProviderRequest},
};
use baton_ports::{Model, ModelCall, ModelError, ModelEvent, ModelInfo, ModelStream};
use futures_util::StreamExt;
use genai::chat::ContentPart;

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

    fn request(&self, call: &ModelCall) -> Result<ProviderRequest, ModelError> {
        request::build_request(&self.provider, &self.model, &self.full_name, call)
    }

    fn answer_context<'a>(
        &'a self,
        protocol: &'static dyn ProviderProtocol,
        names: &'a WireToolNames,
        call: &'a ModelCall,
    ) -> AnswerContext<'a> {
        AnswerContext {
            protocol,
            model: &self.full_name,
            names,
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
        let convention = self.provider.kind().rules().convention.map(str::to_owned);
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
            let ProviderRequest { exchange, names, protocol } = self.request(&call)?;
            let mut pieces = protocol.stream(exchange);
            let mut progress = AnswerProgress::NotStarted;
            let mut ended = None;
            while let Some(piece) = pieces.next().await {
                match piece? {
                    AnswerPiece::End(answer) => {
                        ended = Some(answer);
                        break;
                    }
                    AnswerPiece::Text(text) => yield ModelEvent::Text(text),
                    AnswerPiece::Reasoning(text) => yield ModelEvent::Reasoning(text),
                    AnswerPiece::Partial => {}
                }
                progress = AnswerProgress::Started;
            }
            let ended = ended.filter(|ended| protocol.is_complete(ended)).ok_or_else(|| {
                failure::answer_failed(&self.provider, "ended its answer before it was complete", progress)
            })?;
            for event in ended.events(&self.answer_context(protocol, &names, &call)) {
                yield event;
            }
        })
    }

    /// An answer without streaming.
    fn call_without_streaming(self, call: ModelCall) -> ModelStream {
        Box::pin(async_stream::try_stream! {
            let ProviderRequest { exchange, names, protocol } = self.request(&call)?;
            let late = |_| failure::timed_out(&self.provider);
            let pending = tokio::time::timeout(self.provider.timeouts.first_byte, protocol.answer(exchange));
            let ended = pending.await.map_err(late)??;
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
            for event in ended.events(&self.answer_context(protocol, &names, &call)) {
                yield event;
            }
        })
    }
}

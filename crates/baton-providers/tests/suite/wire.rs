//! Features of every provider, with and without streaming.

use crate::{
    aimock::Aimock,
    calls::{KEY, answered, collect_output, provider, signed, user, weather},
};
use baton_ports::{ChatFile, ChatFileContent, ChatMessage, FinishReason, Model, ModelError, RetryAdvice};
use baton_providers::{Provider, Secret};
use baton_types::{ProviderKind, Usage};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// A name without a meaning in any service's naming rules.
fn model_name(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Compatible => "o3-max",
        ProviderKind::OpenAiResponses => "gpt-5-mini",
        ProviderKind::Anthropic => "claude-sonnet-4-5",
        ProviderKind::Gemini => "gemini-2.5-flash",
        ProviderKind::Bedrock => "anthropic.claude-sonnet-4-5-20250929-v1:0",
        ProviderKind::Ollama => "qwen3:8b",
    }
}

/// How a response is delivered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResponseMode {
    Streamed,
    Complete,
}

/// Credentials of the requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    One,
    Pair,
}

struct Bench {
    server: Aimock,
    kind: ProviderKind,
    way: ResponseMode,
    keys: KeyKind,
}

impl Bench {
    fn provider(&self) -> Provider {
        let base = self.server.base(self.kind);
        let provider = if self.keys == KeyKind::Pair { signed(&base) } else { provider(self.kind, &base) };
        if self.way == ResponseMode::Complete { provider.without_streaming() } else { provider }
    }

    fn model(&self) -> Arc<dyn Model> {
        self.provider().model(model_name(self.kind))
    }
}

async fn check_provider(kind: ProviderKind, way: ResponseMode) {
    check_features(&Bench { server: Aimock::start().await, kind, way, keys: KeyKind::One }).await;
}

async fn check_features(bench: &Bench) {
    text_and_usage(bench).await;
    one_call_and_its_result(bench).await;
    two_calls_at_once(bench).await;
    thoughts(bench).await;
    pictures(bench).await;
    refusals(bench).await;
    broken_answers(bench).await;
}

async fn text_and_usage(bench: &Bench) {
    let model = bench.model();
    assert_eq!(model.name(), format!("mine:{}", model_name(bench.kind)));
    let heard = collect_output(model.as_ref(), user("say hello")).await;
    assert_eq!(heard.error, None);
    assert_eq!((heard.text.as_str(), heard.finish), ("Hello from afar, in several pieces.", Some(FinishReason::Stop)));
    assert_eq!(heard.pieces > 1, bench.way == ResponseMode::Streamed, "{} pieces", heard.pieces);
    // aimock's Ollama reports no usage; a scripted server does.
    if bench.kind != ProviderKind::Ollama {
        assert_eq!(heard.usage, Usage::new(11, 5));
    }
}

async fn one_call_and_its_result(bench: &Bench) {
    let mut call = user("weather in Oakland");
    call.tools = vec![weather()];
    let heard = collect_output(bench.model().as_ref(), call.clone()).await;
    assert_eq!((&heard.error, heard.finish), (&None, Some(FinishReason::ToolCalls)));
    let [made] = heard.calls.as_slice() else { panic!("{heard:?}") };
    assert_eq!((made.name.as_str(), made.arguments.as_str()), ("get_weather", r#"{"city":"Oakland"}"#));
    assert!(made.id.to_string().starts_with("call_"), "{}", made.id);
    let heard = collect_output(bench.model().as_ref(), answered(call, &heard, r#""sunny""#)).await;
    assert_eq!((heard.error, heard.text.as_str()), (None, "It is sunny there."));
}

async fn two_calls_at_once(bench: &Bench) {
    let mut call = user("weather in Paris and Rome");
    call.tools = vec![weather()];
    let heard = collect_output(bench.model().as_ref(), call.clone()).await;
    let cities: Vec<&str> = heard.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(cities, [r#"{"city":"Paris"}"#, r#"{"city":"Rome"}"#]);
    let ids: BTreeSet<String> = heard.calls.iter().map(|call| call.id.to_string()).collect();
    assert_eq!(ids.len(), 2);
    let second = collect_output(bench.model().as_ref(), answered(call.clone(), &heard, r#"{"sky":"clear"}"#)).await;
    assert_eq!((second.error, second.text.as_str()), (None, "Rain and sun."));
    // If one call at a time is requested, only one is delivered, even if the service sends two.
    call.parallel_calls = false;
    assert_eq!(collect_output(bench.model().as_ref(), call).await.calls.len(), 1);
}

async fn thoughts(bench: &Bench) {
    let heard = collect_output(bench.model().as_ref(), user("think first")).await;
    assert_eq!((heard.error, heard.text.as_str()), (None, "42"));
    assert_eq!(heard.thought, "Six times seven.");
    let reasoned = heard.reasoned.expect("reasoning");
    assert_eq!((reasoned.model, reasoned.text.as_str()), (bench.model().name().to_owned(), "Six times seven."));
}

async fn pictures(bench: &Bench) {
    let mut call = user("what is in the picture");
    if let Some(ChatMessage::User { files, .. }) = call.messages.first_mut() {
        let content = ChatFileContent::Bytes(PICTURE.into());
        files.push(ChatFile { name: Some("dot.png".to_owned()), media_type: "image/png".to_owned(), content });
    }
    let heard = collect_output(bench.model().as_ref(), call).await;
    assert_eq!((heard.error, heard.text.as_str()), (None, "One red dot."));
}

const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

async fn refusals(bench: &Bench) {
    let heard = collect_output(bench.model().as_ref(), user("ask too often")).await;
    let Some(ModelError::Refused { status, message, advice }) = heard.error else { panic!("{heard:?}") };
    assert_eq!((status, advice.wait), (429, Some(Duration::from_secs(7))));
    assert!(message.contains("slow down") && message.starts_with("mine: "), "{message}");
    if bench.keys == KeyKind::Pair {
        return;
    }
    let wrong = bench.provider().with_key(Secret::new("sk-wrong-key-999"), "MY_KEY").model(model_name(bench.kind));
    let heard = collect_output(wrong.as_ref(), user("say hello")).await;
    let Some(ModelError::Refused { status: 401, message, advice: RetryAdvice { wait: None, .. } }) = heard.error else {
        panic!("{heard:?}")
    };
    assert!(message.contains("MY_KEY") && message.contains("mine"), "{message}");
    assert!(!message.contains("sk-wrong-key-999") && !message.contains(KEY), "{message}");
}

async fn broken_answers(bench: &Bench) {
    let heard = collect_output(bench.model().as_ref(), user("talk nonsense")).await;
    assert!(matches!(heard.error, Some(ModelError::Unreachable(_))), "{heard:?}");
    if bench.way == ResponseMode::Streamed {
        let heard = collect_output(bench.model().as_ref(), user("be cut off")).await;
        assert!(heard.text.starts_with("This"), "{heard:?}");
        assert!(matches!(heard.error, Some(ModelError::Interrupted(_))), "{heard:?}");
    }
}

macro_rules! every_provider {
    ($($name:ident: $kind:ident, $way:ident;)*) => {
        $(#[tokio::test]
        async fn $name() {
            check_provider(ProviderKind::$kind, ResponseMode::$way).await;
        })*
    };
}

every_provider! {
    openai_streams: OpenAi, Streamed;
    openai_answers_at_once: OpenAi, Complete;
    responses_stream: OpenAiResponses, Streamed;
    responses_come_at_once: OpenAiResponses, Complete;
    anthropic_streams: Anthropic, Streamed;
    anthropic_answers_at_once: Anthropic, Complete;
    gemini_streams: Gemini, Streamed;
    gemini_answers_at_once: Gemini, Complete;
    bedrock_streams: Bedrock, Streamed;
    bedrock_answers_at_once: Bedrock, Complete;
    ollama_streams: Ollama, Streamed;
    ollama_answers_at_once: Ollama, Complete;
    compatible_streams: Compatible, Streamed;
    compatible_answers_at_once: Compatible, Complete;
}

#[tokio::test]
async fn bedrock_with_a_key_pair_supports_all_features() {
    for way in [ResponseMode::Streamed, ResponseMode::Complete] {
        check_features(&Bench { server: Aimock::open().await, kind: ProviderKind::Bedrock, way, keys: KeyKind::Pair })
            .await;
    }
}

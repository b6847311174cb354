//! Model calls and collected model output.

use baton_ports::{ChatMessage, Model, ModelCall, ModelError, ModelEvent, OutputFormat, ToolChoice};
use baton_providers::{KeyPair, Provider, Secret};
use baton_types::{
    Clock, Effects, Json, ModelNote, Permission, ProviderKind, Timestamp, ToolCall, ToolRunner, ToolSpec, Usage,
};
use futures_util::StreamExt;
use std::sync::Arc;

pub(crate) const KEY: &str = "sk-planted-key-1234567890";
/// Access key, secret key and session token.
pub(crate) const PAIR: [&str; 3] =
    ["AKIAPLANTED1234567890", "planted/secret+key/0987654321", "planted/token+1357924680=="];

pub(crate) fn user(text: &str) -> ModelCall {
    ModelCall {
        agent: "tester".into(),
        system: "You are a test.".to_owned(),
        messages: vec![ChatMessage::User { id: "user-1".into(), text: text.to_owned(), files: Vec::new() }],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        format: OutputFormat::Text,
        writing: Default::default(),
        parallel_calls: true,
        turn: 1,
        attempt: 1,
        message_id: "m1".into(),
        metadata: None,
    }
}

pub(crate) fn weather() -> ToolSpec {
    tool("get_weather")
}

pub(crate) fn tool(name: &str) -> ToolSpec {
    let parameters = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#;
    ToolSpec {
        name: name.to_owned(),
        description: "Says the weather.".to_owned(),
        parameters: Json::parse(parameters).expect("JSON"),
        effects: Effects::default(),
        runner: ToolRunner::BuiltIn,
        output: None,
        permission: Permission::default(),
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

/// The call of the next turn, with one result for each call of the last one.
pub(crate) fn answered(mut call: ModelCall, heard: &ModelOutput, output: &str) -> ModelCall {
    call.messages.push(ChatMessage::Assistant {
        text: heard.text.clone(),
        calls: heard.calls.clone(),
        reasoning: heard.reasoned.clone(),
    });
    for made in &heard.calls {
        call.messages.push(ChatMessage::Tool {
            call: made.id.clone(),
            name: made.name.clone(),
            output: Json::parse(output).expect("JSON"),
            is_error: false,
            answer_message: None,
        });
    }
    call
}

/// The collected events of one response.
#[derive(Debug, Default)]
pub(crate) struct ModelOutput {
    pub(crate) text: String,
    pub(crate) pieces: usize,
    pub(crate) thought: String,
    pub(crate) reasoned: Option<baton_types::ReasoningBlock>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) usage: Usage,
    pub(crate) finish: Option<baton_ports::FinishReason>,
    pub(crate) error: Option<ModelError>,
}

pub(crate) async fn collect_output(model: &dyn Model, call: ModelCall) -> ModelOutput {
    let (heard, notes) = collect_output_with_notes(model, call).await;
    assert!(notes.is_empty(), "an adapter emits no notes: {notes:?}");
    heard
}

/// The same for a model with layers around it, which emit notes.
pub(crate) async fn collect_output_with_notes(model: &dyn Model, call: ModelCall) -> (ModelOutput, Vec<ModelNote>) {
    let (mut heard, mut notes) = (ModelOutput::default(), Vec::new());
    let mut stream = model.call(call);
    while let Some(event) = stream.next().await {
        assert!(heard.finish.is_none() && heard.error.is_none(), "event after the end: {event:?}");
        match event {
            Ok(ModelEvent::Text(text)) => {
                heard.pieces += 1;
                heard.text.push_str(&text);
            }
            Ok(ModelEvent::Reasoning(text)) => heard.thought.push_str(&text),
            Ok(ModelEvent::ReasoningComplete(reasoning)) => heard.reasoned = Some(reasoning),
            Ok(ModelEvent::ToolCall(call)) => heard.calls.push(call),
            Ok(ModelEvent::Note(note)) => notes.push(note),
            Ok(ModelEvent::Done { usage, finish, .. }) => {
                heard.usage = usage;
                heard.finish = Some(finish);
            }
            Err(error) => heard.error = Some(error),
        }
    }
    (heard, notes)
}

/// A provider at an address, with the key that tests search for.
pub(crate) fn provider(kind: ProviderKind, url: &str) -> Provider {
    Provider::new(kind, "mine").with_base_url(url).with_key(Secret::new(KEY), "MY_KEY")
}

/// 2027-01-15, 08:00 UTC.
pub(crate) struct MorningClock;

impl Clock for MorningClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }
}

/// Bedrock at an address, with signed requests.
pub(crate) fn signed(url: &str) -> Provider {
    let [id, secret, token] = PAIR.map(Secret::new);
    let pair = KeyPair::new(id, secret).with_token(token);
    let provider = Provider::new(ProviderKind::Bedrock, "mine").with_base_url(url).with_region("eu-central-1");
    provider.with_key_pair(pair, "MY_ID and MY_SECRET", Arc::new(MorningClock))
}

//! Model calls and expected model output.

use baton_models::Playbook;
use baton_ports::{ChatMessage, FinishReason, Model, ModelCall, ModelError, ModelEvent, OutputFormat, ToolChoice};
use baton_types::{CallId, CommandTool, Effects, Json, ToolCall, ToolRunner, ToolSpec};
use futures_util::StreamExt;
use std::time::Duration;

/// A call with one user message.
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

/// The same call after a round of tools: name, arguments, output.
pub(crate) fn after(mut call: ModelCall, round: &[(&str, &str, &str)]) -> ModelCall {
    let id = |index: usize| CallId::from(format!("c{index}"));
    let calls = round.iter().enumerate().map(|(index, (name, arguments, _))| ToolCall {
        id: id(index),
        name: (*name).to_owned(),
        arguments: Json::parse(arguments).unwrap(),
    });
    call.messages.push(ChatMessage::Assistant { text: String::new(), calls: calls.collect(), reasoning: None });
    for (index, (name, _, output)) in round.iter().enumerate() {
        call.messages.push(ChatMessage::Tool {
            call: id(index),
            name: (*name).to_owned(),
            output: Json::parse(output).unwrap(),
            is_error: output.contains("failed"),
            answer_message: None,
        });
    }
    call
}

/// The same call after a question of the agent and an answer with this message id.
pub(crate) fn answered(call: ModelCall, id: &str, text: &str) -> ModelCall {
    let mut call = after(call, &[("ask_user", r#"{"question":"?"}"#, Json::string(text).as_str())]);
    if let Some(ChatMessage::Tool { answer_message: said, .. }) = call.messages.last_mut() {
        *said = Some(id.into());
    }
    call
}

pub(crate) fn tool(name: &str, parameters: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: Json::parse(parameters).unwrap(),
        effects: Effects::ReadOnly,
        runner: ToolRunner::Command(CommandTool {
            argv: vec!["true".to_owned()],
            directory: "/".to_owned(),
            timeout: Duration::from_secs(1),
            max_output: 1,
        }),
        output: None,
        permission: baton_types::Permission::Allow,
        rules: Vec::new(),
        include: Default::default(),
        sequential: false,
    }
}

pub(crate) fn with_tools(mut call: ModelCall, tools: &[ToolSpec]) -> ModelCall {
    call.tools = tools.to_vec();
    call
}

pub(crate) async fn events(rules: &str, call: ModelCall) -> Vec<Result<ModelEvent, ModelError>> {
    let rules = Some(rules).filter(|rules| !rules.is_empty());
    Playbook::new(rules).unwrap().call(call).collect().await
}

/// One line per event; usage is omitted unless a test checks it.
pub(crate) fn shown(events: &[Result<ModelEvent, ModelError>]) -> String {
    let lines = events.iter().map(|event| match event {
        Ok(ModelEvent::Text(text)) => format!("say {text}"),
        Ok(ModelEvent::Reasoning(text)) => format!("think {text}"),
        Ok(ModelEvent::ReasoningComplete(reasoning)) => format!("thought {}", reasoning.text),
        Ok(ModelEvent::Note(note)) => format!("note {note:?}"),
        Ok(ModelEvent::ToolCall(call)) => format!("call {} {} {}", call.id, call.name, call.arguments.as_str()),
        Ok(ModelEvent::Done { finish: FinishReason::Stop, .. }) => "done".to_owned(),
        Ok(ModelEvent::Done { finish, .. }) => format!("done {finish:?}"),
        Err(error) => format!("error {error:?}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Asserts the response of a playbook.
pub(crate) async fn check(rules: &str, call: ModelCall, expect: &str) {
    let answer = shown(&events(rules, call).await);
    assert_eq!(answer, expect, "\nplaybook:\n{rules}");
}

//! `POST /v1/responses/compact`: replaces a conversation by one summary item.

use super::{
    error::{from_engine, from_session},
    references,
    request::{ResponsesRequest, handle_request, json},
    turn,
};
use crate::app::HttpState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_engine::SendCommand;
use baton_responses::{
    CompactRequest, CompactionObject, HistoryEntry as Said, OpenAiError, OutputItem, ResponseUsage, seal_compaction,
};
use baton_types::{AgentSpec, CallerToolChoice, Message, Part, Role, RunOptions, TaskState, ToolExecution, Usage};
use std::sync::Arc;

/// Prompt for the summary.
const SUMMARY_PROMPT: &str = "Summarise the conversation so far for whoever goes on with it: what was asked, decided, found out and \
                     promised, with names and numbers. Answer with the summary and nothing else.";

/// Compacts a conversation.
pub(crate) async fn compact(State(shared): State<Arc<HttpState>>, request: Request) -> Reply {
    handle_request(shared, request, |asked, mut body| async move {
        let named = references::resolve_references(&asked, &body.bytes, &mut body.share).await?;
        let wanted =
            CompactRequest::parse(named.as_deref().unwrap_or(&body.bytes), &mut || asked.shared.engine.fresh_id())?;
        let spec = asked.agent(Some(&wanted.model))?;
        let said = full_history(&asked, &wanted).await?;
        let (summary, usage) = summarize(&asked, &spec, &wanted, said.clone()).await?;
        let engine = &asked.shared.engine;
        let message = Message::new(engine.fresh_id().into(), Role::User, vec![Part::text(summary)]);
        let item = OutputItem::Compaction {
            id: format!("cmp_{}", engine.fresh_id()),
            encrypted_content: seal_compaction(&[message]),
        };
        let created = engine.now().as_millis().div_euclid(1000);
        let id = format!("resp_{}", engine.fresh_id());
        json(&CompactionObject::new(id, created, vec![item], ResponseUsage::from(usage)))
    })
    .await
}

/// All messages of the conversation.
async fn full_history(asked: &ResponsesRequest, wanted: &CompactRequest) -> Result<Vec<Message>, OpenAiError> {
    let mut said = Vec::new();
    if let Some(previous) = &wanted.previous {
        let turn = turn::find(asked, previous).await?;
        let until = turn.end.unwrap_or(turn.view.version);
        let entries =
            asked.shared.engine.history_until(asked.principal(), &turn.view, until).await.map_err(from_session)?;
        said.extend(entries.into_iter().map(|entry| entry.message));
    }
    for entry in &wanted.input.history {
        match entry {
            Said::Message(message) => said.push(message.clone()),
            Said::Reference { id, param } => {
                let message = format!("there is no item '{id}' here; send the item itself");
                return Err(OpenAiError::invalid("item_not_found", param, message));
            }
        }
    }
    said.extend(wanted.input.current.message.clone());
    Ok(said)
}

/// Summarizes with the agent's model, in a conversation that is deleted afterwards.
async fn summarize(
    asked: &ResponsesRequest,
    spec: &AgentSpec,
    wanted: &CompactRequest,
    said: Vec<Message>,
) -> Result<(String, Usage), OpenAiError> {
    let engine = &asked.shared.engine;
    let lines: Vec<String> = said.iter().map(line).collect();
    let words = format!("{SUMMARY_PROMPT}\n\n{}", lines.join("\n"));
    let message = Message::new(engine.fresh_id().into(), Role::User, vec![Part::text(words)]);
    let mut command = SendCommand::new(spec.name.clone(), message);
    command.tool_execution = Some(ToolExecution::Agent);
    let instructions = wanted.instructions.clone();
    command.run_options =
        Some(Box::new(RunOptions { instructions, tool_choice: CallerToolChoice::None, ..RunOptions::default() }));
    let view = engine.send_and_settle(asked.principal(), command).await.map_err(from_engine)?;
    let task = baton_engine::TaskRef { task: view.id.clone(), agent: None };
    let (_, events) = engine.task_with_events(asked.principal(), &task).await.map_err(from_engine)?;
    let usage = turn::task_events(&events).fold(Usage::default(), |usage, (.., event)| match event {
        baton_types::TaskEvent::Answered { usage: more, .. } => usage.plus(*more),
        _ => usage,
    });
    super::create::delete_task_session(asked, &view).await;
    match (view.state, &view.status_message) {
        (TaskState::Completed, Some(answer)) => Ok((answer.text(), usage)),
        (_, said) => {
            let why = said.as_ref().map(Message::text).unwrap_or_default();
            let message = format!("the conversation could not be summarised: {why}");
            Err(OpenAiError {
                status: 500,
                kind: "model_error",
                code: Some("provider_error".to_owned()),
                param: None,
                message,
            })
        }
    }
}

fn line(message: &Message) -> String {
    let who = match message.role {
        Role::User => "user",
        Role::Agent => "assistant",
    };
    format!("{who}: {}", message.text())
}

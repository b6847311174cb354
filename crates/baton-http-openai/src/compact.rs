//! `POST /v1/responses/compact`: replaces a conversation by one summary item.

use super::{
    error::{from_engine, from_session},
    references,
    request::{ResponsesRequest, handle_request, json},
    turn,
};
use crate::state::OpenAiState;
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
const SUMMARY_PROMPT: &str = "Summarise the conversation so far for the assistant that continues it: what was asked, decided, found and \
                     promised, with names and numbers. Answer with the summary and nothing else.";

/// Compacts a conversation.
pub(crate) async fn compact(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, mut body| async move {
        let named = references::resolve_references(&request, &body.bytes, &mut body.share).await?;
        let compaction =
            CompactRequest::parse(named.as_deref().unwrap_or(&body.bytes), &mut || request.shared.engine.fresh_id())?;
        let spec = request.agent(Some(&compaction.model))?;
        let messages = full_history(&request, &compaction).await?;
        let (summary, usage) = summarize(&request, &spec, &compaction, messages.clone()).await?;
        let engine = &request.shared.engine;
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
async fn full_history(request: &ResponsesRequest, compaction: &CompactRequest) -> Result<Vec<Message>, OpenAiError> {
    let mut messages = Vec::new();
    if let Some(previous) = &compaction.previous {
        let turn = turn::find(request, previous).await?;
        let until = turn.end.unwrap_or(turn.view.version);
        let entries =
            request.shared.engine.history_until(request.principal(), &turn.view, until).await.map_err(from_session)?;
        messages.extend(entries.into_iter().map(|entry| entry.message));
    }
    for entry in &compaction.input.history {
        match entry {
            Said::Message(message) => messages.push(message.clone()),
            Said::Reference { id, param } => {
                let message = format!("there is no item '{id}' here; send the item itself");
                return Err(OpenAiError::invalid("item_not_found", param, message));
            }
        }
    }
    messages.extend(compaction.input.current.message.clone());
    Ok(messages)
}

/// Summarizes with the agent's model, in a conversation that is deleted afterwards.
async fn summarize(
    request: &ResponsesRequest,
    spec: &AgentSpec,
    compaction: &CompactRequest,
    messages: Vec<Message>,
) -> Result<(String, Usage), OpenAiError> {
    let engine = &request.shared.engine;
    let lines: Vec<String> = messages.iter().map(line).collect();
    let text = format!("{SUMMARY_PROMPT}\n\n{}", lines.join("\n"));
    let message = Message::new(engine.fresh_id().into(), Role::User, vec![Part::text(text)]);
    let mut command = SendCommand::new(spec.name.clone(), message);
    command.tool_execution = Some(ToolExecution::Agent);
    let instructions = compaction.instructions.clone();
    command.run_options =
        Some(Box::new(RunOptions { instructions, tool_choice: CallerToolChoice::None, ..RunOptions::default() }));
    let view = engine.send_and_settle(request.principal(), command).await.map_err(from_engine)?;
    let task = baton_engine::TaskRef { task: view.id.clone(), agent: None };
    let (_, events) = engine.task_with_events(request.principal(), &task).await.map_err(from_engine)?;
    let usage = turn::task_events(&events).fold(Usage::default(), |usage, (.., event)| match event {
        baton_types::TaskEvent::Answered { usage: more, .. } => usage.plus(*more),
        _ => usage,
    });
    super::create::delete_task_session(request, &view).await;
    match (view.state, &view.status_message) {
        (TaskState::Completed, Some(answer)) => Ok((answer.text(), usage)),
        (_, answer) => {
            let reason = answer.as_ref().map(Message::text).unwrap_or_default();
            let message = format!("the conversation could not be summarised: {reason}");
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
    let role = match message.role {
        Role::User => "user",
        Role::Agent => "assistant",
    };
    format!("{role}: {}", message.text())
}

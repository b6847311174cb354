//! `POST /v1/responses`.

use super::{
    caller_servers, conversations,
    error::{from_engine, no_response},
    failed_reply::failed_reply,
    prior_context::TurnCommand,
    references,
    request::{ResponsesRequest, handle_request, json},
    stream::{self, ReplyDialect},
    turn::{ResponseTurn, first_turn_after, project},
};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_engine::{SendCommand, SessionRef, TaskRef, UnfinishedPolicy};
use baton_responses::{CreateResponse, OpenAiError, Response, ResponseId, ResponseProjector, ResponseStatus};
use baton_types::{TaskId, TaskView};
use std::sync::Arc;

/// Creates a response.
pub(crate) async fn create(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, mut body| async move {
        let named = references::resolve_references(&request, &body.bytes, &mut body.share).await?;
        let create =
            CreateResponse::parse(named.as_deref().unwrap_or(&body.bytes), &mut || request.shared.engine.fresh_id())?;
        let begun = PreparedRequest::read(&request, create, Some(&body.bytes)).await?;
        begun.answer(&request, ReplyDialect::Responses).await
    })
    .await
}

/// A validated request whose command is ready to be sent.
pub(super) struct PreparedRequest {
    pub(super) turn_command: TurnCommand,
    stream: bool,
    background: bool,
    store: bool,
}

impl PreparedRequest {
    /// Resolves the agent and the conversation of the request.
    pub(super) async fn read(
        request: &ResponsesRequest,
        mut create: CreateResponse,
        body: Option<&[u8]>,
    ) -> Result<Self, OpenAiError> {
        let spec = request.agent(create.model.as_deref())?;
        caller_servers::admit(request, &spec, &mut create).await?;
        let (stream, background, store) = (create.stream, create.background, create.store);
        if background && !store {
            let message = "background needs store; leave store out or set it to true";
            return Err(OpenAiError::invalid("unsupported_parameter", "background", message));
        }
        let mut placed = TurnCommand::read(request, &spec, create).await?;
        if let Some(body) = body {
            placed.command.idempotency = request.idempotency(body)?;
        }
        Ok(Self { turn_command: placed, stream, background, store })
    }

    /// Sends the command and answers in the requested dialect.
    pub(super) async fn answer(self, request: &ResponsesRequest, form: ReplyDialect) -> Result<Reply, OpenAiError> {
        let Self { turn_command: placed, stream, background, store } = self;
        let TurnCommand { command, after, continuation: joined, owns_context: alone } = placed;
        let forget = !store && alone;
        if background {
            let sent = send_command(request, command).await?;
            let turn = load_turn(request, &sent, after).await?;
            conversations::record_response(request, joined, &turn.id).await?;
            return if stream { stream::resume_stream(request, turn, None).await } else { json(&queued(&turn)) };
        }
        if stream {
            return stream::stream_live(request, command, after, joined, forget, form).await;
        }
        outcome(&stream::await_turn(request, command, after, joined, forget).await?, form)
    }
}

async fn send_command(request: &ResponsesRequest, command: SendCommand) -> Result<Arc<TaskView>, OpenAiError> {
    let sent = request.shared.engine.send(request.principal(), command).await.map_err(from_engine)?;
    Ok(sent.task)
}

/// Turn that a message has started.
pub(super) async fn load_turn(
    request: &ResponsesRequest,
    view: &TaskView,
    after: u64,
) -> Result<ResponseTurn, OpenAiError> {
    let task = TaskRef { task: view.id.clone(), agent: None };
    let (view, events) =
        request.shared.engine.task_with_events(request.principal(), &task).await.map_err(from_engine)?;
    let id = response_id_at(&view.id, first_turn_after(&events, after));
    let name = id.to_string();
    project(id, view, &events).ok_or_else(|| no_response(&name))
}

/// Id of the turn that began with an event.
pub(super) fn response_id_at(task: &TaskId, at: Option<u64>) -> ResponseId {
    match at {
        Some(at) => ResponseId { task: task.clone(), event_number: at },
        None => ResponseId::first(task.clone()),
    }
}

/// Deletes the session of a response that is not stored.
pub(super) async fn delete_task_session(request: &ResponsesRequest, view: &TaskView) {
    let session = SessionRef { context: view.context.clone(), agent: Some(view.agent.clone()) };
    let deletion = request.shared.engine.delete_session(request.principal(), &session, UnfinishedPolicy::Cancel).await;
    if let Err(error) = deletion {
        tracing::warn!(task = %view.id, %error, "could not delete an unstored response");
    }
}

/// Acknowledgement of a background response.
fn queued(turn: &ResponseTurn) -> Response {
    let mut response = turn.projector.response().clone();
    if response.status == ResponseStatus::InProgress {
        response.status = ResponseStatus::Queued;
    }
    response
}

/// Reply to a waiting client: the response, or the error that the run ended with.
fn outcome(projector: &ResponseProjector, form: ReplyDialect) -> Result<Reply, OpenAiError> {
    match failed_reply(projector) {
        Some(reply) => Ok(reply),
        None => form.complete_reply(projector.response()),
    }
}

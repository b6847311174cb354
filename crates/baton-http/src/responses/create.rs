//! `POST /v1/responses`.

use super::{
    asked::{Asked, answered, json},
    conversations,
    failed_reply::failed_reply,
    guests,
    place::Placed,
    references,
    refused::{from_engine, no_response},
    stream::{self, Form},
    turn::{Turn, begun_after, project},
};
use crate::app::Shared;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_engine::{SendCommand, SessionRef, TaskRef, Unfinished};
use baton_responses::{Create, Projector, Refusal, Response, ResponseId, ResponseStatus};
use baton_types::{TaskId, TaskView};
use std::sync::Arc;

/// Asks an agent.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, request: Request) -> Reply {
    answered(shared, request, |asked, mut body| async move {
        let named = references::resolved(&asked, &body.bytes, &mut body.share).await?;
        let create = Create::read(named.as_deref().unwrap_or(&body.bytes), &mut || asked.shared.engine.fresh_id())?;
        let begun = Begun::read(&asked, create, Some(&body.bytes)).await?;
        begun.answer(&asked, Form::Responses).await
    })
    .await
}

/// A request that is ready to be said.
pub(super) struct Begun {
    pub(super) placed: Placed,
    stream: bool,
    background: bool,
    store: bool,
}

impl Begun {
    /// Reads whom it asks and where it goes on.
    pub(super) async fn read(asked: &Asked, mut create: Create, body: Option<&[u8]>) -> Result<Self, Refusal> {
        let spec = asked.agent(create.model.as_deref())?;
        guests::admit(asked, &spec, &mut create).await?;
        let (stream, background, store) = (create.stream, create.background, create.store);
        if background && !store {
            let message = "background needs store; leave store out or set it to true";
            return Err(Refusal::invalid("unsupported_parameter", "background", message));
        }
        let mut placed = Placed::read(asked, &spec, create).await?;
        if let Some(body) = body {
            placed.command.idempotency = asked.idempotency(body)?;
        }
        Ok(Self { placed, stream, background, store })
    }

    /// Says it, and answers with what comes of it in the form that is wanted.
    pub(super) async fn answer(self, asked: &Asked, form: Form) -> Result<Reply, Refusal> {
        let Self { placed, stream, background, store } = self;
        let Placed { command, after, joined, alone } = placed;
        let forget = !store && alone;
        if background {
            let sent = say(asked, command).await?;
            let turn = turn_of(asked, &sent, after).await?;
            conversations::tell(asked, joined, &turn.id).await?;
            return if stream { stream::resumed(asked, turn, None).await } else { json(&queued(&turn)) };
        }
        if stream {
            return stream::live(asked, command, after, joined, forget, form).await;
        }
        outcome(&stream::awaited(asked, command, after, joined, forget).await?, form)
    }
}

async fn say(asked: &Asked, command: SendCommand) -> Result<Arc<TaskView>, Refusal> {
    let sent = asked.shared.engine.send(asked.principal(), command).await.map_err(from_engine)?;
    Ok(sent.task)
}

/// The turn that a message has begun.
pub(super) async fn turn_of(asked: &Asked, view: &TaskView, after: u64) -> Result<Turn, Refusal> {
    let task = TaskRef { task: view.id.clone(), agent: None };
    let (view, events) = asked.shared.engine.told(asked.principal(), &task).await.map_err(from_engine)?;
    let id = id_after(&view.id, begun_after(&events, after));
    let name = id.to_string();
    project(id, view, &events).ok_or_else(|| no_response(&name))
}

/// The id of the turn that began with an event.
pub(super) fn id_after(task: &TaskId, at: Option<u64>) -> ResponseId {
    match at {
        Some(at) => ResponseId { task: task.clone(), at },
        None => ResponseId::first(task.clone()),
    }
}

/// What nobody may ask for later is gone when it was answered.
pub(super) async fn forget_task(asked: &Asked, view: &TaskView) {
    let session = SessionRef { context: view.context.clone(), agent: Some(view.agent.clone()) };
    let gone = asked.shared.engine.delete_session(asked.principal(), &session, Unfinished::Cancel).await;
    if let Err(error) = gone {
        tracing::warn!(task = %view.id, %error, "a response that is not to be kept could not be forgotten");
    }
}

/// A response that nobody waits for, as it is acknowledged.
fn queued(turn: &Turn) -> Response {
    let mut response = turn.projector.response().clone();
    if response.status == ResponseStatus::InProgress {
        response.status = ResponseStatus::Queued;
    }
    response
}

/// The reply to whoever waited: the response, or the error that it ended with.
fn outcome(projector: &Projector, form: Form) -> Result<Reply, Refusal> {
    match failed_reply(projector) {
        Some(reply) => Ok(reply),
        None => form.whole(projector.response()),
    }
}

//! `DELETE /v1/responses/{response}`.

use super::{
    create::delete_task_session,
    error::from_engine,
    request::{handle_request, json},
    show::path_segment,
    turn::{self, deleted_key},
};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_engine::ListTasks;
use baton_responses::{DeletedObject, ResponseId};
use baton_rules::Access;
use baton_types::Json;
use std::sync::Arc;

/// Deletes a response, with its session if nothing else is in it. Otherwise the messages stay in the conversation, and
/// only the response can no longer be retrieved.
pub(crate) async fn delete(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    let name = path_segment(request.uri().path(), 0);
    handle_request(shared, request, |request, _| async move {
        let turn = turn::find(&request, &name).await?;
        request.check_access(Access::Call, &turn.view.agent)?;
        let (agent, context) = (turn.view.agent.clone(), turn.view.context.clone());
        let query =
            ListTasks { agent: Some(agent.clone()), context: Some(context.clone()), limit: 2, ..ListTasks::default() };
        let (engine, principal) = (&request.shared.engine, request.principal());
        let total = engine.tasks(principal, &query).await.map_err(from_engine)?.total;
        let is_all = total == 1 && turn.id == ResponseId::first(turn.id.task.clone());
        if is_all && turn.end == Some(turn.view.version) && turn.note.conversation.is_none() {
            delete_task_session(&request, &turn.view).await;
        } else {
            let key = deleted_key(&name);
            let notes = || vec![(key.clone(), Some(Json::from(serde_json::Value::Bool(true))))];
            engine.note(principal, &agent, &context, |_| notes()).await.map_err(from_engine)?;
        }
        json(&DeletedObject::response(name.clone()))
    })
    .await
}

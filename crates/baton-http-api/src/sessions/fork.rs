//! `POST /api/v1/sessions/{context}/fork?agent=`.

use super::{
    SessionAgentQuery, SessionPath, SessionQuery, invalid_field, load_session, load_session_record, read_query,
    read_session_ref, session_error, summary_of,
};
use crate::state::ApiState;
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{ApiError, ForkSession};
use baton_engine::{SessionRef, TaskRef};
use baton_http::{Caller, body::json, reply};
use baton_rules::Access;
use baton_types::TaskId;
use std::sync::Arc;

/// Creates a session with the history of this one, up to an event of a task.
pub(crate) async fn fork(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<SessionAgentQuery>,
    request: Request,
) -> Response {
    let forked = async {
        let session_ref = read_session_ref(&shared, &caller, path, read_query(query)?.agent)?;
        let (_, ForkSession { task_id, event, context_id }) = json(&shared.http, request).await?;
        let (session, _) = load_session_record(&shared, &caller, Access::Call, &session_ref).await?;
        let session = SessionRef { context: session.context, agent: Some(session.agent) };
        let at = fork_position(&shared, &caller, task_id.map(TaskId::from), event).await?;
        let context = context_id.filter(|context| !context.is_empty()).map(Into::into);
        let fork = baton_engine::ForkSession { session: session.clone(), at, context };
        let forked = shared.engine.fork_session(caller.principal(), fork).await;
        let forked = forked.map_err(|error| session_error(&shared, &caller, &session, error))?;
        let new_session = SessionRef { context: forked.context, agent: Some(forked.agent) };
        load_session(&shared, &caller, Access::Read, &new_session).await
    };
    match forked.await {
        Ok(view) => reply::json(&summary_of(&view)),
        Err(error) => reply::error(&error),
    }
}

/// Position of the fork; the default event is the last one of the task.
async fn fork_position(
    shared: &ApiState,
    caller: &Caller,
    task: Option<TaskId>,
    event: Option<u64>,
) -> Result<Option<(TaskId, u64)>, ApiError> {
    match (task, event) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(invalid_field("task_id", "is required with event".to_owned())),
        (Some(task), Some(event)) => Ok(Some((task, event))),
        (Some(task), None) => {
            let task_ref = TaskRef { task: task.clone(), agent: None };
            let view =
                shared.engine.task(caller.principal(), &task_ref).await.map_err(crate::engine_error::from_engine)?;
            Ok(Some((task, view.version)))
        }
    }
}

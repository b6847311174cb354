//! `DELETE /api/v1/sessions/{context}?agent=&force=`.

use super::{Asked, Named, asked, known, named, refused};
use crate::{app::Shared, auth::Caller, reply};
use axum::{extract::State, response::Response};
use baton_engine::{Deleted, SessionRef, Unfinished};
use baton_rules::Access;
use baton_wire::{a2a::v1::Error, api::DeletedSession};
use serde::Deserialize;
use std::sync::Arc;

/// Query parameters.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    agent: Option<String>,
    #[serde(default)]
    force: bool,
}

/// Deletes a session with all of its tasks.
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Named,
    query: Asked<Wanted>,
) -> Response {
    let deleted = async {
        let Wanted { agent, force } = asked(query)?;
        let wanted = named(&shared, &caller, path, agent)?;
        let (session, _) = known(&shared, &caller, Access::Call, &wanted).await?;
        let session = SessionRef { context: session.context, agent: Some(session.agent) };
        let unfinished = if force { Unfinished::Cancel } else { Unfinished::Refuse };
        let deleted = shared.engine.delete_session(caller.principal(), &session, unfinished).await;
        let Deleted { conversation, canceled } = deleted.map_err(|error| refused(&shared, &caller, &session, error))?;
        Ok::<_, Error>(DeletedSession {
            context_id: conversation.context.to_string(),
            agent: conversation.agent.to_string(),
            tasks: conversation.tasks,
            canceled: canceled as u64,
        })
    };
    match deleted.await {
        Ok(deleted) => reply::json(&deleted),
        Err(error) => reply::rest_error(&error),
    }
}

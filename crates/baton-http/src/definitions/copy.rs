//! `POST /api/v1/agents/{agent}/clone`.

use super::{allowed, answered, create::created, details, refusal};
use crate::{app::Shared, auth::Caller, body::json, named::Named};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_wire::api::CloneAgent;
use std::sync::Arc;

/// Creates an agent with the same files and another name.
pub(crate) async fn copy(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Named(agent): Named,
    request: Request,
) -> Response {
    let copied = async {
        let manager = allowed(&shared, &caller)?;
        let (headers, wish) = json::<CloneAgent>(&shared, request).await?;
        let made = manager.copy(&agent.into(), &wish).await.map_err(refusal)?;
        Ok(created(details(&shared, &headers, &made), made.name.as_str()))
    };
    answered(copied.await)
}

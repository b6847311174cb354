//! `POST /api/v1/agents/{agent}/clone`.

use super::{authorize_change, create::created, details, into_response, manage_error};
use crate::{app::HttpState, auth::Caller, body::json, path_name::PathName};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::CloneAgent;
use std::sync::Arc;

/// Creates an agent with the same files and another name.
pub(crate) async fn copy(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    PathName(agent): PathName,
    request: Request,
) -> Response {
    let copied = async {
        let manager = authorize_change(&shared, &caller)?;
        let (headers, body) = json::<CloneAgent>(&shared, request).await?;
        let definition = manager.copy(&agent.into(), &body).await.map_err(manage_error)?;
        Ok(created(details(&shared, &headers, &definition), definition.name.as_str()))
    };
    into_response(copied.await)
}

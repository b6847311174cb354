//! `PATCH /api/v1/agents/{agent}`: changes card metadata, prompt and settings.

use super::{authorize_change, details, if_match_digest, into_response, manage_error, manage_role};
use crate::state::ApiState;
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind, ChangeAgent};
use baton_http::{Caller, PathName, body::json};
use baton_manage::{metadata_change, settings_change};
use baton_types::{AgentChange, ErrorCode};
use std::sync::Arc;

/// Applies all given changes atomically.
pub(crate) async fn change(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    PathName(agent): PathName,
    request: Request,
) -> Response {
    let changed = async {
        let manager = authorize_change(&shared, &caller)?;
        let (headers, body) = json::<ChangeAgent>(&shared.http, request).await?;
        let mut changes: Vec<AgentChange> = metadata_change(&body).into_iter().collect();
        changes.extend(body.prompt.map(AgentChange::Prompt));
        changes.extend(body.settings.as_ref().map(settings_change).transpose().map_err(manage_error)?);
        if changes.is_empty() {
            let message = "the request changes nothing; give at least one of title, description, version, provider, \
                           icon_url, documentation_url, autonomous, prompt or settings";
            return Err(ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message));
        }
        let (role, expected) = (manage_role(&shared, &headers), if_match_digest(&headers));
        let changed = manager.change(&agent.into(), role, expected.as_ref(), |_| Ok(changes.clone())).await;
        Ok(details(&shared, &headers, &changed.map_err(manage_error)?.after))
    };
    into_response(changed.await)
}

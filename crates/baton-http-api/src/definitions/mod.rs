//! Definitions of local agents: create, show without secrets, change, clone and delete.

mod change;
mod copy;
mod create;
mod exports;
mod items;
mod part;
mod providers;
mod servers;

pub(crate) use create::create;

use crate::{
    error_codes,
    resources::{AGENTS, ETAG, IF_MATCH},
    state::ApiState,
};
use axum::{
    extract::{Path, rejection::PathRejection},
    response::Response,
};
use baton_api::{AgentDetails, ApiError, ApiErrorKind, ChangeAgent, CloneAgent};
use baton_http::{Caller, RouteAccess, Routes, base_url, has_owner_token, invalid_path, reply};
use baton_manage::{Definition, ManageError, ManageRole, Manager};
use baton_ports::AgentRepository;
use baton_rules::Access;
use baton_types::{AgentName, Digest, ErrorCode};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use std::{fmt, sync::Arc};

use exports::Exports;
use items::{Items, References, Rules};
use providers::Providers;
use servers::Servers;

/// Storage of agent definitions.
#[derive(Clone)]
pub struct DefinitionPorts {
    /// Agent repository.
    pub repository: Arc<dyn AgentRepository>,
}

impl fmt::Debug for DefinitionPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DefinitionPorts").finish_non_exhaustive()
    }
}

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let change = RouteAccess::AdminChange;
    let routes = routes
        .operation(
            AGENTS
                .patch(
                    "/api/v1/agents/{agent}",
                    change,
                    "changeAgent",
                    "Change metadata, prompt and settings of an agent",
                )
                .note("All given changes are applied, or none.")
                .header("If-Match", IF_MATCH)
                .body::<ChangeAgent>()
                .reply::<AgentDetails>()
                .reply_header("ETag", ETAG),
            change::change,
        )
        .operation(
            AGENTS
                .post("/api/v1/agents/{agent}/clone", change, "cloneAgent", "Copy a local agent")
                .body::<CloneAgent>()
                .reply_status::<AgentDetails>(201)
                .reply_header("Location", "Path of the new agent")
                .reply_header("ETag", ETAG),
            copy::copy,
        );
    let routes = part::mount::<Items<Rules>>(part::mount::<Items<References>>(routes));
    part::mount::<Servers>(part::mount::<Exports>(part::mount::<Providers>(routes)))
}

type AgentPartPath = Result<Path<(String, String)>, PathRejection>;

fn parse_part_path(path: AgentPartPath) -> Result<(AgentName, String), ApiError> {
    let Path((agent, name)) = path.map_err(|error| invalid_path(&error.body_text()))?;
    Ok((agent.into(), name))
}

/// Agent manager; an error if no repository is configured.
pub(crate) fn manager(shared: &ApiState) -> Result<Manager, ApiError> {
    let ports = shared.ports.definitions.as_ref().ok_or_else(|| {
        let message = "this server stores no agent definitions; change the agent where it is defined";
        ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message)
    })?;
    Ok(Manager::new(Arc::clone(&ports.repository)))
}

/// Reads a definition. Requires `admin`: the scopes `read` and `call` do not cover prompts and servers.
async fn read_definition(shared: &ApiState, caller: &Caller, agent: &AgentName) -> Result<Definition, ApiError> {
    caller.check_access(&shared.http, Access::Admin, None)?;
    manager(shared)?.definition(agent).await.map_err(manage_error)
}

/// Agent manager for a change. Requires `admin`.
fn authorize_change(shared: &ApiState, caller: &Caller) -> Result<Manager, ApiError> {
    caller.check_access(&shared.http, Access::Admin, None)?;
    manager(shared)
}

pub(crate) fn manage_role(shared: &ApiState, headers: &HeaderMap) -> ManageRole {
    if has_owner_token(&shared.http.options.access, headers) { ManageRole::Owner } else { ManageRole::Administrator }
}

/// Digest from `If-Match`.
pub(crate) fn if_match_digest(headers: &HeaderMap) -> Option<Digest> {
    let etag = headers.get(header::IF_MATCH)?.to_str().ok()?.trim();
    let digest = etag.trim_start_matches("W/").trim_matches('"');
    (digest != "*").then(|| Digest::from_hex(digest))
}

/// Maps a management error to an API error.
pub(crate) fn manage_error(error: ManageError) -> ApiError {
    let ManageError { code, detail } = error;
    let kind = match code {
        ErrorCode::AGENT_NOT_FOUND => ApiErrorKind::AgentNotFound,
        error_codes::AGENT_PART_NOT_FOUND | ErrorCode::TOOL_NOT_FOUND => ApiErrorKind::PageNotFound,
        error_codes::NAME_TAKEN | error_codes::AGENT_OUTDATED => ApiErrorKind::TaskGenerationMismatch,
        error_codes::SCOPE_MISSING => ApiErrorKind::Forbidden,
        ErrorCode::INTERNAL => ApiErrorKind::Internal,
        _ => ApiErrorKind::InvalidRequest,
    };
    ApiError::new(kind, code, detail)
}

/// Maps the error of an edit of a served agent to an API error.
pub(crate) fn edit_error(agent: &AgentName, error: ManageError) -> ApiError {
    match error.code {
        // A served agent without files in the repository is a remote one.
        ErrorCode::AGENT_NOT_FOUND => {
            let detail = format!("no local directory defines '{agent}'; change it on its own server");
            ApiError::new(ApiErrorKind::InvalidRequest, error_codes::AGENT_NOT_CHANGED, detail)
        }
        _ => manage_error(error),
    }
}

/// The response; a failed precondition is reported by its status.
fn into_response(answer: Result<Response, ApiError>) -> Response {
    answer.unwrap_or_else(|error| error_response(&error))
}

pub(crate) fn error_response(error: &ApiError) -> Response {
    let mut response = reply::error(error);
    if error.code == error_codes::AGENT_OUTDATED {
        *response.status_mut() = StatusCode::PRECONDITION_FAILED;
    }
    response
}

/// JSON response with the digest of the definition as its ETag.
fn json_with_etag(value: &impl Serialize, digest: &Digest) -> Response {
    let mut response = reply::json(value);
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{digest}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Details of the agent with its definition.
pub(crate) fn details(shared: &ApiState, headers: &HeaderMap, definition: &Definition) -> Response {
    let details = AgentDetails {
        definition: Some(Box::new(baton_manage::definition(definition))),
        ..AgentDetails::from_spec(&definition.agent, &base_url(&shared.http, headers))
    };
    json_with_etag(&details, &definition.digest)
}

fn part_not_found(kind: &str, agent: &AgentName, name: &str) -> ApiError {
    let name: String = name.chars().take(128).collect();
    let message = format!("the agent '{agent}' has no {kind} '{name}'");
    ApiError::new(ApiErrorKind::PageNotFound, error_codes::AGENT_PART_NOT_FOUND, message)
}

//! Remote agents: add, show, remove, and receive their notifications.

use crate::{
    definitions, error_codes,
    resources::{AGENTS, ETAG, IF_MATCH, PEERS},
    state::ApiState,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{AddAgent, AgentDetails, ApiError, ApiErrorKind, CreateAgent, NewAgent, RemoteEntry};
use baton_http::{
    Caller, PathName, RequestOrigin, RouteAccess, RouteAgentSource, Routes, base_url, has_owner_token, reply,
};
use baton_ports::{NewPeer, PeerGateway, PeerRecord, PeerRegistry, PeerRegistryError};
use baton_rules::{Access, check_access};
use baton_types::{AgentName, ErrorCode, ModelSpec};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Map, Value};
use std::{fmt, sync::Arc};

/// Access to remote agents.
#[derive(Clone)]
pub struct PeerPorts {
    /// Registry that adds and removes them.
    pub registry: Arc<dyn PeerRegistry>,
    /// Receiver of their notifications.
    pub peers: Arc<dyn PeerGateway>,
}

impl fmt::Debug for PeerPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerPorts").finish_non_exhaustive()
    }
}

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let (read, change) = (RouteAccess::Read(RouteAgentSource::Path), RouteAccess::AdminChange);
    routes
        .operation(
            AGENTS
                .post("/api/v1/agents", change, "addAgent", "Add a remote agent, or create a local one")
                .note("A body with `url` adds a remote agent. Only the owner of the server may set `bearer`.")
                .body::<NewAgent>()
                .reply_status::<AgentDetails>(201)
                .reply_header("Location", "Path of the new local agent")
                .reply_header("ETag", ETAG),
            add,
        )
        .operation(
            AGENTS
                .get("/api/v1/agents/{agent}", read, "getAgent", "Show an agent")
                .note("The definition is shown only for `admin`.")
                .reply::<AgentDetails>()
                .reply_header("ETag", ETAG),
            show,
        )
        .operation(
            AGENTS
                .delete("/api/v1/agents/{agent}", change, "deleteAgent", "Delete a local agent, or remove a remote one")
                .note("Returns the agent as it was.")
                .header("If-Match", IF_MATCH)
                .reply::<AgentDetails>()
                .reply_header("ETag", ETAG),
            remove,
        )
        .operation(
            PEERS
                .post(
                    "/api/v1/peers/notifications/{registration}",
                    RouteAccess::Registration,
                    "notifyPeerTask",
                    "Report that a task of a remote agent has changed",
                )
                .note("Baton then reads the task from the remote agent; the content of the body is not used.")
                .body::<Map<String, Value>>()
                .reply_empty(204),
            receive_notification,
        )
}

/// `POST /api/v1/agents`.
async fn add(State(shared): State<Arc<ApiState>>, caller: Caller, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let added = async {
        reply::check_json(&parts.headers)?;
        let received = shared.http.bodies.read(&parts, body).await?;
        let text = reply::parse_text(&received.bytes)?;
        let wrong = |error: serde_json::Error| {
            ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, error.to_string())
        };
        // A body with an address adds a remote agent; any other creates a local one.
        if serde_json::from_str::<serde_json::Value>(text)
            .is_ok_and(|body| body.is_object() && body.get("url").is_none())
        {
            let create: CreateAgent = serde_json::from_str(text).map_err(wrong)?;
            return definitions::create(&shared, &caller, &parts.headers, create).await;
        }
        let ports = authorize_change(&shared, &caller)?;
        let params: AddAgent = serde_json::from_str(text).map_err(wrong)?;
        let AddAgent { url, name, listed, bearer } = params;
        // A caller that chooses both the location of a secret and its destination could read every secret of this
        // process.
        if bearer.is_some() && !has_owner_token(&shared.http.options.access, &parts.headers) {
            let message = "only the owner of this server may set the location of a secret: run `baton agents add` on \
                           its machine, or put the agent under peers in baton.yaml";
            return Err(ApiError::new(ApiErrorKind::Forbidden, error_codes::SCOPE_MISSING, message));
        }
        let name = name.map(AgentName::from);
        let peer = ports.registry.add(NewPeer { url, name, listed, bearer }).await.map_err(registry_error)?;
        let mut response = reply::json(&details(&shared, &parts.headers, &peer));
        *response.status_mut() = StatusCode::CREATED;
        Ok(response)
    };
    added.await.unwrap_or_else(|error| definitions::error_response(&error))
}

/// `GET /api/v1/agents/{name}`.
async fn show(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    PathName(name): PathName,
    headers: HeaderMap,
) -> Response {
    let name = AgentName::from(name);
    if let Err(error) = caller.check_access(&shared.http, Access::Read, Some(&name)) {
        return reply::error(&error);
    }
    let known = shared.ports.peers.as_ref().and_then(|ports| ports.registry.peer(&name));
    let shown = match (known, shared.http.agent(name.as_str())) {
        (Some(peer), _) => details(&shared, &headers, &peer),
        (None, Some(agent)) => match definitions::manager(&shared) {
            // The definition contains the prompt, which only administrators may see.
            Ok(manager) if !agent.is_peer() && check_access(caller.principal(), Access::Admin, None).is_ok() => {
                match manager.definition(&name).await {
                    Ok(definition) => return definitions::details(&shared, &headers, &definition),
                    Err(_) => AgentDetails::from_spec(&agent, &base_url(&shared.http, &headers)),
                }
            }
            _ => AgentDetails::from_spec(&agent, &base_url(&shared.http, &headers)),
        },
        (None, None) => return reply::error(&shared.http.no_such_agent_for(&caller, Some(name.as_str()))),
    };
    reply::json(&shown)
}

/// `DELETE /api/v1/agents/{name}`: returns the removed agent.
async fn remove(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    PathName(name): PathName,
    headers: HeaderMap,
) -> Response {
    let name = AgentName::from(name);
    let removed = async {
        caller.check_access(&shared.http, Access::Admin, None)?;
        let here = shared.http.agent(name.as_str()).is_some_and(|agent| !agent.is_peer());
        if here {
            let manager = definitions::manager(&shared)?;
            let definition = manager.definition(&name).await.map_err(definitions::manage_error)?;
            let expected = definitions::if_match_digest(&headers);
            manager.delete(&name, expected.as_ref()).await.map_err(definitions::manage_error)?;
            return Ok(definitions::details(&shared, &headers, &definition));
        }
        let ports = authorize_change(&shared, &caller)?;
        let peer = ports.registry.peer(&name);
        ports.registry.remove(&name).await.map_err(registry_error)?;
        let peer = peer.ok_or_else(|| shared.http.no_such_agent(Some(name.as_str())))?;
        Ok(reply::json(&details(&shared, &headers, &peer)))
    };
    removed.await.unwrap_or_else(|error: ApiError| definitions::error_response(&error))
}

/// `POST /api/v1/peers/notifications/{registration}`. The token of the registration is the credential.
async fn receive_notification(
    State(shared): State<Arc<ApiState>>,
    PathName(registration): PathName,
    request: Request,
) -> Response {
    let origin = RequestOrigin::from_request(&request);
    let (parts, body) = request.into_parts();
    let Some(ports) = &shared.ports.peers else { return notification_not_found() };
    // Checked before the body is read, or unauthenticated clients could exhaust the body budget. The content is not
    // used: a notification only triggers a poll of the peer.
    if !ports.peers.handle_notification(&registration, notification_token(&parts.headers)).await {
        let reason = "unknown registration, or wrong notification token";
        origin.log_denial(&shared.http.options.access, ErrorCode::UNAUTHENTICATED, reason, None);
        return notification_not_found();
    }
    if let Err(error) = shared.http.bodies.read(&parts, body).await {
        return reply::error(&error);
    }
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// The same error for an expired registration, an unknown one and a wrong token, so that none can be probed.
fn notification_not_found() -> Response {
    let message = "this notification is not expected";
    reply::error(&ApiError::new(ApiErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, message))
}

/// Token of a notification, from either header that A2A servers use.
fn notification_token(headers: &HeaderMap) -> Option<&str> {
    let own = headers.get("x-a2a-notification-token").and_then(|value| value.to_str().ok());
    own.map(str::trim).or_else(|| {
        let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    })
}

fn authorize_change<'a>(shared: &'a ApiState, caller: &Caller) -> Result<&'a PeerPorts, ApiError> {
    caller.check_access(&shared.http, Access::Admin, None)?;
    shared.ports.peers.as_ref().ok_or_else(|| {
        let message = "remote agents are not enabled on this server";
        ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message)
    })
}

fn details(shared: &ApiState, headers: &HeaderMap, peer: &PeerRecord) -> AgentDetails {
    AgentDetails {
        remote: Some(RemoteEntry {
            url: match &peer.agent.model {
                ModelSpec::Peer { url, .. } => url.clone(),
                ModelSpec::Playbook { .. } => peer.card_url.clone(),
            },
            card_url: peer.card_url.clone(),
            binding: peer.protocol.clone(),
            endpoint: peer.endpoint.clone(),
            security: peer.security.clone(),
            signatures: peer.signatures.clone(),
            signed_by: peer.signed_by.clone(),
            configured: peer.configured,
        }),
        ..AgentDetails::from_spec(&peer.agent, &base_url(&shared.http, headers))
    }
}

fn registry_error(error: PeerRegistryError) -> ApiError {
    let PeerRegistryError { code, detail } = error;
    let kind = match code {
        ErrorCode::AGENT_NOT_FOUND => ApiErrorKind::AgentNotFound,
        ErrorCode::PEER_UNREACHABLE | error_codes::JOURNAL_UNAVAILABLE | ErrorCode::BUSY => ApiErrorKind::Unavailable,
        ErrorCode::INTERNAL => ApiErrorKind::Internal,
        _ => ApiErrorKind::InvalidRequest,
    };
    ApiError::new(kind, code, detail)
}

//! `PUT /api/v1/agents/{agent}/tools/{tool}/permission` and `PUT /api/v1/agents/{agent}/servers/{server}/permission`:
//! a word about a tool or a server, written into the agent's definition.

use super::{
    reached,
    scope::{Meant, meant, missing, remark},
};
use crate::{app::Shared, auth::Caller, definitions, named::unreadable, reply};
use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use baton_manage::Who;
use baton_ports::{PermissionBook, PermissionBookError, PermissionChanged, ToolHost};
use baton_rules::Access;
use baton_types::{AgentSpec, ErrorCode, PermissionChange, ToolScope};
use baton_wire::{
    a2a::v1::{Error, ErrorKind},
    api::{PermissionReply, SetPermission},
};
use std::{fmt, sync::Arc};

/// Who writes words about tools into definitions.
#[derive(Clone)]
pub struct PermissionPorts {
    /// Writes them.
    pub book: Arc<dyn PermissionBook>,
}

impl fmt::Debug for PermissionPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionPorts").finish_non_exhaustive()
    }
}

/// Of a tool, by the name that a model uses, or of a whole server: `files__*`, or its name.
pub(crate) async fn set_tool_permission(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let set = async {
        let Path((agent, tool)) = path.map_err(|error| unreadable(&error.body_text()))?;
        let (agent, host) = admitted(&shared, &caller, &agent)?;
        let who = definitions::who(&shared, request.headers());
        let word = word(&shared, request).await?;
        let meant = meant(host, &agent, &tool).await?;
        check_start(&shared, who, &agent, &meant.scope, &word).await?;
        set(&shared, host, &agent, meant, word).await
    };
    respond(set.await)
}

/// Of the tools of a server of which nothing else is said.
pub(crate) async fn set_server_permission(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let set = async {
        let Path((agent, server)) = path.map_err(|error| unreadable(&error.body_text()))?;
        let (agent, host) = admitted(&shared, &caller, &agent)?;
        let who = definitions::who(&shared, request.headers());
        let word = word(&shared, request).await?;
        if !host.servers(&agent.name).iter().any(|known| known.name == server) {
            return Err(missing(host, &agent, &server, &[]));
        }
        let meant = Meant::server(&server);
        check_start(&shared, who, &agent, &meant.scope, &word).await?;
        set(&shared, host, &agent, meant, word).await
    };
    respond(set.await)
}

/// Definitions are changed by those who may manage this Baton.
fn admitted<'a>(shared: &'a Shared, caller: &Caller, agent: &str) -> Result<(Arc<AgentSpec>, &'a dyn ToolHost), Error> {
    caller.may(shared, Access::Admin, None)?;
    reached(shared, caller, Access::Read, agent)
}

/// Switching a server on may start a program, which is for the owner of this Baton to decide.
async fn check_start(
    shared: &Shared,
    who: Who,
    agent: &AgentSpec,
    scope: &ToolScope,
    word: &SetPermission,
) -> Result<(), Error> {
    let (ToolScope::Server(server), Some(false)) = (scope, word.disabled) else { return Ok(()) };
    let Ok(manager) = definitions::manager(shared) else { return Ok(()) };
    manager.check_server_start(&agent.name, who, server).await.map_err(definitions::refusal)
}

async fn word(shared: &Shared, request: Request) -> Result<SetPermission, Error> {
    let invalid = |message: String| Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, message);
    let (parts, body) = request.into_parts();
    reply::check_json(&parts.headers)?;
    let received = shared.bodies.read(&parts, body).await?;
    let word: SetPermission =
        serde_json::from_str(reply::readable(&received.bytes)?).map_err(|error| invalid(error.to_string()))?;
    if word == SetPermission::default() {
        return Err(invalid(
            "say what is to hold: permission (allow, ask or deny), disabled (true or false)".to_owned(),
        ));
    }
    Ok(word)
}

async fn set(
    shared: &Shared,
    host: &dyn ToolHost,
    agent: &AgentSpec,
    meant: Meant,
    word: SetPermission,
) -> Result<PermissionReply, Error> {
    let Some(ports) = &shared.options.permissions else {
        let message = "this Baton writes no definitions; change the agent where it is defined";
        return Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message));
    };
    let Meant { tool, scope } = meant;
    let server = match &scope {
        ToolScope::Own(_) => None,
        ToolScope::Tool(mcp) => Some(mcp.server.clone()),
        ToolScope::Server(server) => Some(server.clone()),
    };
    let change = PermissionChange { scope, permission: word.permission, disabled: word.disabled };
    let changed = ports.book.change(&agent.name, change).await.map_err(refusal)?;
    let PermissionChanged { file, is_written, before, after } = changed;
    // As it is now, with the word in it.
    let remark = match (&tool, word.permission, shared.agent(agent.name.as_str())) {
        (Some(tool), Some(wanted), Some(agent)) => remark(host, &agent, tool, wanted).await,
        _ => None,
    };
    Ok(PermissionReply {
        agent: agent.name.to_string(),
        tool,
        server,
        now: after.into(),
        before: before.into(),
        file,
        written: is_written,
        remark,
    })
}

fn respond(set: Result<PermissionReply, Error>) -> Response {
    match set {
        Ok(reply) => reply::json(&reply),
        Err(error) => reply::rest_error(&error),
    }
}

fn refusal(error: PermissionBookError) -> Error {
    let PermissionBookError { code, detail } = error;
    let kind = match code {
        ErrorCode::AGENT_NOT_FOUND => ErrorKind::AgentNotFound,
        ErrorCode::TOOL_NOT_FOUND => ErrorKind::PageNotFound,
        ErrorCode::INTERNAL => ErrorKind::Internal,
        _ => ErrorKind::InvalidRequest,
    };
    Error::new(kind, code, detail)
}

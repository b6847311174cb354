//! Target of a permission change (a tool or a server, offered or hidden) and its effect.

use super::find;
use baton_api::{ApiError, ApiErrorKind};
use baton_ports::{ServerState, ServerStatus, ToolHost};
use baton_rules::{CallAuthorization, PermissionContext, authorize_call};
use baton_types::{AgentSpec, ErrorCode, McpTool, Permission, PermissionTarget, ToolRunner};
use std::time::Duration;
use tokio::time::Instant;

/// Maximum wait for starting servers if no known tool has the name.
const SERVER_WAIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum wait of one poll.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum names listed in an error.
const MAX_LISTED_NAMES: usize = 15;
/// Maximum characters of a repeated name.
const MAX_NAME_LEN: usize = 128;
/// Wildcard after the name prefix of a server: all of its tools.
const WILDCARD: &str = "*";
/// Separator between server name and tool name.
const NAME_SEPARATOR: &str = "__";

/// A tool or a server, with the model-facing name of the tool.
pub(super) struct ToolPermissionTarget {
    pub(super) tool: Option<String>,
    pub(super) scope: PermissionTarget,
}

impl ToolPermissionTarget {
    pub(super) fn server(name: &str) -> Self {
        Self { tool: None, scope: PermissionTarget::Server(name.to_owned()) }
    }
}

/// The tool with a model-facing name, or the server with a name such as `files__*` or `files`.
pub(super) async fn resolve_target(
    host: &dyn ToolHost,
    agent: &AgentSpec,
    name: &str,
) -> Result<ToolPermissionTarget, ApiError> {
    if let Some(own) = agent.tools.iter().find(|tool| tool.name == name) {
        return Ok(ToolPermissionTarget {
            tool: Some(own.name.clone()),
            scope: PermissionTarget::Own(own.name.clone()),
        });
    }
    let began = Instant::now();
    let mut timeout = Duration::ZERO;
    loop {
        // Checked before the poll: a server that becomes ready during it needs another poll.
        let is_coming = |server: &ServerStatus| matches!(server.state, ServerState::Idle | ServerState::Starting);
        let awaited = host.servers(&agent.name).iter().any(is_coming);
        let known = server_tools(host, agent, timeout).await;
        let servers = host.servers(&agent.name);
        if let Some(target) = find_target(&known, &servers, name) {
            return Ok(target);
        }
        timeout = POLL_INTERVAL.min(SERVER_WAIT_TIMEOUT.saturating_sub(began.elapsed()));
        if timeout.is_zero() || !awaited {
            return Err(target_not_found(host, agent, name, &known));
        }
    }
}

fn find_target(known: &[(String, McpTool)], servers: &[ServerStatus], name: &str) -> Option<ToolPermissionTarget> {
    if let Some((name, mcp)) = known.iter().find(|(known, _)| known == name) {
        return Some(ToolPermissionTarget { tool: Some(name.clone()), scope: PermissionTarget::Tool(mcp.clone()) });
    }
    let begins = name.strip_suffix(WILDCARD).filter(|begins| begins.ends_with(NAME_SEPARATOR));
    let named = begins.and_then(|begins| begins.strip_suffix(NAME_SEPARATOR)).unwrap_or(name);
    if servers.iter().any(|server| server.name == named) {
        return Some(ToolPermissionTarget::server(named));
    }
    // The name prefix of a server's tools may differ from its own name.
    let begins = begins?;
    let mut of = known.iter().filter(|(name, _)| name.starts_with(begins)).map(|(_, mcp)| mcp.server.as_str());
    let server = of.next()?;
    of.all(|other| other == server).then(|| ToolPermissionTarget::server(server))
}

/// All tools of servers, offered or hidden.
async fn server_tools(host: &dyn ToolHost, agent: &AgentSpec, timeout: Duration) -> Vec<(String, McpTool)> {
    let offered = host.available_tools(agent, timeout).await.into_iter().filter_map(|tool| match tool.runner {
        ToolRunner::Mcp(mcp) => Some((tool.name, mcp)),
        _ => None,
    });
    let mut known: Vec<(String, McpTool)> = offered.collect();
    known.extend(host.denied_tools(agent, Duration::ZERO).await);
    known.sort_by(|one, other| one.0.cmp(&other.0));
    known
}

/// Error for an unknown tool or server. Its message lists the known ones.
pub(super) fn target_not_found(
    host: &dyn ToolHost,
    agent: &AgentSpec,
    name: &str,
    known: &[(String, McpTool)],
) -> ApiError {
    let servers = host.servers(&agent.name);
    let own = agent.tools.iter().filter(|tool| !matches!(tool.runner, ToolRunner::BuiltIn)).map(|tool| &tool.name);
    let all: Vec<&str> = own.chain(known.iter().map(|(name, _)| name)).map(String::as_str).collect();
    let name: String = name.chars().take(MAX_NAME_LEN).collect();
    let near = find::suggestions(&name, &all);
    let suggestion = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
    let servers: Vec<String> = servers
        .iter()
        .map(|server| match server.state {
            ServerState::Ready => server.name.clone(),
            state => format!("{} ({})", server.name, state.as_str().replace('_', " ")),
        })
        .collect();
    let message = format!(
        "the agent '{}' has no tool or server '{name}'{suggestion}\n  servers: {}\n  tools: {}",
        agent.name,
        format_names(servers.iter().map(String::as_str)),
        format_names(all.iter().copied())
    );
    ApiError::new(ApiErrorKind::PageNotFound, ErrorCode::TOOL_NOT_FOUND, message)
}

fn format_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED_NAMES);
    let shown = names.take(MAX_LISTED_NAMES).collect::<Vec<_>>().join(", ");
    match (shown.is_empty(), more) {
        (true, _) => "none are known now".to_owned(),
        (false, 0) => shown,
        (false, more) => format!("{shown} and {more} more"),
    }
}

/// Note for the case that other rules of the agent override the permission of a tool.
pub(super) async fn override_note(
    host: &dyn ToolHost,
    agent: &AgentSpec,
    tool: &str,
    permission: Permission,
) -> Option<String> {
    let spec = host.find_tool(agent, tool, Duration::ZERO).await?;
    let included = [tool.to_owned()];
    let session = PermissionContext::for_direct_call(agent, &included);
    let (effective, outcome) = match authorize_call(&agent.policy, &session, &spec, None, None) {
        CallAuthorization::Allowed | CallAuthorization::Approved => (Permission::Allow, "it runs without asking"),
        CallAuthorization::ApprovalRequired => (Permission::Ask, "it needs approval first"),
        CallAuthorization::Declined | CallAuthorization::Denied(_) => (Permission::Deny, "it is denied"),
    };
    let note = format!("other rules or settings of the agent take precedence: {outcome}");
    (effective != permission).then_some(note)
}

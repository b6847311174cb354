//! Target of a permission change (a tool or a server, offered or hidden) and its effect.

use super::find;
use baton_ports::{ServerState, ServerStatus, ToolHost};
use baton_rules::{Decision, Session, decide};
use baton_types::{AgentSpec, ErrorCode, McpTool, Permission, ToolRunner, ToolScope};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::time::Duration;
use tokio::time::Instant;

/// Maximum wait for starting servers if no known tool has the name.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum wait of one poll.
const LOOK: Duration = Duration::from_millis(250);
/// Maximum names listed in an error.
const LISTED: usize = 15;
/// Maximum characters of a repeated name.
const LONGEST: usize = 128;
/// Wildcard after the name prefix of a server: all of its tools.
const ALL: &str = "*";
/// Separator between server name and tool name.
const BETWEEN: &str = "__";

/// A tool or a server, with the model-facing name of the tool.
pub(super) struct Meant {
    pub(super) tool: Option<String>,
    pub(super) scope: ToolScope,
}

impl Meant {
    pub(super) fn server(name: &str) -> Self {
        Self { tool: None, scope: ToolScope::Server(name.to_owned()) }
    }
}

/// The tool with a model-facing name, or the server with a name such as `files__*` or `files`.
pub(super) async fn meant(host: &dyn ToolHost, agent: &AgentSpec, name: &str) -> Result<Meant, Error> {
    if let Some(own) = agent.tools.iter().find(|tool| tool.name == name) {
        return Ok(Meant { tool: Some(own.name.clone()), scope: ToolScope::Own(own.name.clone()) });
    }
    let began = Instant::now();
    let mut patience = Duration::ZERO;
    loop {
        // Checked before the poll: a server that becomes ready during it needs another poll.
        let is_coming = |server: &ServerStatus| matches!(server.state, ServerState::Idle | ServerState::Starting);
        let awaited = host.servers(&agent.name).iter().any(is_coming);
        let known = known(host, agent, patience).await;
        let servers = host.servers(&agent.name);
        if let Some(meant) = among(&known, &servers, name) {
            return Ok(meant);
        }
        patience = LOOK.min(PATIENCE.saturating_sub(began.elapsed()));
        if patience.is_zero() || !awaited {
            return Err(missing(host, agent, name, &known));
        }
    }
}

fn among(known: &[(String, McpTool)], servers: &[ServerStatus], name: &str) -> Option<Meant> {
    if let Some((name, mcp)) = known.iter().find(|(known, _)| known == name) {
        return Some(Meant { tool: Some(name.clone()), scope: ToolScope::Tool(mcp.clone()) });
    }
    let begins = name.strip_suffix(ALL).filter(|begins| begins.ends_with(BETWEEN));
    let named = begins.and_then(|begins| begins.strip_suffix(BETWEEN)).unwrap_or(name);
    if servers.iter().any(|server| server.name == named) {
        return Some(Meant::server(named));
    }
    // The name prefix of a server's tools may differ from its own name.
    let begins = begins?;
    let mut of = known.iter().filter(|(name, _)| name.starts_with(begins)).map(|(_, mcp)| mcp.server.as_str());
    let server = of.next()?;
    of.all(|other| other == server).then(|| Meant::server(server))
}

/// All tools of servers, offered or hidden.
async fn known(host: &dyn ToolHost, agent: &AgentSpec, patience: Duration) -> Vec<(String, McpTool)> {
    let offered = host.offered(agent, patience).await.into_iter().filter_map(|tool| match tool.runner {
        ToolRunner::Mcp(mcp) => Some((tool.name, mcp)),
        _ => None,
    });
    let mut known: Vec<(String, McpTool)> = offered.collect();
    known.extend(host.hidden(agent, Duration::ZERO).await);
    known.sort_by(|one, other| one.0.cmp(&other.0));
    known
}

/// Error for an unknown tool or server. Its message lists the known ones.
pub(super) fn missing(host: &dyn ToolHost, agent: &AgentSpec, name: &str, known: &[(String, McpTool)]) -> Error {
    let servers = host.servers(&agent.name);
    let own = agent.tools.iter().filter(|tool| !matches!(tool.runner, ToolRunner::BuiltIn)).map(|tool| &tool.name);
    let all: Vec<&str> = own.chain(known.iter().map(|(name, _)| name)).map(String::as_str).collect();
    let name: String = name.chars().take(LONGEST).collect();
    let near = find::near(&name, &all);
    let asked = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
    let servers: Vec<String> = servers
        .iter()
        .map(|server| match server.state {
            ServerState::Ready => server.name.clone(),
            state => format!("{} ({})", server.name, state.as_str().replace('_', " ")),
        })
        .collect();
    let message = format!(
        "the agent '{}' has no tool or server '{name}'{asked}\n  servers: {}\n  tools: {}",
        agent.name,
        listed(servers.iter().map(String::as_str)),
        listed(all.iter().copied())
    );
    Error::new(ErrorKind::PageNotFound, ErrorCode::TOOL_NOT_FOUND, message)
}

fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown = names.take(LISTED).collect::<Vec<_>>().join(", ");
    match (shown.is_empty(), more) {
        (true, _) => "none are known now".to_owned(),
        (false, 0) => shown,
        (false, more) => format!("{shown} and {more} more"),
    }
}

/// Note for the case that other rules of the agent override the permission of a tool.
pub(super) async fn remark(host: &dyn ToolHost, agent: &AgentSpec, tool: &str, wanted: Permission) -> Option<String> {
    let tools = find::all(host, agent, Duration::ZERO).await;
    let spec = tools.iter().find(|known| known.name == tool)?;
    let included = [tool.to_owned()];
    let session = Session { autonomous: false, ask: agent.policy.ask, included: &included };
    let comes = match (decide(&agent.policy, &session, spec, None, false), wanted) {
        (Decision::Run, Permission::Allow)
        | (Decision::Ask, Permission::Ask)
        | (Decision::Deny(_), Permission::Deny) => {
            return None;
        }
        (Decision::Run, _) => "it runs without asking",
        (Decision::Ask, _) => "it needs approval first",
        (Decision::Deny(_), _) => "it is denied",
    };
    Some(format!("other rules or settings of the agent take precedence: {comes}"))
}

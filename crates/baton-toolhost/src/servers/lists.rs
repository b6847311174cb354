//! Tools, prompts and resources of an agent's servers, merged under exposed names.

use super::{
    McpServers, OfferedPrompt, OfferedTool, ServerError, ServerItem, catalog,
    clean::{clean, for_models},
    connection::ServerConnection,
    definition,
    entry::McpServerEntry,
};
use baton_ports::BoxFuture;
use baton_types::{
    AgentName, AgentSpec, BUILT_IN_TOOLS, Effects, Json, McpServer, McpTool, ServerToolPermissions, ToolRunner,
    ToolSpec,
};
use rmcp::model::{JsonObject, Resource, ResourceTemplate, Tool};
use std::{sync::Arc, time::Duration};

/// Older names of built-in tools, also reserved.
const ALIASES: [&str; 2] = ["a2a_list_agents", "a2a_send_message"];
/// The prompt of every Environment.
const SYSTEM_PROMPT: &str = "system_prompt";

impl McpServers {
    /// Starts the agent's servers, waits up to `max_wait` (longer for required ones) and returns the tools of ready
    /// servers, sorted by exposed name, without denied or unexposed tools.
    pub async fn tools(&self, agent: &AgentSpec, max_wait: Duration) -> Vec<OfferedTool> {
        let is_own = |name: &str| agent.tools.iter().any(|own| own.name == name);
        self.tools_by_agent_name(&agent.name, &is_own, max_wait).await
    }

    /// The same by agent name; `is_own` matches the names of the agent's own tools.
    pub(crate) async fn tools_by_agent_name(
        &self,
        agent: &AgentName,
        is_own: &(dyn Fn(&str) -> bool + Sync),
        max_wait: Duration,
    ) -> Vec<OfferedTool> {
        let servers = self.agent_servers(agent);
        servers.wait_settled(max_wait).await;
        let is_reserved = |name: &str| BUILT_IN_TOOLS.contains(&name) || ALIASES.contains(&name) || is_own(name);
        let mut names = servers.tool_names.lock();
        let mut offered = Vec::new();
        for entry in servers.entries() {
            let (server, connection_state) = (entry.server(), entry.connection_state());
            for tool in connection_state.catalog.tools.iter() {
                let Some(permissions) = ServerToolPermissions::for_tool(&server, &tool.name) else { continue };
                let name = names.claim(&server.name, prefix(&server), &tool.name, &is_reserved);
                offered.extend(offer(name, &entry, &server, tool, permissions));
            }
        }
        names.evict_unused(offered.iter().map(|offered: &OfferedTool| offered.spec.name.as_str()));
        offered.sort_by(|one, other| one.spec.name.cmp(&other.spec.name));
        offered
    }

    /// Denied and unexposed tools of ready servers, sorted by the names they would be exposed under.
    pub async fn hidden_tools(&self, agent: &AgentSpec, max_wait: Duration) -> Vec<(String, McpTool)> {
        let servers = self.agent_servers(&agent.name);
        servers.wait_settled(max_wait).await;
        let is_own = |name: &str| agent.tools.iter().any(|own| own.name == name);
        let is_reserved = |name: &str| BUILT_IN_TOOLS.contains(&name) || ALIASES.contains(&name) || is_own(name);
        let mut names = servers.tool_names.lock();
        let mut hidden = Vec::new();
        for entry in servers.entries() {
            let (server, connection_state) = (entry.server(), entry.connection_state());
            let is_hidden = |tool: &&Arc<Tool>| ServerToolPermissions::for_tool(&server, &tool.name).is_none();
            for tool in connection_state.catalog.tools.iter().filter(is_hidden) {
                let name = names.claim(&server.name, prefix(&server), &tool.name, &is_reserved);
                hidden.push((name, McpTool { server: server.name.clone(), tool: tool.name.to_string() }));
            }
        }
        hidden.sort_by(|one, other| one.0.cmp(&other.0));
        hidden
    }

    /// The prompts of ready servers, sorted by exposed name.
    pub async fn prompts(&self, agent: &AgentName, max_wait: Duration) -> Vec<OfferedPrompt> {
        let listed = self
            .query_servers(agent, max_wait, |connection| Box::pin(async move { catalog::prompts(&connection).await }))
            .await;
        let servers = self.agent_servers(agent);
        let mut names = servers.prompt_names.lock();
        let mut offered = Vec::new();
        for (server, prompts) in listed {
            for definition in prompts {
                let is_reserved = |name: &str| name == SYSTEM_PROMPT;
                let name = names.claim(&server.name, prefix(&server), &definition.name, &is_reserved);
                offered.push(OfferedPrompt { name, server: server.name.clone(), definition });
            }
        }
        names.evict_unused(offered.iter().map(|offered: &OfferedPrompt| offered.name.as_str()));
        offered.sort_by(|one, other| one.name.cmp(&other.name));
        offered
    }

    /// The resources of ready servers.
    pub async fn resources(&self, agent: &AgentName, max_wait: Duration) -> Vec<ServerItem<Resource>> {
        items(
            self.query_servers(agent, max_wait, |connection| {
                Box::pin(async move { catalog::resources(&connection).await })
            })
            .await,
        )
    }

    /// The resource templates of ready servers.
    pub async fn templates(&self, agent: &AgentName, max_wait: Duration) -> Vec<ServerItem<ResourceTemplate>> {
        items(
            self.query_servers(agent, max_wait, |connection| {
                Box::pin(async move { catalog::templates(&connection).await })
            })
            .await,
        )
    }

    /// Queries all ready servers concurrently; a failed one is omitted.
    async fn query_servers<T>(
        &self,
        agent: &AgentName,
        max_wait: Duration,
        list: impl Fn(Arc<ServerConnection>) -> BoxFuture<'static, Result<Vec<T>, ServerError>>,
    ) -> Vec<(Arc<McpServer>, Vec<T>)> {
        let servers = self.agent_servers(agent);
        servers.wait_settled(max_wait).await;
        let entries = servers.entries();
        let lists = entries.iter().filter_map(|entry| {
            let listed =
                tokio::time::timeout(max_wait.max(MIN_LIST_TIMEOUT), list(entry.connection_state().connection?));
            let server = entry.server();
            Some(async move { Some((server, listed.await.ok()?.ok()?)) })
        });
        futures_util::future::join_all(lists).await.into_iter().flatten().collect()
    }
}

/// Minimum timeout for the list of one server.
const MIN_LIST_TIMEOUT: Duration = Duration::from_secs(10);

fn items<T>(listed: Vec<(Arc<McpServer>, Vec<T>)>) -> Vec<ServerItem<T>> {
    let all = listed.into_iter().flat_map(|(server, items)| {
        items.into_iter().map(move |item| ServerItem { server: server.name.clone(), item })
    });
    all.collect()
}

pub(super) fn prefix(server: &McpServer) -> &str {
    server.prefix.as_deref().unwrap_or(&server.name)
}

fn offer(
    name: String,
    entry: &McpServerEntry,
    server: &McpServer,
    tool: &Tool,
    permissions: ServerToolPermissions,
) -> Option<OfferedTool> {
    let title = tool.title.as_deref();
    let description = tool.description.as_deref().or(title).unwrap_or_default();
    let is_changed = !server.trusted && entry.shared().pins.lock().is_changed(&tool.name);
    let permissions = if is_changed { permissions.with_approval_required(&tool.name) } else { permissions };
    let spec = ToolSpec {
        name,
        description: clean(description),
        parameters: json_of(&for_models(&tool.input_schema))?,
        effects: effects(tool, server),
        runner: ToolRunner::Mcp(McpTool { server: server.name.clone(), tool: tool.name.to_string() }),
        output: tool.output_schema.as_ref().and_then(|schema| json_of(schema)),
        permission: permissions.permission,
        rules: permissions.rules,
        include: permissions.include,
        sequential: false,
    };
    Some(OfferedTool { spec, server: server.name.clone(), definition: tool.clone() })
}

/// Annotations of internal servers are trusted; their tools that are not read-only change the agent itself.
fn effects(tool: &Tool, server: &McpServer) -> Effects {
    if !crate::internal::is_internal_server(&server.transport) {
        return definition::effects(tool, server.trusted);
    }
    match definition::effects(tool, true) {
        Effects::ReadOnly => Effects::ReadOnly,
        _ => Effects::OwnAgent,
    }
}

fn json_of(schema: &JsonObject) -> Option<Json> {
    Json::from_serializable(schema).ok()
}

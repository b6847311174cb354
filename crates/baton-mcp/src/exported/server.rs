//! MCP server with only the exported tools of one agent.

use super::{call, find, tools};
use crate::{agent_invocation::unknown_tool, span::run_call_in_span};
use baton_ports::{AgentInvoker, AgentSource};
use baton_types::{AgentName, AgentResources};
use futures_util::StreamExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Serves only the tools that one agent exports.
pub struct ExportedServer {
    exported: Arc<ExportedAgent>,
    /// Cancelled when the session ends.
    session: CancellationToken,
    _ended: DropGuard,
}

/// State shared by all sessions of one agent.
pub(super) struct ExportedAgent {
    pub(super) agent: AgentName,
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) invoker: Arc<dyn AgentInvoker>,
    pub(super) heartbeat: Duration,
}

impl ExportedAgent {
    fn resources(&self) -> Arc<AgentResources> {
        self.agents.agent_resources(&self.agent)
    }

    fn instructions(&self) -> String {
        let agent = &self.agent;
        let about = self.agents.agent(agent).map(|spec| spec.description.clone()).unwrap_or_default();
        if self.resources().exports.is_empty() {
            return format!(
                "{about}\n\nThe agent '{agent}' exports no tools: its agent.yaml has no exports. Its prompt and its own \
                 tools are at /agents/{agent}/mcp."
            );
        }
        format!(
            "{about}\n\nEach tool gives the agent '{agent}' a task and returns its answer. The agent works autonomously: it \
             cannot ask questions, so the arguments must be complete. It may work for minutes; cancelling the call cancels \
             the task."
        )
    }

    /// Calls `changed` after each change of the tools, until it returns false.
    fn watch<F: Future<Output = bool>>(self: Arc<Self>, changed: impl Fn() -> F) -> impl Future<Output = ()> {
        let mut changes = self.agents.changes();
        let mut last = tools(&self.resources());
        async move {
            while let Some(()) = changes.next().await {
                let now = tools(&self.resources());
                if now != last {
                    last = now;
                    if !changed().await {
                        return;
                    }
                }
            }
        }
    }
}

impl ExportedServer {
    pub(super) fn new(exported: Arc<ExportedAgent>) -> Self {
        let session = CancellationToken::new();
        Self { exported, _ended: session.clone().drop_guard(), session }
    }
}

impl ServerHandler for ExportedServer {
    fn get_info(&self) -> ServerConfig {
        let ExportedAgent { agent, agents, .. } = &*self.exported;
        let mut about = Implementation::new(agent.as_str(), env!("CARGO_PKG_VERSION"));
        if let Some(spec) = agents.agent(agent) {
            about = Implementation::new(agent.as_str(), &spec.version).with_title(&spec.title);
        }
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
            .with_server_info(about)
            .with_instructions(self.exported.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools(&self.exported.resources())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools(&self.exported.resources()).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let ExportedAgent { agent, invoker, heartbeat, .. } = &*self.exported;
        let resources = self.exported.resources();
        let answer = async {
            let Some(tool) = find(&resources, &request.name) else {
                return Err(unknown_tool(&request.name, &tools(&resources)));
            };
            Ok(call(invoker.as_ref(), agent, tool, request.arguments, &context, *heartbeat).await?.into())
        };
        run_call_in_span(&context, answer).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (peer, session) = (context.peer, self.session.clone());
        let watched = Arc::clone(&self.exported).watch(move || {
            let peer = peer.clone();
            async move { peer.notify_tool_list_changed().await.is_ok() }
        });
        tokio::spawn(async move {
            tokio::select! {
                () = session.cancelled() => {}
                () = watched => {}
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink();
        tokio::select! {
            () = context.cancelled() => {}
            () = Arc::clone(&self.exported).watch(|| async { sink.notify_tool_list_changed().await.is_ok() }) => {}
        }
        Ok(())
    }
}

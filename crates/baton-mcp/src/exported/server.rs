//! MCP server with only the exported tools of one agent.

use super::{call, find, tools};
use crate::{span::called, work::unknown_tool};
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
    served: Arc<Served>,
    /// Cancelled when the session ends.
    session: CancellationToken,
    _ended: DropGuard,
}

/// State shared by all sessions of one agent.
pub(super) struct Served {
    pub(super) agent: AgentName,
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) desk: Arc<dyn AgentInvoker>,
    pub(super) heartbeat: Duration,
}

impl Served {
    fn kit(&self) -> Arc<AgentResources> {
        self.agents.agent_resources(&self.agent)
    }

    fn instructions(&self) -> String {
        let agent = &self.agent;
        let about = self.agents.agent(agent).map(|spec| spec.description.clone()).unwrap_or_default();
        if self.kit().exports.is_empty() {
            return format!(
                "{about}\n\nThe agent '{agent}' exports no tools: its agent.yaml has no exports. Its prompt and its own \
                 tools are at /agents/{agent}/mcp."
            );
        }
        format!(
            "{about}\n\nEach tool gives the agent '{agent}' a task and returns its answer. The agent works on its own: it \
             cannot ask back, so the arguments must say everything. It may work for minutes; cancelling the call cancels \
             the task."
        )
    }

    /// Calls `changed` after each change of the tools, until it returns false.
    fn watch<F: Future<Output = bool>>(self: Arc<Self>, changed: impl Fn() -> F) -> impl Future<Output = ()> {
        let mut changes = self.agents.changes();
        let mut last = tools(&self.kit());
        async move {
            while let Some(()) = changes.next().await {
                let now = tools(&self.kit());
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
    pub(super) fn new(served: Arc<Served>) -> Self {
        let session = CancellationToken::new();
        Self { served, _ended: session.clone().drop_guard(), session }
    }
}

impl ServerHandler for ExportedServer {
    fn get_info(&self) -> ServerConfig {
        let Served { agent, agents, .. } = &*self.served;
        let mut about = Implementation::new(agent.as_str(), env!("CARGO_PKG_VERSION"));
        if let Some(spec) = agents.agent(agent) {
            about = Implementation::new(agent.as_str(), &spec.version).with_title(&spec.title);
        }
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
            .with_server_info(about)
            .with_instructions(self.served.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools(&self.served.kit())))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools(&self.served.kit()).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Served { agent, desk, heartbeat, .. } = &*self.served;
        let kit = self.served.kit();
        let answer = async {
            let Some(tool) = find(&kit, &request.name) else { return Err(unknown_tool(&request.name, &tools(&kit))) };
            Ok(call(desk.as_ref(), agent, tool, request.arguments, &context, *heartbeat).await?.into())
        };
        called(&context, answer).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (peer, session) = (context.peer, self.session.clone());
        let watched = Arc::clone(&self.served).watch(move || {
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
            () = Arc::clone(&self.served).watch(|| async { sink.notify_tool_list_changed().await.is_ok() }) => {}
        }
        Ok(())
    }
}

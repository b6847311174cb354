//! Dispatch of the protocol's methods.

use super::{
    EnvironmentPorts, agent::EnvironmentAgent, handoff, page::page, relay::Relay, session::EnvironmentSession,
    view::ToolOrigin,
};
use crate::{
    Caller, EndpointContext,
    span::{run_call_in_span, run_in_span},
};
use baton_rules::{Access, HANDOFF_TOOL, check_access};
use baton_toolhost::CallOptions;
use baton_types::AgentName;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, CompleteRequestParams, CompleteResult,
        GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use std::sync::Arc;

/// MCP server of one agent.
///
/// A clone serves the same agent in another session: session state is not shared.
pub struct Environment {
    pub(super) agent: Arc<EnvironmentAgent>,
    pub(super) session: EnvironmentSession,
}

impl Clone for Environment {
    fn clone(&self) -> Self {
        Self { agent: Arc::clone(&self.agent), session: EnvironmentSession::default() }
    }
}

impl Environment {
    /// The Environment of the agent with this name.
    pub fn new(agent: AgentName, ports: EnvironmentPorts, common: EndpointContext) -> Self {
        Self { agent: Arc::new(EnvironmentAgent::new(agent, ports, common)), session: EnvironmentSession::default() }
    }

    /// Name of its endpoint.
    pub fn endpoint(&self) -> &str {
        &self.agent.endpoint
    }

    /// Log level wanted by the client: from the request, or from the session.
    pub(super) fn level(&self, context: &RequestContext<RoleServer>, caller: &Caller) -> Option<LoggingLevel> {
        if caller.modern {
            return context.meta.log_level();
        }
        Some(self.session.level().unwrap_or(LoggingLevel::Info))
    }

    /// Options sent with every request to a server.
    pub(super) fn options(
        &self,
        context: &RequestContext<RoleServer>,
        caller: &Caller,
        capabilities: &ClientCapabilities,
        relay: &mut Relay,
    ) -> CallOptions {
        CallOptions {
            capabilities: capabilities.clone(),
            caller: self.agent.caller_key(&caller.principal),
            account: format!("{}\0{}", caller.principal.tenant, caller.principal.subject),
            events: relay.events(),
            log_level: self.level(context, caller),
            trace: caller.trace.clone(),
            depth: caller.depth,
            ..CallOptions::default()
        }
    }
}

/// Method futures are boxed: one task serves a request of any method, so it would have the size of the largest, and the
/// library moves it several times before it runs.
impl ServerHandler for Environment {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let Some((spec, resources)) = self.agent.current() else { return ServerConfig::new(capabilities) };
        if !resources.servers.is_empty() {
            capabilities.logging = Some(serde_json::Map::new());
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new(spec.name.as_str(), spec.version.clone());
        info.server_info.title = Some(spec.title.clone());
        info.server_info.description = Some(spec.description.clone()).filter(|description| !description.is_empty());
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.agent.cached_view()?.tool(name).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let view = Box::pin(run_in_span(&context, self.agent.view())).await?;
        let (mut tools, next_cursor) = page(&view.tools, request.as_ref(), self.agent.common.limits.page_size)?;
        if let Some(tool) = tools.iter_mut().find(|tool| tool.name == HANDOFF_TOOL)
            && matches!(view.find(HANDOFF_TOOL), Some(ToolOrigin::Handoff))
        {
            // Generated for every list: agents change, and each caller may see other agents.
            let Caller { principal, .. } = Caller::from_context(&context)?;
            let is_shown = |agent: &AgentName| check_access(&principal, Access::Read, Some(agent)).is_ok();
            tool.description = Some(handoff::description(&view.spec, &*self.agent.ports.agents, is_shown).into());
        }
        Ok(ListToolsResult { next_cursor, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Boxed first: the wrappers move it.
        run_call_in_span(&context, Box::pin(self.call(request, &context))).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Box::pin(run_in_span(&context, self.prompts(request, &context))).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Box::pin(run_in_span(&context, self.prompt(request, &context))).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Box::pin(run_in_span(&context, self.resources(request))).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Box::pin(run_in_span(&context, self.templates(request))).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Box::pin(run_in_span(&context, self.read(request, &context))).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Box::pin(run_in_span(&context, self.completion(request))).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.session.set_level(request.level);
        if self.agent.raise_verbosity(request.level) {
            Box::pin(self.agent.ports.servers.set_log_level(&self.agent.name, request.level)).await;
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Box::pin(run_in_span(&context, self.subscribe_session(&request.uri, &context.peer))).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Box::pin(self.unsubscribe_session(&request.uri)).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.session.start_notifications(&self.agent, &context.peer);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(self.send_changes(context)).await
    }
}

//! Dispatch of the protocol's methods.

use super::{Ports, agent::Agent, handoff, page::page, relay::Relay, session::Session, view::Found};
use crate::{
    Caller, Common,
    span::{answered, called},
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
    pub(super) agent: Arc<Agent>,
    pub(super) session: Session,
}

impl Clone for Environment {
    fn clone(&self) -> Self {
        Self { agent: Arc::clone(&self.agent), session: Session::default() }
    }
}

impl Environment {
    /// The Environment of the agent with this name.
    pub fn new(agent: AgentName, ports: Ports, common: Common) -> Self {
        Self { agent: Arc::new(Agent::new(agent, ports, common)), session: Session::default() }
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
        let Some((spec, kit)) = self.agent.now() else { return ServerConfig::new(capabilities) };
        if !kit.servers.is_empty() {
            capabilities.logging = Some(serde_json::Map::new());
        }
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new(spec.name.as_str(), spec.version.clone());
        info.server_info.title = Some(spec.title.clone());
        info.server_info.description = Some(spec.description.clone()).filter(|description| !description.is_empty());
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.agent.known()?.tool(name).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let view = Box::pin(answered(&context, self.agent.view())).await?;
        let (mut tools, next_cursor) = page(&view.tools, request.as_ref(), self.agent.common.limits.page)?;
        if let Some(tool) = tools.iter_mut().find(|tool| tool.name == HANDOFF_TOOL)
            && matches!(view.find(HANDOFF_TOOL), Some(Found::Handoff))
        {
            // Generated for every list: agents change, and each caller may see other agents.
            let Caller { principal, .. } = Caller::of(&context)?;
            let is_shown = |agent: &AgentName| check_access(&principal, Access::Read, Some(agent)).is_ok();
            tool.description = Some(handoff::described(&view.spec, &*self.agent.ports.agents, is_shown).into());
        }
        Ok(ListToolsResult { next_cursor, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Box::pin(called(&context, self.call(request, &context))).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Box::pin(answered(&context, self.prompts(request, &context))).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Box::pin(answered(&context, self.prompt(request, &context))).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Box::pin(answered(&context, self.resources(request))).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Box::pin(answered(&context, self.templates(request))).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Box::pin(answered(&context, self.read(request, &context))).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Box::pin(answered(&context, self.completion(request))).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.session.set_level(request.level);
        if self.agent.is_louder(request.level) {
            Box::pin(self.agent.ports.servers.set_log_level(&self.agent.name, request.level)).await;
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Box::pin(answered(&context, self.subscribe_session(&request.uri, &context.peer))).await
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
        self.session.listen(&self.agent, &context.peer);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(self.tell_changes(context)).await
    }
}

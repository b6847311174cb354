//! MCP handler of an internal server.

use super::{call::InternalCall, context::InternalContext, knowledge, tools};
use crate::servers::TASK_META;
use baton_types::{AgentName, ItemKind, TaskId};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use std::sync::Arc;

/// Subject of an internal server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InternalServerKind {
    /// Rules or references.
    Knowledge(ItemKind),
    /// Tools and the servers that provide them.
    Tools,
}

/// An internal server of one agent; always returns the current state.
pub(super) struct InternalServer {
    context: Arc<InternalContext>,
    agent: AgentName,
    kind: InternalServerKind,
}

impl InternalServer {
    pub(super) fn new(context: Arc<InternalContext>, agent: AgentName, kind: InternalServerKind) -> Self {
        Self { context, agent, kind }
    }

    fn tools(&self) -> Vec<Tool> {
        match self.kind {
            InternalServerKind::Knowledge(kind) => knowledge::tools(kind),
            InternalServerKind::Tools => tools::tools(),
        }
    }
}

impl ServerHandler for InternalServer {
    fn get_info(&self) -> ServerConfig {
        let name = match self.kind {
            InternalServerKind::Knowledge(ItemKind::Rule) => "baton-rules",
            InternalServerKind::Knowledge(_) => "baton-references",
            InternalServerKind::Tools => "baton-tools",
        };
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = InternalCall {
            context: &self.context,
            agent: &self.agent,
            tool: &request.name,
            task: context.meta.get(TASK_META).and_then(Value::as_str).map(TaskId::from),
            arguments: request.arguments.unwrap_or_default(),
        };
        let answer = match self.kind {
            InternalServerKind::Knowledge(kind) => knowledge::call(kind, &call).await,
            InternalServerKind::Tools => tools::call(&call).await,
        };
        match answer {
            Some(answer) => Ok(answer.unwrap_or_else(|refused| refused.result()).into()),
            None => Err(ErrorData::invalid_params(format!("Unknown tool: {}", request.name), None)),
        }
    }
}

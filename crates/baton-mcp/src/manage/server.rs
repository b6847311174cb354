//! MCP handler of the management server.

use super::{answer, arguments::ManageArguments, schemas, verbs::ManageOperation};
use crate::{
    Caller, EndpointContext, McpService,
    agent_invocation::{base_url, tool_server, unknown_tool},
    error_codes, exported,
    span::run_call_in_span,
};
use baton_manage::{ManageRole, Manager};
use baton_ports::{AgentRepository, AgentSource, ProviderProbe};
use baton_rules::{Access, check_access};
use baton_types::ErrorCode;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams, ServerConfig,
        Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use std::sync::Arc;

/// Usage instructions for a model; clients show them first.
const INSTRUCTIONS: &str = "These tools manage the agents of a Baton. Call agent_list to list them; the other tools \
name an agent by its agentTarget. agent_create creates one, which is available at once; give it a prompt, then rules (how to behave), \
references (what to know), MCP servers (what to use), exported tools (what it offers) and providers (model services). Changes take effect with the agent's next \
task. Secrets are never shown: *** stands for one; send it back to keep the secret. Pass the digest of an earlier answer to have a \
change refused if the agent was changed since.";

/// Lets MCP clients manage the agents of a repository; cheap to clone.
#[derive(Clone)]
pub struct ManageServer {
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) manager: Manager,
    pub(super) providers: Option<Arc<dyn ProviderProbe>>,
}

/// Ports used by the server.
#[derive(Clone)]
pub struct ManagePorts {
    /// Source of agent definitions.
    pub agents: Arc<dyn AgentSource>,
    /// Repository of agent definitions.
    pub repository: Arc<dyn AgentRepository>,
    /// Checks whether a provider can be used, if available.
    pub providers: Option<Arc<dyn ProviderProbe>>,
}

/// Role of the caller, and the base URL at which it reached this Baton.
pub(super) struct ManageCall<'a> {
    pub(super) role: ManageRole,
    pub(super) base: Option<&'a str>,
}

impl ManageServer {
    /// The management endpoint. The surface in front admits only callers that may change agents, and puts a
    /// [`ManageRole`] into the extensions of their requests; callers without one are not owners.
    pub fn endpoint(ports: ManagePorts, common: &EndpointContext) -> McpService<Self> {
        let ManagePorts { agents, repository, providers } = ports;
        let handler = Self { agents, manager: Manager::new(repository), providers };
        McpService::new("manage", common, move || handler.clone())
    }

    async fn run_operation(
        &self,
        verb: ManageOperation,
        call: &ManageCall<'_>,
        request: CallToolRequestParams,
    ) -> CallToolResult {
        let tool = &*request.name;
        let schema = Value::Object(schemas::schema(verb));
        let arguments = match exported::validate_arguments(tool, schema, request.arguments) {
            Ok(arguments) => ManageArguments::new(arguments),
            Err(faults) => return answer::refused(tool, ErrorCode::INVALID_REQUEST, &faults),
        };
        let done = match verb {
            ManageOperation::Part(kind, action) => self.part(kind, action, call, arguments).await,
            operation => self.run_agent_operation(operation, call, arguments).await,
        };
        answer::answer(tool, done)
    }
}

impl ServerHandler for ManageServer {
    fn get_info(&self) -> ServerConfig {
        let description = "Creates, shows, changes, copies and deletes the agents of a Baton";
        tool_server("baton-manage", "Baton: managing agents", description, INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(schemas::tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        ManageOperation::from_name(name).map(schemas::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = async {
            let caller = Caller::from_context(&context)?;
            let Some(verb) = ManageOperation::from_name(&request.name) else {
                return Err(unknown_tool(&request.name, &schemas::tools()));
            };
            if let Err(missing) = check_access(&caller.principal, Access::Admin, None) {
                return Ok(answer::refused(&request.name, error_codes::SCOPE_MISSING, &missing.to_string()).into());
            }
            let call = ManageCall { role: caller_role(&context), base: base_url(&context) };
            Ok(self.run_operation(verb, &call, request).await.into())
        };
        run_call_in_span(&context, answer).await
    }
}

/// Role of the caller, set by the surface.
fn caller_role(context: &RequestContext<RoleServer>) -> ManageRole {
    let parts = context.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get::<ManageRole>()).copied().unwrap_or(ManageRole::Administrator)
}

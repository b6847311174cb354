//! The texts that an agent knows, for it to look into.

use baton_ports::AgentSource;
use baton_types::{AgentName, ContextItem};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use std::sync::Arc;

const LIST: &str = "listReferences";
const GET: &str = "getReference";

/// Lists and gives the references of one agent, as they are now.
pub(super) struct ReferencesServer {
    agents: Arc<dyn AgentSource>,
    agent: AgentName,
}

impl ReferencesServer {
    pub(super) fn new(agents: Arc<dyn AgentSource>, agent: AgentName) -> Self {
        Self { agents, agent }
    }

    fn references(&self) -> Vec<ContextItem> {
        self.agents.agent(&self.agent).map(|agent| agent.knowledge.references.clone()).unwrap_or_default()
    }

    fn list(&self) -> CallToolResult {
        let references = self.references();
        let about = |reference: &ContextItem| json!({"name": reference.name, "description": reference.description});
        let all: Vec<Value> = references.iter().map(about).collect();
        CallToolResult::structured(json!({ "references": all }))
    }

    fn get(&self, arguments: &JsonObject) -> CallToolResult {
        let Some(name) = arguments.get("name").and_then(Value::as_str) else {
            return refused("getReference needs a name; listReferences tells them".to_owned());
        };
        let references = self.references();
        match references.iter().find(|reference| reference.name == name) {
            Some(reference) => CallToolResult::structured(json!({
                "name": reference.name,
                "description": reference.description,
                "text": reference.text,
            })),
            None => {
                let names: Vec<&str> = references.iter().map(|reference| reference.name.as_str()).collect();
                let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                refused(format!("there is no reference '{name}'; there are: {known}"))
            }
        }
    }
}

fn refused(words: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}

fn tools() -> Vec<Tool> {
    let tool = |name: &'static str, description: &'static str, schema: Value| {
        let schema = schema.as_object().cloned().unwrap_or_default();
        let looks_only = ToolAnnotations::new().read_only(true).open_world(false);
        Tool::new(name, description, Arc::new(schema)).with_annotations(looks_only)
    };
    vec![
        tool(
            GET,
            "Gives the whole text of a reference.",
            json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
        ),
        tool(LIST, "Lists the references: name and description.", json!({"type": "object", "properties": {}})),
    ]
}

impl ServerHandler for ReferencesServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("baton-references", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            LIST => Ok(self.list().into()),
            GET => Ok(self.get(&request.arguments.unwrap_or_default()).into()),
            other => Err(ErrorData::invalid_params(format!("Unknown tool: {other}"), None)),
        }
    }
}

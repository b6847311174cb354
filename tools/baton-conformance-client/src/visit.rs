//! Uses everything that a server offers once.

use crate::{
    arguments::{default_answers, required_arguments},
    scenario::ConformanceScenario,
};
use anyhow::{Context as _, bail, ensure};
use baton_ports::ServerState;
use baton_toolhost::{CallOptions, McpServers, OfferedTool, ServerReply};
use baton_types::AgentSpec;
use rmcp::model::{ClientCapabilities, ElicitationCapability, JsonObject};
use std::time::Duration;

const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);
/// Upper bound of input rounds of one call.
const MAX_ROUNDS: usize = 10;

/// The tool to which a schema must be sent back unchanged, and the tool that has the schema.
const ECHO_TOOLS: (&str, &str) = ("json_schema_echo", "json_schema_2020_12_tool");

/// Calls every tool, gets every prompt and reads every resource.
pub(crate) async fn use_everything(
    servers: &McpServers,
    agent: &AgentSpec,
    scene: &ConformanceScenario,
) -> anyhow::Result<()> {
    let tools = servers.tools(agent, DISCOVERY_TIMEOUT).await;
    let statuses = servers.statuses(&agent.name);
    let status = statuses.first().context("the agent has one server")?;
    ensure!(status.state == ServerState::Ready, "{:?}: {:?}", status.state, status.reason);
    let call = |tool: &str, arguments: JsonObject| call(servers, agent, tool.to_owned(), arguments);
    for planned_call in &scene.calls {
        call(&planned_call.name, planned_call.arguments.clone()).await?;
    }
    if scene.calls.is_empty() {
        for tool in &tools {
            call(&tool.definition.name, arguments(tool, &tools)).await?;
        }
    }
    // In this scenario the authorization server changes after the first call.
    if scene.name == "auth/authorization-server-migration" {
        for tool in &tools {
            call(&tool.definition.name, arguments(tool, &tools)).await?;
        }
    }
    for prompt in servers.prompts(&agent.name, DISCOVERY_TIMEOUT).await {
        servers.get_prompt(&agent.name, &prompt.server, &prompt.definition.name, options(None)).await?;
    }
    for resource in servers.resources(&agent.name, DISCOVERY_TIMEOUT).await {
        servers.read_resource(&agent.name, &resource.server, &resource.item.uri, options(None)).await?;
    }
    Ok(())
}

async fn call(servers: &McpServers, agent: &AgentSpec, tool: String, arguments: JsonObject) -> anyhow::Result<()> {
    let server = servers.statuses(&agent.name).first().map(|status| status.name.clone()).unwrap_or_default();
    let mut options = options(Some(arguments));
    for _ in 0..MAX_ROUNDS {
        match servers.call_tool(&agent.name, &server, &tool, options.clone()).await? {
            ServerReply::Done(_) => return Ok(()),
            ServerReply::InputRequired { requests, state } => {
                options.input_responses = Some(default_answers(requests)?);
                options.request_state = state;
            }
        }
    }
    bail!("{tool} keeps asking for input")
}

fn options(arguments: Option<JsonObject>) -> CallOptions {
    let mut capabilities = ClientCapabilities::default();
    capabilities.elicitation = Some(ElicitationCapability::default());
    CallOptions { arguments, capabilities, caller: "conformance".to_owned(), ..CallOptions::default() }
}

fn arguments(tool: &OfferedTool, all: &[OfferedTool]) -> JsonObject {
    let mut arguments = required_arguments(&tool.definition.input_schema);
    let sample = all.iter().find(|candidate| candidate.definition.name == ECHO_TOOLS.1);
    if let Some(sample) = sample.filter(|_| tool.definition.name.starts_with(ECHO_TOOLS.0)) {
        let schema = JsonObject::clone(&sample.definition.input_schema);
        arguments.insert("schema".to_owned(), schema.into());
    }
    arguments
}

//! The scenario, from the suite's environment variables.

use anyhow::Context as _;
use baton_types::{McpEra, McpOauth};
use rmcp::model::JsonObject;
use serde::Deserialize;

/// One scenario, as far as it is known to the client.
pub(crate) struct ConformanceScenario {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) era: McpEra,
    pub(crate) oauth: McpOauth,
    pub(crate) client_secret: Option<String>,
    pub(crate) calls: Vec<ScenarioCall>,
}

/// A call that the scenario requires.
#[derive(Deserialize)]
pub(crate) struct ScenarioCall {
    pub(crate) name: String,
    pub(crate) arguments: JsonObject,
}

#[derive(Default, Deserialize)]
struct Context {
    client_id: Option<String>,
    client_secret: Option<String>,
    #[serde(default, rename = "toolCalls")]
    calls: Vec<ScenarioCall>,
}

impl ConformanceScenario {
    pub(crate) fn from_environment() -> anyhow::Result<Self> {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let context = match variable("MCP_CONFORMANCE_CONTEXT") {
            text if text.is_empty() => Context::default(),
            text => serde_json::from_str(&text).context("MCP_CONFORMANCE_CONTEXT")?,
        };
        let url = std::env::args().next_back().context("the address of the server is the last argument")?;
        // The scenarios of one protocol revision accept its handshake only.
        let era = match variable("MCP_CONFORMANCE_PROTOCOL_VERSION").as_str() {
            version if version >= "2026-07-28" => McpEra::Modern,
            _ => McpEra::Legacy,
        };
        let oauth = McpOauth {
            client_id: context.client_id,
            client_secret: context.client_secret.as_ref().map(|_| "env://CLIENT_SECRET".to_owned()),
            ..McpOauth::default()
        };
        let name = variable("MCP_CONFORMANCE_SCENARIO");
        Ok(Self { name, url, era, oauth, client_secret: context.client_secret, calls: context.calls })
    }
}

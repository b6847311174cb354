//! `contextcore.json`: discovery document of an agent for ContextCore.

use super::Card;
use crate::de;
use baton_types::AgentSpec;
use serde::{Deserialize, Serialize};

/// Content of `/.well-known/contextcore.json`; lists only available services.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Discovery {
    /// Version of the document format.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// Always `contextcore`.
    #[serde(deserialize_with = "de::or_default")]
    pub protocol: String,
    /// The full card of the agent.
    #[serde(deserialize_with = "de::or_default")]
    pub agent: Card,
    /// Location of its spans; the members are `null` if unknown.
    #[serde(deserialize_with = "de::or_default")]
    pub discovery: Telemetry,
    /// URLs of its services.
    #[serde(deserialize_with = "de::or_default")]
    pub endpoints: Endpoints,
    /// The server of the agent; absent in documents of ContextCore's own servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<DiscoveryServer>,
}

/// Location of spans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// Base URL of a Tempo API.
    #[serde(alias = "tempoUrl")]
    pub tempo_url: Option<String>,
    /// TraceQL prefix that selects the agent's spans.
    #[serde(alias = "traceqlPrefix")]
    pub traceql_prefix: Option<String>,
}

/// Absolute URLs of services: the document is served below the agent, the services are not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Endpoints {
    /// JSON-RPC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a2a: Option<String>,
    /// Insights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insights: Option<String>,
    /// Handoffs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<String>,
    /// Skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<String>,
}

/// A server program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DiscoveryServer {
    /// Its name.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// Its version.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
}

impl Discovery {
    /// Version of the written format.
    pub const VERSION: &str = "1.0";

    /// The document of an agent that Baton `version` serves at `url`, without a trailing slash.
    pub fn from_spec(agent: &AgentSpec, url: &str, version: &str) -> Self {
        Self {
            version: Self::VERSION.to_owned(),
            protocol: "contextcore".to_owned(),
            agent: Card::from_spec(agent, url),
            discovery: Telemetry::default(),
            endpoints: Endpoints { a2a: Some(format!("{url}/a2a")), ..Endpoints::default() },
            server: Some(DiscoveryServer { name: "baton".to_owned(), version: version.to_owned() }),
        }
    }
}

//! `contextcore.json`: where a ContextCore finds everything that an agent offers.

use super::Card;
use crate::de;
use baton_types::AgentSpec;
use serde::{Deserialize, Serialize};

/// What `/.well-known/contextcore.json` says; only what is really served is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Discovery {
    /// The version of the document's form.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
    /// Always `contextcore`.
    #[serde(deserialize_with = "de::or_default")]
    pub protocol: String,
    /// The agent's full card.
    #[serde(deserialize_with = "de::or_default")]
    pub agent: Card,
    /// Where its spans are; the members are `null` when nobody says.
    #[serde(deserialize_with = "de::or_default")]
    pub discovery: Telemetry,
    /// Where its services are.
    #[serde(deserialize_with = "de::or_default")]
    pub endpoints: Endpoints,
    /// Who serves the agent; ContextCore's own servers do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
}

/// Where spans are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// The base of a Tempo API.
    #[serde(alias = "tempoUrl")]
    pub tempo_url: Option<String>,
    /// How the agent's spans are asked for.
    #[serde(alias = "traceqlPrefix")]
    pub traceql_prefix: Option<String>,
}

/// Where services are, as absolute URLs: the document is served below the agent and they are not.
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

/// A program that serves agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Server {
    /// Its name.
    #[serde(deserialize_with = "de::or_default")]
    pub name: String,
    /// Its version.
    #[serde(deserialize_with = "de::or_default")]
    pub version: String,
}

impl Discovery {
    /// The form that is written.
    pub const VERSION: &str = "1.0";

    /// What is said about an agent that Baton `version` serves at `url`, which does not end with a slash.
    pub fn of(agent: &AgentSpec, url: &str, version: &str) -> Self {
        Self {
            version: Self::VERSION.to_owned(),
            protocol: "contextcore".to_owned(),
            agent: Card::of(agent, url),
            discovery: Telemetry::default(),
            endpoints: Endpoints { a2a: Some(format!("{url}/a2a")), ..Endpoints::default() },
            server: Some(Server { name: "baton".to_owned(), version: version.to_owned() }),
        }
    }
}

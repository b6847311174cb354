//! The tool host as a program that the public MCP conformance suite can start.
//!
//! The suite passes the URL of a server as the last argument and the scenario in environment variables. This program
//! connects to the server as a run of an agent would, and uses everything that it offers. It must never implement the
//! protocol itself: the suite tests the behaviour of `baton-toolhost`.
//!
//! Read first: [`agent::SingleServerAgent`] (the agent with the server), [`visit::use_everything`].

mod agent;
mod arguments;
mod browser;
mod scenario;
mod visit;

use agent::SingleServerAgent;
use anyhow::Context as _;
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_toolhost::{ConnectorRegistry, HostSettings, McpServers, RemoteConnector, RemoteSettings, TransportKind};
use browser::HeadlessBrowser;
use scenario::ConformanceScenario;
use std::sync::Arc;

/// URL of the client metadata document that the suite expects.
const CLIENT_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::ERROR)
        .with_writer(std::io::stderr)
        .init();
    let scene = ConformanceScenario::from_environment()?;
    let logins = tempfile::tempdir().context("a folder for logins")?;
    let client = GuardedClient::new(AddressPolicy::public_only(), &OutboundOptions::default())?;
    let secret = scene.client_secret.clone();
    let settings = RemoteSettings {
        logins: Some(logins.path().to_owned()),
        browser: Some(Arc::new(HeadlessBrowser::new(&client)?)),
        client_document: Some(CLIENT_DOCUMENT.to_owned()),
        variables: Arc::new(move |_| secret.clone()),
        ..RemoteSettings::new(client)
    };
    let connect = Arc::new(RemoteConnector::new(settings));
    let connectors = ConnectorRegistry::new().with(TransportKind::Http, connect);
    let agent = Arc::new(SingleServerAgent::new(&scene));
    let servers = McpServers::new(agent.clone(), connectors, HostSettings::default());
    let visited = visit::use_everything(&servers, agent.spec(), &scene).await;
    servers.close().await;
    visited
}

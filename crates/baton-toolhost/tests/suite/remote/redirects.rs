//! Redirects stay within the origin.

use super::{
    provider::{Definition, settings},
    world::{Client, Reply, Server, connect, look, standard_reply, text},
};
use baton_toolhost::{ConnectAttempt, RemoteConnector, ServerConnector as _};
use baton_types::McpTransport;
use rmcp::service::ClientInitializeError;
use std::collections::BTreeMap;

async fn open(url: String) -> Result<Client, ClientInitializeError> {
    let definition = Definition::new(McpTransport::Http { url, headers: BTreeMap::new() });
    let connector = RemoteConnector::new(settings(None));
    connect(connector.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await
}

#[tokio::test]
async fn redirects_are_followed_within_the_origin_only() {
    let other = Server::start(standard_reply).await;
    let away = other.url("/mcp");
    let server = Server::start(move |got| match got.path.as_str() {
        "/old" => Reply::status(307).with("location", "/mcp"),
        "/away" => Reply::status(307).with("location", away.clone()),
        _ => standard_reply(got),
    })
    .await;
    let client = open(server.url("/old")).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    let error = open(server.url("/away")).await.unwrap_err().to_string();
    assert!(error.contains("another origin"), "{error}");
    assert!(other.requests().is_empty());
}

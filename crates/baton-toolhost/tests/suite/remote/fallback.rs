//! URLs without a transport type, and the errors if no server is there.

use super::{
    legacy::LegacyServer,
    provider::{Definition, settings},
    world::{Reply, Server, connect, look, text},
};
use baton_toolhost::{ConnectAttempt, ConnectError, RemoteConnector, ServerConnector as _};
use baton_types::McpTransport;
use std::collections::BTreeMap;

#[tokio::test]
async fn url_without_type_falls_back_to_the_older_transport() {
    let old = LegacyServer::start("messages?session=1").await;
    let url = old.server.url("/team/sse");
    let connector = RemoteConnector::new(settings(None));
    let either = Definition::new(McpTransport::Remote { url: url.clone(), headers: BTreeMap::new() });
    let failure =
        connect(connector.open(either.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap_err();
    assert!(connector.has_older_transport(either.target(), &failure), "{failure}");
    let client = connect(connector.open(either.target(), ConnectAttempt::Older).await.unwrap()).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");

    let one = Definition::new(McpTransport::Http { url, headers: BTreeMap::new() });
    assert!(!connector.has_older_transport(one.target(), &failure), "an explicit type has no fallback");
    let explained = connector.explain(one.target(), &failure).unwrap();
    let ConnectError::Failed { reason, hint } = explained else { panic!("{explained:?}") };
    let said = "it answered 405 to a message: no MCP server is at this address, or it speaks the older HTTP+SSE";
    assert_eq!(reason, said);
    assert_eq!(hint, "check the url; for a server with the older transport write \"type\": \"sse\"");
}

#[tokio::test]
async fn protocol_error_does_not_trigger_the_fallback() {
    let server = Server::start(|got| {
        let error = serde_json::json!({ "code": -32000, "message": "no session" });
        let mut refusal =
            Reply::json(&serde_json::json!({ "jsonrpc": "2.0", "id": got.message()["id"], "error": error }));
        refusal.set_status(400);
        refusal
    })
    .await;
    let connector = RemoteConnector::new(settings(None));
    let either = Definition::new(McpTransport::Remote { url: server.url("/mcp"), headers: BTreeMap::new() });
    let failure =
        connect(connector.open(either.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap_err();
    assert!(!connector.has_older_transport(either.target(), &failure));
    assert!(failure.to_string().contains("no session"), "{failure}");
}

#[tokio::test]
async fn invalid_headers_are_named_without_their_values() {
    let connector = RemoteConnector::new(settings(None));
    for (name, value) in [("x key", "secret"), ("x-key", "sec\nret"), ("Mcp-Session-Id", "secret")] {
        let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let definition = Definition::new(McpTransport::Http { url: "http://127.0.0.1:1/".to_owned(), headers });
        let Err(ConnectError::Failed { reason, hint }) =
            connector.open(definition.target(), ConnectAttempt::Discover).await
        else {
            panic!("{name} is sent");
        };
        assert!(reason.starts_with(&format!("the header '{name}'")) && !reason.contains("sec"), "{reason}");
        assert_eq!(hint, "correct the headers of 'notes' in mcp.json");
    }
}

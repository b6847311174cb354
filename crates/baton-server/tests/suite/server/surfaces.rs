//! The HTTP surface in memory and for a listener.

use super::{greet, options, send_greeting};
use baton_client::{AgentTextKind, Client};
use baton_server::{IdentityOptions, Management, Persistence, Server};
use baton_types::ErrorCode;
use tokio::net::TcpListener;

#[tokio::test]
async fn management_is_available_only_if_enabled() {
    let home = tempfile::tempdir().expect("a directory");
    for (management, is_available) in [(Management::Disabled, false), (Management::Enabled, true)] {
        let mut options = options(home.path(), Persistence::default());
        options.management = management;
        let server = Server::open(options).await.expect("it opens");
        let client = Client::in_memory(server.local_surface().router);
        greet(&client).await;
        assert_eq!(client.tokens().await.is_ok(), is_available, "{management:?}");
        assert_eq!(client.agent_texts(AgentTextKind::Rules, "desk").await.is_ok(), is_available, "{management:?}");
        server.close().await;
    }
}

#[tokio::test]
async fn callers_need_a_token_if_it_is_required() {
    let home = tempfile::tempdir().expect("a directory");
    let identity = |owner: Option<&str>| IdentityOptions {
        required: true,
        owner_token: owner.map(str::to_owned),
        ..IdentityOptions::default()
    };
    let open = async |identity| {
        let mut options = options(home.path(), Persistence::default());
        options.listener.identity = identity;
        let server = Server::open(options).await.expect("it opens");
        server.listen(TcpListener::bind("127.0.0.1:0").await.expect("a port"))
    };
    let unowned = open(identity(None)).await.expect_err("the owner has no token");
    assert_eq!(unowned.code(), ErrorCode::CONFIG_INVALID, "{unowned}");

    let running = open(identity(Some("secret"))).await.expect("it listens").start();
    let stranger = Client::tcp(running.url()).expect("a URL");
    assert!(send_greeting(&stranger).await.is_err());
    greet(&stranger.with_token("secret").expect("a token")).await;
    running.stop().await;
}

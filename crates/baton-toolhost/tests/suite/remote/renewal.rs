//! Tokens that are rejected, renewed and stored.

use super::{
    provider::{CallbackFault, Provider, ScriptedBrowser, settings},
    world::{connect, look, text},
};
use baton_toolhost::{ConnectAttempt, RemoteConnector, RemoteSettings, ServerConnector as _};

#[tokio::test]
async fn rejected_token_is_renewed_once_for_concurrent_calls() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let person = ScriptedBrowser::new(CallbackFault::None);
    let with_browser = RemoteConnector::new(RemoteSettings { browser: Some(person), ..settings(Some(folder.path())) });
    let definition = provider.definition();
    let client =
        connect(with_browser.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap();
    // The token is revoked.
    provider.given.lock().unwrap().tokens += 10;
    let calls = (0..8).map(|_| look(&client));
    for called in futures_util::future::join_all(calls).await {
        assert_eq!(text(&called.unwrap()), "seen");
    }
    assert_eq!((provider.grants("refresh_token"), provider.grants("authorization_code")), (1, 1));
    let renewal = provider.server.requests().into_iter().rfind(|got| got.path == "/token").unwrap();
    assert_eq!(renewal.field("resource"), Some(provider.server.url("/mcp")));
    assert_eq!(
        renewal.field("client_secret").as_deref(),
        Some("client-secret"),
        "the client secret of the registration is reused"
    );
}

#[tokio::test]
async fn forgotten_client_registers_again() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let person = ScriptedBrowser::new(CallbackFault::None);
    let with_browser =
        RemoteConnector::new(RemoteSettings { browser: Some(person.clone()), ..settings(Some(folder.path())) });
    let definition = provider.definition();
    let client =
        connect(with_browser.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap();
    {
        let mut given = provider.given.lock().unwrap();
        given.tokens += 10;
        given.forgotten = given.clients;
    }
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!((provider.given.lock().unwrap().clients, person.pages.lock().unwrap().len()), (2, 2));

    // The same if the registration turns out to be unknown only after the next login.
    provider.given.lock().unwrap().forgotten = 2;
    with_browser.authorizer(definition.target()).unwrap().unwrap().login().await.unwrap();
    assert_eq!((provider.given.lock().unwrap().clients, person.pages.lock().unwrap().len()), (3, 4));
}

#[tokio::test]
async fn credentials_are_private_and_never_shown() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let logins = folder.path().join("mcp-oauth");
    let person = ScriptedBrowser::new(CallbackFault::None);
    let with_browser = RemoteConnector::new(RemoteSettings { browser: Some(person), ..settings(Some(&logins)) });
    let definition = provider.definition();
    let client =
        connect(with_browser.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    let remote = with_browser.remote(definition.target()).unwrap();
    let authorizer = with_browser.authorizer(definition.target()).unwrap().unwrap();
    let shown = format!("{remote:?} {authorizer:?} {:?}", definition.target().log);
    assert!(!shown.contains("token-") && !shown.contains("client-secret"), "{shown}");
    let files: Vec<_> = std::fs::read_dir(&logins).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    assert!(std::fs::read_to_string(file).unwrap().contains("token-1"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(file), mode(&logins)), (0o600, 0o700));
    }
    // The error for a damaged file names the file, not its contents.
    std::fs::write(file, "{\"token-1\": oops").unwrap();
    let error = with_browser.authorizer(definition.target()).unwrap_err().to_string();
    assert!(error.contains("remove the file and log in again") && !error.contains("token-1"), "{error}");
}

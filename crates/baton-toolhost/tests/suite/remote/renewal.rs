//! Tokens that are refused, renewed, and kept.

use super::{
    provider::{Person, Provider, Twist, settings},
    world::{connect, look, text},
};
use baton_toolhost::{ConnectAttempt, RemoteConnector, RemoteSettings, ServerConnector as _};

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once_for_all_who_wait() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let person = Person::new(Twist::None);
    let with_person = RemoteConnector::new(RemoteSettings { browser: Some(person), ..settings(Some(folder.path())) });
    let definition = provider.definition();
    let client =
        connect(with_person.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap();
    // Somebody revoked it.
    provider.given.lock().unwrap().tokens += 10;
    let calls = (0..8).map(|_| look(&client));
    for called in futures_util::future::join_all(calls).await {
        assert_eq!(text(&called.unwrap()), "seen");
    }
    assert_eq!((provider.grants("refresh_token"), provider.grants("authorization_code")), (1, 1));
    let renewal = provider.server.got().into_iter().rfind(|got| got.path == "/token").unwrap();
    assert_eq!(renewal.field("resource"), Some(provider.server.url("/mcp")));
    assert_eq!(
        renewal.field("client_secret").as_deref(),
        Some("client-secret"),
        "the secret of a registration is kept"
    );
}

#[tokio::test]
async fn a_client_that_is_not_known_any_more_registers_again() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let person = Person::new(Twist::None);
    let with_person =
        RemoteConnector::new(RemoteSettings { browser: Some(person.clone()), ..settings(Some(folder.path())) });
    let definition = provider.definition();
    let client =
        connect(with_person.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap();
    {
        let mut given = provider.given.lock().unwrap();
        given.tokens += 10;
        given.forgotten = given.clients;
    }
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!((provider.given.lock().unwrap().clients, person.pages.lock().unwrap().len()), (2, 2));

    // The same when it shows only after somebody logged in with the old registration.
    provider.given.lock().unwrap().forgotten = 2;
    with_person.authorizer(definition.target()).unwrap().unwrap().login().await.unwrap();
    assert_eq!((provider.given.lock().unwrap().clients, person.pages.lock().unwrap().len()), (3, 4));
}

#[tokio::test]
async fn credentials_are_for_their_owner_alone_and_in_no_text() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let logins = folder.path().join("mcp-oauth");
    let person = Person::new(Twist::None);
    let with_person = RemoteConnector::new(RemoteSettings { browser: Some(person), ..settings(Some(&logins)) });
    let definition = provider.definition();
    let client =
        connect(with_person.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    let remote = with_person.remote(definition.target()).unwrap();
    let authorizer = with_person.authorizer(definition.target()).unwrap().unwrap();
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
    // A file that nobody can read says where it is, not what is in it.
    std::fs::write(file, "{\"token-1\": oops").unwrap();
    let error = with_person.authorizer(definition.target()).unwrap_err().to_string();
    assert!(error.contains("remove the file and log in again") && !error.contains("token-1"), "{error}");
}

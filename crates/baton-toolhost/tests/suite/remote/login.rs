//! Logging in: who is asked, and what is refused.

use super::{
    provider::{Definition, Person, Provider, Twist, settings},
    world::{Client, connect, look, text},
};
use baton_toolhost::{
    ConnectAttempt, ConnectError, RemoteConnector, RemoteSettings, ServerConnector as _, needs_login, streamable,
};
use baton_types::McpOauth;
use rmcp::service::ClientInitializeError;
use std::{path::Path, sync::Arc};

/// A connector whose servers are logged in at by this person.
fn with_person(folder: &Path, person: &Arc<Person>) -> RemoteConnector {
    RemoteConnector::new(RemoteSettings { browser: Some(person.clone()), ..settings(Some(folder)) })
}

async fn open(connector: &RemoteConnector, definition: &Definition) -> Result<Client, ClientInitializeError> {
    connect(connector.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await
}

#[tokio::test]
async fn a_server_that_wants_a_login_waits_for_it_and_works_after_it() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let definition = provider.definition();
    let alone = RemoteConnector::new(settings(Some(folder.path())));
    let failure = open(&alone, &definition).await.unwrap_err();
    let told = alone.explain(definition.target(), &failure).unwrap();
    let ConnectError::NeedsLogin { reason, hint } = told else { panic!("{told:?}") };
    assert_eq!(
        (reason.as_str(), hint.as_str()),
        ("the server requires a login", "run `baton tools login clerk notes`")
    );

    let person = Person::new(Twist::None);
    let client = open(&with_person(folder.path(), &person), &definition).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!(person.said("code_challenge_method").as_deref(), Some("S256"));
    assert_eq!(person.said("resource"), Some(provider.server.url("/mcp")));
    assert_eq!(person.said("scope").as_deref(), Some("read"));

    // From now on nobody has to be there, also in another process.
    let later = RemoteConnector::new(settings(Some(folder.path())));
    let client = open(&later, &definition).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!((provider.grants("authorization_code"), person.pages.lock().unwrap().len()), (1, 1));
}

#[tokio::test]
async fn a_way_back_that_is_bent_gives_no_token() {
    for (twist, reason) in [
        (Twist::State, "the response belongs to another login (state does not match)"),
        (Twist::Issuer, "issuer mismatch"),
        (Twist::NoIssuer, "missing required issuer"),
        (Twist::Denied, "the authorization server returned: access_denied"),
    ] {
        let provider = Provider::start().await;
        let folder = tempfile::tempdir().unwrap();
        let connector = with_person(folder.path(), &Person::new(twist));
        let definition = provider.definition();
        let failure = open(&connector, &definition).await.unwrap_err();
        let told = connector.explain(definition.target(), &failure).unwrap();
        assert!(told.to_string().contains(reason), "{twist:?}: {told}");
        assert_eq!(provider.grants("authorization_code"), 0, "{twist:?}");
    }
}

#[tokio::test]
async fn an_authorization_server_inside_of_the_network_is_not_called() {
    for place in ["http://169.254.169.254", "http://10.0.0.1", "http://[fd00::1]"] {
        let provider = Provider::start().await;
        provider.given.lock().unwrap().elsewhere = Some(place.to_owned());
        let folder = tempfile::tempdir().unwrap();
        let person = Person::new(Twist::None);
        let failure = open(&with_person(folder.path(), &person), &provider.definition()).await.unwrap_err();
        assert!(failure.to_string().contains("the login failed"), "{failure}");
        assert!(person.pages.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn more_rights_are_asked_for_once_and_with_those_there_were() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let person = Person::new(Twist::None);
    let definition = provider.definition();
    open(&with_person(folder.path(), &person), &definition).await.unwrap();
    provider.given.lock().unwrap().wants = Some("write");

    // Nobody is there to grant them: however often it is tried, somebody has to log in.
    let client = open(&RemoteConnector::new(settings(Some(folder.path()))), &definition).await.unwrap();
    for _ in 0..2 {
        let error = look(&client).await.unwrap_err();
        assert_eq!(needs_login(&error), Some("the server requires a login with more scopes: write"), "{error}");
    }

    // Somebody is there, but what is granted is never enough for this server.
    let client = open(&with_person(folder.path(), &person), &definition).await.unwrap();
    for _ in 0..2 {
        let error = look(&client).await.unwrap_err().to_string();
        assert!(error.contains("scopes that were already requested (write)"), "{error}");
    }
    assert_eq!(person.said("scope").as_deref(), Some("read write"));
    assert_eq!(person.pages.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_login_from_elsewhere_counts_at_once() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let definition = provider.definition();
    let alone = RemoteConnector::new(settings(Some(folder.path())));
    let early = alone.remote(definition.target()).unwrap();
    open(&with_person(folder.path(), &Person::new(Twist::None)), &definition).await.unwrap();
    let client = connect(streamable(early)).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
}

#[tokio::test]
async fn a_client_with_a_secret_logs_in_by_itself() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let oauth = McpOauth {
        client_id: Some("machine".to_owned()),
        client_secret: Some("env://CLIENT_SECRET".to_owned()),
        ..McpOauth::default()
    };
    let definition = provider.definition().with_oauth(oauth);
    let client = open(&RemoteConnector::new(settings(Some(folder.path()))), &definition).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    let asked = provider.server.got().into_iter().find(|got| got.path == "/token").unwrap();
    let said = |name: &str| asked.field(name).unwrap_or_default();
    assert_eq!(
        [said("grant_type"), said("client_id"), said("client_secret"), said("resource"), said("scope")],
        ["client_credentials", "machine", "machine-secret", &provider.server.url("/mcp"), "read"]
    );
}

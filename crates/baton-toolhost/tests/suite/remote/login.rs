//! OAuth logins and rejected responses.

use super::{
    provider::{CallbackFault, Definition, Provider, ScriptedBrowser, settings},
    world::{Client, connect, look, text},
};
use baton_toolhost::{
    ConnectAttempt, ConnectError, RemoteConnector, RemoteSettings, ServerConnector as _, needs_login, streamable,
};
use baton_types::McpOauth;
use rmcp::service::ClientInitializeError;
use std::{path::Path, sync::Arc};

/// A connector with a scripted browser.
fn with_browser(folder: &Path, person: &Arc<ScriptedBrowser>) -> RemoteConnector {
    RemoteConnector::new(RemoteSettings { browser: Some(person.clone()), ..settings(Some(folder)) })
}

async fn open(connector: &RemoteConnector, definition: &Definition) -> Result<Client, ClientInitializeError> {
    connect(connector.open(definition.target(), ConnectAttempt::Initialize).await.unwrap()).await
}

#[tokio::test]
async fn server_works_after_the_required_login() {
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

    let person = ScriptedBrowser::new(CallbackFault::None);
    let client = open(&with_browser(folder.path(), &person), &definition).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!(person.page_parameter("code_challenge_method").as_deref(), Some("S256"));
    assert_eq!(person.page_parameter("resource"), Some(provider.server.url("/mcp")));
    assert_eq!(person.page_parameter("scope").as_deref(), Some("read"));

    // Later connections need no browser, also in another process.
    let later = RemoteConnector::new(settings(Some(folder.path())));
    let client = open(&later, &definition).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
    assert_eq!((provider.grants("authorization_code"), person.pages.lock().unwrap().len()), (1, 1));
}

#[tokio::test]
async fn invalid_callback_gets_no_token() {
    for (fault, reason) in [
        (CallbackFault::State, "the response belongs to another login (state does not match)"),
        (CallbackFault::Issuer, "issuer mismatch"),
        (CallbackFault::NoIssuer, "missing required issuer"),
        (CallbackFault::Denied, "the authorization server returned: access_denied"),
    ] {
        let provider = Provider::start().await;
        let folder = tempfile::tempdir().unwrap();
        let connector = with_browser(folder.path(), &ScriptedBrowser::new(fault));
        let definition = provider.definition();
        let failure = open(&connector, &definition).await.unwrap_err();
        let told = connector.explain(definition.target(), &failure).unwrap();
        assert!(told.to_string().contains(reason), "{fault:?}: {told}");
        assert_eq!(provider.grants("authorization_code"), 0, "{fault:?}");
    }
}

#[tokio::test]
async fn private_authorization_server_is_not_called() {
    for place in ["http://169.254.169.254", "http://10.0.0.1", "http://[fd00::1]"] {
        let provider = Provider::start().await;
        provider.given.lock().unwrap().authorization_server = Some(place.to_owned());
        let folder = tempfile::tempdir().unwrap();
        let person = ScriptedBrowser::new(CallbackFault::None);
        let failure = open(&with_browser(folder.path(), &person), &provider.definition()).await.unwrap_err();
        assert!(failure.to_string().contains("the login failed"), "{failure}");
        assert!(person.pages.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn additional_scopes_are_requested_once_with_the_old_ones() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let person = ScriptedBrowser::new(CallbackFault::None);
    let definition = provider.definition();
    open(&with_browser(folder.path(), &person), &definition).await.unwrap();
    provider.given.lock().unwrap().required_scope = Some("write");

    // Without a browser the scopes cannot be granted: every call requires a login.
    let client = open(&RemoteConnector::new(settings(Some(folder.path()))), &definition).await.unwrap();
    for _ in 0..2 {
        let error = look(&client).await.unwrap_err();
        assert_eq!(needs_login(&error), Some("the server requires a login with more scopes: write"), "{error}");
    }

    // With a browser, but the granted scopes never suffice for this server.
    let client = open(&with_browser(folder.path(), &person), &definition).await.unwrap();
    for _ in 0..2 {
        let error = look(&client).await.unwrap_err().to_string();
        assert!(error.contains("scopes that were already requested (write)"), "{error}");
    }
    assert_eq!(person.page_parameter("scope").as_deref(), Some("read write"));
    assert_eq!(person.pages.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn login_of_another_connector_applies_immediately() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let definition = provider.definition();
    let alone = RemoteConnector::new(settings(Some(folder.path())));
    let early = alone.remote(definition.target()).unwrap();
    open(&with_browser(folder.path(), &ScriptedBrowser::new(CallbackFault::None)), &definition).await.unwrap();
    let client = connect(streamable(early)).await.unwrap();
    assert_eq!(text(&look(&client).await.unwrap()), "seen");
}

#[tokio::test]
async fn client_credentials_need_no_browser() {
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
    let asked = provider.server.requests().into_iter().find(|got| got.path == "/token").unwrap();
    let said = |name: &str| asked.field(name).unwrap_or_default();
    assert_eq!(
        [said("grant_type"), said("client_id"), said("client_secret"), said("resource"), said("scope")],
        ["client_credentials", "machine", "machine-secret", &provider.server.url("/mcp"), "read"]
    );
}

//! Credentials: placement in requests, restriction to their hosts, and redaction.

use crate::fixtures::block_on_paused;
use baton_outbound::{OutboundError, OutboundReply, Target};
use baton_peers::{
    ApiKeyLocation, Authorize as _, Authorizer, CallError, ClientCredentials, ClientSecretLocation, Credential,
    PeerConfig, SecretError, SecretRef, TokenEndpoint,
};
use baton_ports::BoxFuture;
use baton_types::ErrorCode;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, request::Parts};
use parking_lot::Mutex;
use std::{collections::VecDeque, io::Write as _, sync::Arc, time::Duration};

const SECRET: &str = "hunter2-and-more";

fn secret() -> (tempfile::NamedTempFile, SecretRef) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    writeln!(file, "  {SECRET} ").expect("written");
    let reference = format!("file://{}", file.path().display()).parse().expect("a reference");
    (file, reference)
}

/// Authorization server with scripted replies.
#[derive(Default)]
struct Issuer {
    replies: Mutex<VecDeque<Result<(u16, String), OutboundError>>>,
    requests: Mutex<Vec<Request<Bytes>>>,
}

impl TokenEndpoint for Issuer {
    fn post(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<OutboundReply, OutboundError>> {
        self.requests.lock().push(request);
        let reply = self.replies.lock().pop_front().expect("one more reply");
        Box::pin(async move {
            tokio::task::yield_now().await;
            let (status, body) = reply?;
            let status = StatusCode::from_u16(status).expect("a status");
            let landed = Target::parse("https://issuer.example/token").expect("a URL");
            Ok(OutboundReply {
                status,
                headers: HeaderMap::new(),
                body: body.into(),
                complete: true,
                final_target: landed,
            })
        })
    }
}

fn authorizer(credential: Credential, issuer: &Arc<Issuer>) -> Authorizer {
    let hosts = vec!["other.example:8443".to_owned()];
    let config = PeerConfig { credential, hosts, ..PeerConfig::at("https://peer.example/agents/x") };
    Authorizer::from_config(&config, Arc::clone(issuer) as _)
}

async fn applied(authorizer: &Authorizer, url: &str) -> Result<Parts, CallError> {
    let (mut parts, ()) = Request::post(url).body(()).expect("a request").into_parts();
    authorizer.apply(&mut parts).await?;
    Ok(parts)
}

#[test]
fn each_credential_is_placed_where_configured() {
    let (_file, secret) = secret();
    let key = |place, name: &str| Credential::ApiKey { place, name: name.to_owned(), secret: secret.clone() };
    let rows = [
        (Credential::Bearer(secret.clone()), "authorization", "Bearer hunter2-and-more"),
        (
            Credential::Basic { user: "me".to_owned(), secret: secret.clone() },
            "authorization",
            "Basic bWU6aHVudGVyMi1hbmQtbW9yZQ==",
        ),
        (key(ApiKeyLocation::Header, "X-Key"), "x-key", "hunter2-and-more"),
        (key(ApiKeyLocation::Cookie, "session"), "cookie", "session=hunter2-and-more"),
    ];
    let issuer = Arc::default();
    for (credential, header, expected) in rows {
        let parts = block_on_paused(applied(&authorizer(credential, &issuer), "https://peer.example/rpc?a=1"))
            .expect("applied");
        let value = &parts.headers[header];
        assert_eq!(value.to_str().ok(), Some(expected));
        assert!(value.is_sensitive() && !format!("{parts:?}").contains("hunter2"));
    }
    let query = authorizer(key(ApiKeyLocation::Query, "k y"), &issuer);
    let parts = block_on_paused(applied(&query, "https://peer.example/rpc?a=1")).expect("applied");
    assert_eq!(parts.uri, "https://peer.example/rpc?a=1&k+y=hunter2-and-more");
    let none =
        block_on_paused(applied(&authorizer(Credential::None, &issuer), "https://anywhere.example/")).expect("applied");
    assert!(none.headers.is_empty());
}

#[test]
fn credential_is_sent_to_its_own_hosts_only() {
    let (_file, secret) = secret();
    let authorizer = authorizer(Credential::Bearer(secret), &Arc::default());
    for (url, allowed) in [
        ("https://peer.example/", true),
        ("https://PEER.example:443/x", true),
        ("https://peer.example:8443/x", false),
        ("https://other.example:8443/", true),
        ("https://other.example/", false),
        ("https://peer.example.evil.example/", false),
        ("https://evil.example/peer.example", false),
        ("http://peer.example/", false),
    ] {
        match block_on_paused(applied(&authorizer, url)) {
            Ok(parts) => assert!(allowed && parts.headers.contains_key("authorization"), "{url}"),
            Err(CallError::Forbidden(words)) => assert!(!allowed && !words.contains(SECRET), "{url}: {words}"),
            Err(error) => panic!("{url}: {error:?}"),
        }
    }
}

#[test]
fn secret_references_are_parsed_and_values_redacted() {
    for wrong in ["hunter2", "vault://x", "env://", "env://A B", "file://", "", "ENV://X"] {
        let error = wrong.parse::<SecretRef>().expect_err(wrong);
        assert_eq!(error, SecretError::Form);
        assert!(!error.to_string().contains("hunter2"), "an invalid reference may be the secret itself");
    }
    let missing: SecretRef = "env://BATON_TEST_NOT_SET".parse().expect("a reference");
    let error = missing.resolve().expect_err("it is not set");
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        (ErrorCode::SECRET_MISSING, "the secret env://BATON_TEST_NOT_SET does not exist")
    );
    let empty = tempfile::NamedTempFile::new().expect("a file");
    let empty: SecretRef = format!("file://{}", empty.path().display()).parse().expect("a reference");
    assert!(matches!(empty.resolve(), Err(SecretError::Empty(_))));

    let (_file, secret) = secret();
    let value = secret.resolve().expect("it is there");
    assert_eq!(value.expose(), SECRET);
    let config = PeerConfig { credential: Credential::Bearer(secret), ..PeerConfig::at("https://peer.example") };
    for shown in [
        format!("{value:?}"),
        format!("{config:?}"),
        format!("{:?}", Authorizer::from_config(&config, Arc::<Issuer>::default())),
    ] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
}

fn token(name: &str, seconds: u32) -> Result<(u16, String), OutboundError> {
    Ok((200, format!(r#"{{"access_token":"{name}","token_type":"Bearer","expires_in":{seconds}}}"#)))
}

fn grant(secret: SecretRef, secret_place: ClientSecretLocation) -> Credential {
    Credential::OAuth2(ClientCredentials {
        token_url: "https://issuer.example/token".to_owned(),
        client_id: "the client".to_owned(),
        secret,
        scopes: vec!["a".to_owned(), "b".to_owned()],
        audience: Some("peer".to_owned()),
        secret_place,
    })
}

#[test]
fn oauth_tokens_are_shared_cached_and_renewed() {
    let (_file, secret) = secret();
    let issuer = Arc::new(Issuer::default());
    issuer.replies.lock().extend([token("one", 3600), token("two", 3600), token("three", 20), token("four", 3600)]);
    let authorizer = authorizer(grant(secret, ClientSecretLocation::Header), &issuer);
    let shown = async || {
        let parts = applied(&authorizer, "https://peer.example/").await.expect("applied");
        parts.headers["authorization"].to_str().expect("text").to_owned()
    };
    block_on_paused(async {
        let many = tokio::join!(shown(), shown(), shown());
        assert_eq!(many, ("Bearer one".to_owned(), "Bearer one".to_owned(), "Bearer one".to_owned()));
        tokio::time::advance(Duration::from_secs(3560)).await;
        assert_eq!(shown().await, "Bearer one");
        tokio::time::advance(Duration::from_secs(11)).await;
        assert_eq!(shown().await, "Bearer two", "renewed 30 seconds before expiry");
        assert!(authorizer.refused().await, "another token may be accepted");
        assert_eq!(shown().await, "Bearer three");
        assert_eq!(shown().await, "Bearer four", "a token that expires soon is not cached");
        assert!(authorizer.refused().await && !authorizer.refused().await, "there is no token to discard");
    });
    let request = &issuer.requests.lock()[0];
    assert_eq!(request.headers()["authorization"], "Basic dGhlK2NsaWVudDpodW50ZXIyLWFuZC1tb3Jl");
    assert!(request.headers()["authorization"].is_sensitive());
    assert_eq!(request.body(), "grant_type=client_credentials&scope=a+b&audience=peer");
}

#[test]
fn issuer_errors_hide_secrets_and_transient_ones_are_retried() {
    let (_file, secret) = secret();
    let issuer = Arc::new(Issuer::default());
    let late = OutboundError::ConnectTimeout(Duration::from_secs(5));
    issuer.replies.lock().extend([
        Err(late),
        Ok((503, String::new())),
        Ok((401, r#"{"error":"invalid_client"}"#.to_owned())),
        Ok((200, r#"{"access_token":"x","token_type":"mac"}"#.to_owned())),
        Ok((200, format!("{SECRET} is no JSON"))),
    ]);
    let authorizer = authorizer(grant(secret, ClientSecretLocation::Form), &issuer);
    let errors: Vec<CallError> =
        (0..5).map(|_| block_on_paused(applied(&authorizer, "https://peer.example/")).expect_err("refused")).collect();
    assert!(matches!(&errors[..2], [CallError::NotSent(_), CallError::NotSent(_)]), "{errors:?}");
    assert!(matches!(&errors[2..], [CallError::Forbidden(words), CallError::Forbidden(_), CallError::Forbidden(_)]
        if words.contains("401 invalid_client")));
    assert!(errors.iter().all(|error| !error.to_string().contains(SECRET)));
    let body = issuer.requests.lock()[0].body().clone();
    assert!(body.ends_with(b"client_id=the+client&client_secret=hunter2-and-more"));
    // The issuer is not called for a host that the token is not meant for.
    let before = issuer.requests.lock().len();
    assert!(block_on_paused(applied(&authorizer, "https://evil.example/")).is_err());
    assert_eq!(issuer.requests.lock().len(), before);
}

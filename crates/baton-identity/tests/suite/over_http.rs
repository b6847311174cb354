//! Issuer documents over real connections.

use crate::{
    issuer_fixture::{ManualClock, claims, config},
    signer::Signer,
};
use baton_identity::{GuardedIssuerDocuments, IssuerConfig, IssuerDocuments, Issuers};
use baton_ports::TokenRejection;
use serde_json::json;
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// Serves the result of `answer` for a path; one request per connection.
async fn serve(answer: impl Fn(&str, u16) -> String + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let body = answer(head.split(' ').nth(1).unwrap(), port);
            let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
            let reply =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
            // A client that has read enough disconnects early.
            let _ = stream.write_all(reply.as_bytes()).await;
        }
    });
    port
}

async fn verify(
    host: &str,
    answer: impl Fn(&str, u16) -> String + Send + 'static,
    signer: &Signer,
) -> Result<(), TokenRejection> {
    let issuer = format!("http://{host}:{}", serve(answer).await);
    let configs = vec![IssuerConfig { issuer: issuer.clone(), jwks_url: None, ..config() }];
    let documents: Arc<dyn IssuerDocuments> = Arc::new(GuardedIssuerDocuments::new(&configs, Vec::new()).unwrap());
    let issuers = Issuers::new(configs, &documents, ManualClock::new()).unwrap();
    issuers.identify(&signer.sign(&claims(&json!({"iss": issuer})))).await.map(drop)
}

/// An issuer at `host` with keys at `keys_host`, and documents padded with `filler` bytes.
async fn discovered(host: &'static str, keys_host: &'static str, filler: usize) -> Result<(), TokenRejection> {
    let signer = Signer::p256("k");
    let keys = json!({"keys": [signer.public_jwk(&json!({}))], "filler": "x".repeat(filler)}).to_string();
    let answer = move |path: &str, port| match path {
        "/.well-known/openid-configuration" => {
            json!({"issuer": format!("http://{host}:{port}"), "jwks_uri": format!("http://{keys_host}:{port}/keys")})
                .to_string()
        }
        "/keys" => keys.clone(),
        _ => String::new(),
    };
    verify(host, answer, &signer).await
}

fn reason(refusal: Result<(), TokenRejection>) -> String {
    match refusal {
        Err(TokenRejection::KeysUnavailable(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn configured_hosts_may_be_private_and_others_must_be_public() {
    assert_eq!(discovered("localhost", "localhost", 0).await, Ok(()));
    assert_eq!(discovered("127.0.0.1", "127.0.0.1", 0).await, Ok(()));
    let inside = reason(discovered("localhost", "127.0.0.1", 0).await);
    assert!(inside.contains("127.0.0.1 may not be called"), "{inside}");
}

#[tokio::test]
async fn documents_have_a_size_limit_and_must_exist() {
    assert_eq!(discovered("localhost", "localhost", 250 * 1024).await, Ok(()));
    let long = reason(discovered("localhost", "localhost", 256 * 1024).await);
    assert!(long.contains("more than 262144 bytes"), "{long}");
    let missing = reason(verify("localhost", |_, _| String::new(), &Signer::p256("k")).await);
    assert!(missing.contains("answered 404"), "{missing}");
}

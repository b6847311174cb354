//! Bindings, cards and shutdown over TLS.

use super::world::{Authority, ClientSettings, Directory, Server, send_request};
use crate::bindings::{Binding, Op, ask};
use axum::Router;
use baton_client::ClientError;
use baton_http::{ServeOptions, Tls};
use serde_json::json;
use std::time::Duration;
use tokio_rustls::rustls::version::{TLS12, TLS13};

/// A complete send and a complete stream.
async fn converse(app: &Router, binding: Binding) {
    let params = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello there"}]}});
    let sent = ask(app, binding, Op::Send, &params, &[]).await.unwrap();
    assert!(sent.task().to_string().to_lowercase().contains("completed"), "{binding:?} {sent:?}");
    let streamed = ask(app, binding, Op::Stream, &params, &[]).await.unwrap();
    assert!(streamed.refusal.is_none() && streamed.items.len() > 2, "{binding:?} {streamed:?}");
    let last = streamed.items.last().unwrap().to_string().to_lowercase();
    assert!(last.contains("completed"), "{binding:?} {last}");
}

#[tokio::test]
async fn every_binding_over_http2() {
    let authority = Authority::new();
    let server = Server::start(Directory::with(&authority.issue()).files()).await;
    for (alpn, versions) in [(&["h2"][..], &[&TLS13][..]), (&["h2", "http/1.1"], &[&TLS12]), (&[], &[&TLS12, &TLS13])] {
        let settings = ClientSettings { alpn, versions, ..ClientSettings::trusting(&authority) };
        let negotiated = server.connect(&settings).await.unwrap().get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
        assert_eq!(negotiated, alpn.first().map(|name| name.as_bytes().to_vec()));
        let app = server.http2(&settings).await;
        for binding in Binding::ALL {
            converse(&app, binding).await;
        }
    }
}

#[tokio::test]
async fn every_binding_of_http1() {
    let authority = Authority::new();
    let server = Server::start(Directory::with(&authority.issue()).files()).await;
    for alpn in [&["http/1.1"][..], &[]] {
        let app = server.http1(&ClientSettings { alpn, ..ClientSettings::trusting(&authority) }).await;
        for binding in Binding::ALL.into_iter().filter(|binding| !binding.is_grpc()) {
            converse(&app, binding).await;
        }
    }
}

#[tokio::test]
async fn cards_say_https_whatever_the_protocol() {
    let authority = Authority::new();
    let pair = authority.issue();
    let server = Server::start(Directory::with(&pair).files()).await;
    let card = server.pinned(&pair).card("weather").await.unwrap();
    let settings = ClientSettings { alpn: &["h2"], ..ClientSettings::trusting(&authority) };
    let extended = ask(&server.http2(&settings).await, Binding::JsonRpc, Op::Card, &json!({}), &[]).await.unwrap();
    let localhost = format!("localhost:{}", server.address.port());
    for (card, host) in
        [(serde_json::to_value(card).unwrap(), server.address.to_string()), (extended.one().clone(), localhost)]
    {
        let interfaces = card["supportedInterfaces"].as_array().unwrap();
        let urls: Vec<&str> = interfaces.iter().map(|one| one["url"].as_str().unwrap()).collect();
        let agent = format!("https://{host}/agents/weather");
        assert!(urls.contains(&agent.as_str()), "{urls:?}");
        assert!(urls.iter().all(|url| url.starts_with(&agent) || *url == host), "{urls:?}");
    }
}

#[tokio::test]
async fn shutdown_ends_streams_and_secured_connections_within_its_bound() {
    let authority = Authority::new();
    let pair = authority.issue();
    let tls = Tls::load(Directory::with(&pair).files()).unwrap();
    let bounds = ServeOptions { drain: Duration::from_millis(200), ..ServeOptions::default() };
    let server = Server::start_with(tls, bounds).await;
    let client = server.pinned(&pair);
    let mut stream = client.send_streaming("weather", send_request("hang")).await.unwrap();
    stream.next().await.unwrap().unwrap();
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.send("weather", send_request("hang")).await }
    });
    let settings = ClientSettings { alpn: &["h2"], ..ClientSettings::trusting(&authority) };
    let app = server.http2(&settings).await;
    converse(&app, Binding::Grpc).await;
    server.shutdown.cancel();
    while let Some(event) = stream.next().await {
        event.unwrap();
    }
    server.serving.await.unwrap().unwrap();
    let cut = waiting.await.unwrap().unwrap_err();
    assert!(matches!(cut, ClientError::Interrupted(_) | ClientError::Unreachable { .. }), "{cut}");
    let gone = client.health().await.unwrap_err();
    assert!(matches!(gone, ClientError::Unreachable { .. }), "{gone}");
}

#[tokio::test]
async fn shutdown_does_not_wait_for_idle_connections() {
    let authority = Authority::new();
    let tls = Tls::load(Directory::with(&authority.issue()).files()).unwrap();
    let bounds = ServeOptions { drain: Duration::from_secs(3600), ..ServeOptions::default() };
    let server = Server::start_with(tls, bounds).await;
    let settings = ClientSettings::trusting(&authority);
    let (http1, http2) = (server.http1(&settings).await, server.http2(&settings).await);
    converse(&http1, Binding::JsonRpc).await;
    converse(&http2, Binding::Grpc).await;
    let _silent = server.connect(&settings).await.unwrap();
    server.shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(20), server.serving).await.unwrap().unwrap().unwrap();
}

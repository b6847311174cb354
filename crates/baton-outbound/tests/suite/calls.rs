//! Single calls: requests, replies, limits and timeouts.

use crate::fixtures::{Answer, Receiver, client, client_with, post};
use baton_outbound::{OutboundError, OutboundOptions, Resolver};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use http::{HeaderMap, StatusCode};
use std::{io, net::IpAddr, time::Duration};

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

#[tokio::test]
async fn request_is_sent_unchanged_and_connections_are_reused() {
    let receiver = Receiver::start(|_| Answer::Reply(StatusCode::CREATED, Vec::new(), "thanks".into())).await;
    let client = client(LOOPBACK);
    for _ in 0..20 {
        let mut request = post(&receiver.url("/hook?x=1"));
        request.headers_mut().insert("host", "other.example".parse().unwrap());
        let reply = client.send(request).await.unwrap();
        assert_eq!((reply.status.as_u16(), reply.body.as_ref(), reply.complete), (201, b"thanks".as_ref(), true));
    }
    let received = receiver.received();
    assert_eq!(received.len(), 20);
    assert_eq!((received[0].method.as_str(), received[0].path.as_str()), ("POST", "/hook?x=1"));
    assert_eq!(received[0].body, "hello");
    assert_eq!(received[0].header("authorization"), Some("Bearer secret"));
    assert_eq!(received[0].header("host"), Some(receiver.address.to_string().as_str()), "the host is the URL's");
    assert_eq!(*receiver.connections.lock().unwrap(), 1);
}

#[tokio::test]
async fn forbidden_addresses_are_rejected_before_sending() {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let port = receiver.address.port();
    let client = client(&["10.9.8.7"]);
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "https://[fd00:ec2::254]/".to_owned(),
    ] {
        for error in [client.send(post(&url)).await.unwrap_err(), client.check_url(&url).await.unwrap_err()] {
            assert!(matches!(error, OutboundError::Refused(_)) && error.is_forbidden(), "{url}: {error:?}");
        }
    }
    assert_eq!(*receiver.connections.lock().unwrap(), 0);
    assert!(client.check_url("http://10.9.8.7:8080/hook").await.is_ok());
}

#[tokio::test]
async fn unresponsive_receiver_times_out() {
    let receiver = Receiver::start(|_| Answer::Silence).await;
    let options = OutboundOptions { request_timeout: Duration::from_millis(50), ..OutboundOptions::default() };
    let error = client_with(LOOPBACK, PendingResolver, &options).send(post(&receiver.url("/"))).await.unwrap_err();
    assert!(matches!(error, OutboundError::Timeout { .. }), "{error:?}");
    assert!(!error.is_forbidden());
}

#[tokio::test]
async fn reply_head_counts_without_its_body() {
    let receiver = Receiver::start(|_| Answer::Stall(StatusCode::ACCEPTED)).await;
    let quickly = Duration::from_millis(50);
    for options in [
        OutboundOptions { request_timeout: Duration::from_millis(500), ..OutboundOptions::default() },
        OutboundOptions {
            body_timeout: quickly,
            request_timeout: Duration::from_secs(3600),
            ..OutboundOptions::default()
        },
    ] {
        let reply = client_with(LOOPBACK, PendingResolver, &options).send(post(&receiver.url("/"))).await.unwrap();
        assert_eq!((reply.status.as_u16(), reply.body.len(), reply.complete), (202, 0, false));
    }
}

#[tokio::test]
async fn idle_connections_are_kept_for_few_hosts() {
    let mut receivers = Vec::new();
    for _ in 0..4 {
        receivers.push(Receiver::start(|_| Answer::status(200)).await);
    }
    let idle = Duration::from_millis(100);
    let request_timeout = Duration::from_secs(1);
    let options = OutboundOptions { idle_hosts: 2, idle_timeout: idle, request_timeout, ..OutboundOptions::default() };
    let client = client_with(LOOPBACK, PendingResolver, &options);
    for _ in 0..2 {
        for receiver in &receivers {
            client.send(post(&receiver.url("/"))).await.unwrap();
        }
    }
    let closes = |receiver: &Receiver| receiver.received().last().unwrap().header("connection") == Some("close");
    assert_eq!(receivers.iter().map(closes).collect::<Vec<_>>(), [false, false, true, true]);
    assert_eq!(*receivers[3].connections.lock().unwrap(), 2, "a new connection for each call");
    // An idle host frees its slot after the timeout.
    tokio::time::pause();
    tokio::time::advance(idle + request_timeout).await;
    tokio::time::resume();
    client.send(post(&receivers[3].url("/"))).await.unwrap();
    assert!(!closes(&receivers[3]));
}

/// A resolver that never answers and counts its lookups.
#[derive(Clone, Default)]
struct CountingResolver(std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Resolver for CountingResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_slow_lookups_are_limited() {
    let counting = CountingResolver::default();
    let client = client_with(&[], counting.clone(), &OutboundOptions { lookups: 8, ..OutboundOptions::default() });
    for _ in 0..3 {
        let admitted = (0..20).map(|index| {
            let client = client.clone();
            tokio::spawn(async move { client.check_url(&format!("http://slow{index}.example/")).await })
        });
        for admitted in admitted.collect::<Vec<_>>() {
            let error = admitted.await.unwrap().unwrap_err();
            assert!(matches!(error, OutboundError::Unresolved { .. }), "{error:?}");
        }
    }
    assert_eq!(counting.0.load(std::sync::atomic::Ordering::Relaxed), 8);
}

#[tokio::test(start_paused = true)]
async fn slow_lookup_times_out() {
    let client = client_with(LOOPBACK, PendingResolver, &OutboundOptions::default());
    let before = tokio::time::Instant::now();
    let error = client.send(post("http://slow.example/")).await.unwrap_err();
    assert_eq!(error, OutboundError::ConnectTimeout(Duration::from_secs(5)));
    assert_eq!(before.elapsed().as_secs(), 5);
    let error = client.check_url("http://slow.example/").await.unwrap_err();
    assert!(matches!(error, OutboundError::Unresolved { .. }), "{error:?}");
    assert_eq!(before.elapsed().as_secs(), 10);
}

/// A resolver that never answers.
struct PendingResolver;

impl Resolver for PendingResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn long_bodies_are_truncated_and_shown_on_one_line() {
    let text = format!("line one\r\n\u{1b}[31mred\t{}", "ü".repeat(200_000));
    let receiver =
        Receiver::start(move |_| Answer::Reply(StatusCode::BAD_REQUEST, Vec::new(), Bytes::from(text.clone()))).await;
    let reply = client(LOOPBACK).send(post(&receiver.url("/"))).await.unwrap();
    assert_eq!((reply.body.len(), reply.complete), (64 * 1024, false));
    let excerpt = reply.excerpt(200);
    assert_eq!(excerpt.chars().count(), 200);
    assert!(excerpt.starts_with("line one [31mred üü"), "{excerpt}");
    let empty = baton_outbound::OutboundReply {
        status: StatusCode::OK,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        complete: true,
        final_target: baton_outbound::Target::parse("http://hooks.example/").unwrap(),
    };
    assert_eq!(empty.excerpt(200), "");
}

#[tokio::test]
async fn oversized_reply_head_is_rejected() {
    let receiver =
        Receiver::start(|_| Answer::Reply(StatusCode::OK, vec![("x-long", "x".repeat(200_000))], Bytes::new())).await;
    let error = client(LOOPBACK).send(post(&receiver.url("/"))).await.unwrap_err();
    assert!(matches!(error, OutboundError::Interrupted { .. }), "{error:?}");
}

#[tokio::test]
async fn closed_port_is_unreachable() {
    let (receiver, listener) = Receiver::bind(|_| Answer::Silence).await;
    drop(listener);
    let error = client(LOOPBACK).send(post(&receiver.url("/"))).await.unwrap_err();
    assert!(matches!(error, OutboundError::Unreachable { .. }), "{error:?}");
}

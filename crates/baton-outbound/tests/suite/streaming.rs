//! Streamed replies, their timeouts, and whether a failed request was sent.

use crate::fixtures::{Answer, Receiver, client, client_with, post};
use baton_outbound::{FinalTarget, OutboundError, OutboundOptions, Resolver, Target};
use bytes::Bytes;
use futures_core::future::BoxFuture;
use http::{Request, StatusCode};
use std::{io, net::IpAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

const LOOPBACK: &[&str] = &["127.0.0.0/8"];

struct FailingResolver;

impl Resolver for FailingResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Err(io::Error::other("no such name"))))
    }
}

fn get(url: &str) -> Request<Bytes> {
    Request::get(url).body(Bytes::new()).unwrap()
}

/// A server of one connection that writes the chunks that the test sends.
async fn slowly(listener: TcpListener, mut pieces: tokio::sync::mpsc::Receiver<&'static [u8]>) {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut head = [0; 4096];
    let _ = socket.read(&mut head).await.unwrap();
    while let Some(piece) = pieces.recv().await {
        socket.write_all(piece).await.unwrap();
    }
}

#[tokio::test]
async fn chunks_arrive_as_written_and_break_differs_from_end() {
    for (last, complete) in [(b"0\r\n\r\n".as_slice(), true), (b"".as_slice(), false)] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (pieces, waiting) = tokio::sync::mpsc::channel(1);
        tokio::spawn(slowly(listener, waiting));
        pieces.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await.unwrap();
        let response = client(LOOPBACK).open(post(&url)).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.extensions().get::<FinalTarget>().unwrap().0.uri().to_string(), url);
        let mut body = response.into_body();
        pieces.send(b"3\r\none\r\n").await.unwrap();
        assert_eq!(body.next().await.unwrap().unwrap(), "one");
        pieces.send(b"3\r\ntwo\r\n").await.unwrap();
        assert_eq!(body.next().await.unwrap().unwrap(), "two");
        pieces.send(last).await.unwrap();
        drop(pieces);
        match body.next().await {
            None => assert!(complete),
            Some(Err(OutboundError::Interrupted { .. })) => assert!(!complete),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn silence_slow_bodies_and_large_bodies_are_rejected() {
    let quickly = Duration::from_millis(50);
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/silence" => Answer::Silence,
        "/stall" => Answer::Stall(StatusCode::OK),
        _ => Answer::Reply(StatusCode::OK, Vec::new(), Bytes::from(vec![b'x'; 1000])),
    })
    .await;
    let options = OutboundOptions { head_timeout: quickly, ..OutboundOptions::default() };
    let error =
        client_with(LOOPBACK, FailingResolver, &options).open(post(&receiver.url("/silence"))).await.unwrap_err();
    assert!(matches!(error, OutboundError::Timeout { limit, .. } if limit == quickly), "{error:?}");
    assert!(!error.is_before_send());

    let options = OutboundOptions { idle_body_timeout: quickly, ..OutboundOptions::default() };
    let response = client_with(LOOPBACK, FailingResolver, &options).open(post(&receiver.url("/stall"))).await.unwrap();
    let error = response.into_body().next().await.unwrap().unwrap_err();
    assert!(matches!(error, OutboundError::BodyTimeout { limit, .. } if limit == quickly), "{error:?}");

    let patient = client(LOOPBACK);
    let body = patient.open(post(&receiver.url("/stall"))).await.unwrap().into_body();
    let error = body.within(quickly).read(1000).await.unwrap_err();
    assert!(matches!(error, OutboundError::BodyTimeout { limit, .. } if limit == quickly), "{error:?}");

    let whole = patient.open(post(&receiver.url("/"))).await.unwrap().into_body();
    assert_eq!(whole.read(1000).await.unwrap().len(), 1000);
    let body = patient.open(post(&receiver.url("/"))).await.unwrap().into_body();
    assert!(matches!(body.read(999).await, Err(OutboundError::TooLarge { limit: 999, .. })));
    for request in receiver.received().iter().filter(|request| request.path != "/silence") {
        assert_eq!(request.header("connection"), Some("close"), "a stream has its own connection");
    }
}

#[tokio::test]
async fn body_limit_is_set_by_the_caller() {
    let receiver =
        Receiver::start(|_| Answer::Reply(StatusCode::OK, Vec::new(), Bytes::from(vec![b'x'; 200_000]))).await;
    let client = client(LOOPBACK);
    let reply = client.send(post(&receiver.url("/"))).await.unwrap();
    assert_eq!((reply.body.len(), reply.complete), (64 * 1024, false));
    let reply = client.send_bounded(post(&receiver.url("/")), 200_000).await.unwrap();
    assert_eq!((reply.body.len(), reply.complete), (200_000, true));
    let reply = client.send_bounded(post(&receiver.url("/")), 199_999).await.unwrap();
    assert_eq!((reply.body.len(), reply.complete), (199_999, false));
}

#[tokio::test]
async fn requests_with_credentials_stay_on_their_origin() {
    let second = Receiver::start(|_| Answer::status(200)).await;
    let to = second.url("/moved");
    let first = Receiver::start(move |request| match request.path.as_str() {
        "/here" => Answer::status(200),
        "/near" => Answer::redirect(307, "/here"),
        _ => Answer::redirect(307, to.clone()),
    })
    .await;
    let client = client(LOOPBACK);
    for error in [
        client.open(post(&first.url("/"))).await.map(drop).unwrap_err(),
        client.send_bounded(post(&first.url("/")), 100).await.map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().ends_with("where the credentials must not be sent"), "{error}");
        assert!(!error.is_before_send() && !error.is_forbidden());
    }
    assert!(second.received().is_empty());
    assert_eq!(client.open(post(&first.url("/near"))).await.unwrap().status(), 200);
    let mut plain = post(&first.url("/"));
    plain.headers_mut().remove("authorization");
    plain.headers_mut().remove("x-token");
    let response = client.open(plain).await.unwrap();
    assert_eq!(response.extensions().get::<FinalTarget>().unwrap().0.uri().to_string(), second.url("/moved"));
}

#[tokio::test]
async fn gets_follow_every_redirect_and_posts_only_307_and_308() {
    let receiver = Receiver::start(|request| match request.path.trim_start_matches('/').parse() {
        Ok(status) => Answer::redirect(status, "/end"),
        Err(_) => Answer::status(204),
    })
    .await;
    let client = client(LOOPBACK);
    for status in [301, 302, 303, 307, 308] {
        let reply = client.send(get(&receiver.url(&format!("/{status}")))).await.unwrap();
        assert_eq!((reply.status.as_u16(), reply.final_target.uri().path()), (204, "/end"));
        assert_eq!(client.open(get(&receiver.url(&format!("/{status}")))).await.unwrap().status(), 204);
        assert_eq!(receiver.received().last().unwrap().method, "GET");
    }
    for status in [301, 302, 303] {
        let error = client.open(post(&receiver.url(&format!("/{status}")))).await.map(drop).unwrap_err();
        assert!(matches!(error, OutboundError::Redirect { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn error_tells_whether_the_request_was_sent() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let client = client_with(LOOPBACK, FailingResolver, &OutboundOptions::default());
    for url in [format!("http://{gone}/"), "http://nowhere.example/".to_owned(), "http://10.0.0.1/".to_owned()] {
        let error = client.open(post(&url)).await.map(drop).unwrap_err();
        assert!(error.is_before_send(), "{error:?}");
    }
    // A receiver that hangs up after reading the request may have processed it.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let _ = socket.read(&mut [0; 4096]).await;
        }
    });
    for error in [
        client.open(post(&url)).await.map(drop).unwrap_err(),
        client.send_bounded(post(&url), 100).await.map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, OutboundError::Interrupted { .. }), "{error:?}");
        assert!(!error.is_before_send());
    }
}

#[tokio::test]
async fn redirect_is_returned_if_not_followed() {
    let receiver = Receiver::start(|_| Answer::redirect(302, "/elsewhere")).await;
    let response = client(LOOPBACK).open_without_redirects(get(&receiver.url("/"))).await.unwrap();
    assert_eq!(
        (response.status(), &response.headers()["location"]),
        (StatusCode::FOUND, &"/elsewhere".parse().unwrap())
    );
    assert_eq!(receiver.received().len(), 1);
    let refused = client(&[]).open_without_redirects(get(&receiver.url("/"))).await.unwrap_err();
    assert!(refused.is_forbidden(), "{refused}");
}

#[test]
fn relative_references_resolve_like_in_a_browser() {
    let here = Target::parse("https://mcp.example/team/sse?key=1").unwrap();
    for (reference, there) in [
        ("/messages?id=2", "https://mcp.example/messages?id=2"),
        ("messages", "https://mcp.example/team/messages"),
        ("?id=2", "https://mcp.example/team/sse?id=2"),
        ("//other.example/m", "https://other.example/m"),
        ("http://other.example/m", "http://other.example/m"),
    ] {
        assert_eq!(here.join(reference).unwrap().uri().to_string(), there);
    }
    assert!(here.join("javascript:alert(1)").is_err());
}

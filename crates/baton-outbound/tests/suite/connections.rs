//! Idle connections, as the server sees them.

use crate::fixtures::{Answer, Receiver, ScriptedResolver, client, client_with, post};
use baton_outbound::OutboundOptions;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

const LOOPBACK: &[&str] = &["127.0.0.0/8"];
const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Answers the next request on a connection.
async fn answer(stream: &mut TcpStream) {
    let mut read = Vec::new();
    while !read.ends_with(b"hello") {
        assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0);
    }
    stream.write_all(REPLY).await.unwrap();
}

#[tokio::test]
async fn connection_closed_while_idle_is_replaced() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let other = Receiver::start(|_| Answer::status(200)).await;
    let client = client(LOOPBACK);
    for _ in 0..3 {
        let (reply, ()) = tokio::join!(client.send(post(&url)), async {
            let (mut stream, _) = listener.accept().await.unwrap();
            answer(&mut stream).await;
        });
        assert_eq!(reply.unwrap().body.as_ref(), b"ok");
        // Another exchange, during which the runtime also sees that the server closed the first connection.
        client.send(post(&other.url("/"))).await.unwrap();
    }
}

#[tokio::test]
async fn idle_connection_is_closed_after_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let options = OutboundOptions { idle_timeout: Duration::from_millis(50), ..OutboundOptions::default() };
    let client = client_with(LOOPBACK, ScriptedResolver::default(), &options);
    let (reply, mut stream) = tokio::join!(client.send(post(&url)), async {
        let (mut stream, _) = listener.accept().await.unwrap();
        answer(&mut stream).await;
        stream
    });
    assert_eq!(reply.unwrap().body.as_ref(), b"ok");
    let ended = timeout(Duration::from_secs(10), stream.read(&mut [0; 1])).await;
    assert_eq!(ended.expect("the connection is closed").unwrap(), 0);
}

#[tokio::test]
async fn at_most_the_configured_number_of_connections_stays_open() {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let options = OutboundOptions { idle_per_host: 2, ..OutboundOptions::default() };
    let client = client_with(LOOPBACK, ScriptedResolver::default(), &options);
    let round = || async {
        let mut calls = JoinSet::new();
        for _ in 0..8 {
            let (client, request) = (client.clone(), post(&receiver.url("/")));
            calls.spawn(async move { client.send(request).await.unwrap() });
        }
        calls.join_all().await;
    };
    round().await;
    let first = *receiver.connections.lock().unwrap();
    round().await;
    let second = *receiver.connections.lock().unwrap();
    assert_eq!((first, second), (8, 14));
}

//! The client against misbehaving servers.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod mcp;
mod spans;
mod tokens;

use baton_client::{Client, ClientError, SendRequest};
use baton_types::{Message, Part, Role};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// Answers each connection with the next script: reads one request, writes the bytes and closes.
async fn server(scripts: Vec<String>) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::tcp(&format!("http://{}/base/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        for script in scripts {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.windows(4).any(|window| window == b"\r\n\r\n") {
                if socket.read_buf(&mut head).await.unwrap() == 0 {
                    break;
                }
            }
            assert!(String::from_utf8_lossy(&head).contains(" /base/"));
            socket.write_all(script.as_bytes()).await.unwrap();
        }
        std::future::pending::<()>().await;
    });
    client
}

fn reply(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn hello() -> SendRequest {
    SendRequest::new(Message::new("m".into(), Role::User, vec![Part::text("Hello")]))
}

#[tokio::test]
async fn invalid_addresses_are_rejected() {
    for address in [
        "",
        "localhost:8700",
        "http://",
        "https://",
        "https://localhost:x",
        "http://me@localhost:80",
        "ftp://localhost",
    ] {
        assert!(matches!(Client::tcp(address), Err(ClientError::Address { .. })), "{address}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let nobody = Client::tcp(&format!("http://{address}")).unwrap();
    assert!(matches!(nobody.health().await, Err(ClientError::Unreachable { .. })));
}

#[tokio::test]
async fn malformed_replies_are_errors() {
    let client = server(vec![
        reply("200 OK", "hello"),
        reply("502 Bad Gateway", "nope"),
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"".to_owned(),
        String::new(),
        reply("200 OK", r#"{"error":{"code":-32001,"message":"no","data":"whatever"}}"#),
        reply("200 OK", r#"{"result":{"message":null}}"#),
    ])
    .await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(match client.send("weather", hello()).await.unwrap_err() {
            ClientError::InvalidResponse(_) => "unintelligible",
            ClientError::Interrupted(_) => "interrupted",
            ClientError::Refused(refusal) if refusal.code == -32001 => "refused",
            _ => "something else",
        });
    }
    let expect = ["unintelligible", "unintelligible", "interrupted", "interrupted", "refused", "unintelligible"];
    assert_eq!(seen, expect);
}

#[tokio::test]
async fn interrupted_stream_is_an_error_and_keeps_its_cursor() {
    let event = r#"data: {"result":{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}}"#;
    let chunk = format!("id: 7\n{event}\n\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked";
    let client = server(vec![format!("{head}\r\n\r\n{:x}\r\n{chunk}\r\n", chunk.len())]).await;
    let mut stream = client.subscribe("weather", "t", Some(6)).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!((first.number, stream.cursor(), stream.is_settled()), (Some(7), Some(7), false));
    assert!(matches!(stream.next().await, Some(Err(ClientError::Interrupted(_)))));
}

#[tokio::test(start_paused = true)]
async fn silent_server_times_out() {
    let silent = tower::service_fn(|_| {
        std::future::pending::<Result<http::Response<http_body_util::Full<bytes::Bytes>>, std::convert::Infallible>>()
    });
    let client = Client::in_memory(silent).with_timeout(Duration::from_secs(5));
    assert!(matches!(client.send("weather", hello()).await, Err(ClientError::Timeout(_))));
    assert!(matches!(client.send_streaming("weather", hello()).await.err(), Some(ClientError::Timeout(_))));
}

//! Limits of streams and bodies per principal.

use super::server::{TestServer, bearer, token};
use crate::bindings::{Binding, Op, Reply, headers, open, raw};
use axum::body::Body;
use bytes::Bytes;
use futures_util::poll;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use serde_json::{Value, json};
use std::{convert::Infallible, pin::pin};

/// Share of each principal in a pool of 64.
const SHARE: usize = 16;

fn send_params(text: &str) -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

#[tokio::test(start_paused = true)]
async fn one_principal_cannot_take_all_streams() {
    let server = TestServer::with_options(|_| {}, |options| options.http.max_streams = 64);
    let (ann, bob) = (bearer(&token("acme", "ann", "call")), bearer(&token("acme", "bob", "call")));
    let stream = async |binding, authorization: &str| {
        let pairs = [("baton-agent", "weather"), ("authorization", authorization)];
        open(&server.app, binding, Op::Stream, &send_params("hang"), &pairs).await.unwrap()
    };
    let mut held = Vec::new();
    for index in 0..SHARE {
        let response = stream(Binding::ALL[index % Binding::ALL.len()], &ann).await;
        assert_eq!(response.status(), 200);
        held.push(response);
    }
    for binding in Binding::ALL {
        let reply = Reply::read(binding, Op::Stream, stream(binding, &ann).await).await;
        assert_eq!(reply.refused().baton_code, "BTN-1015", "{binding:?}");
        if binding.is_grpc() {
            assert_eq!(reply.refused().code, "ResourceExhausted", "{binding:?}");
        } else {
            let wait = reply.headers.get("retry-after").unwrap();
            assert_eq!((reply.http, wait.as_bytes()), (429, &b"1"[..]), "{binding:?}");
        }
        held.push(stream(binding, &bob).await);
    }
    let body = json!({"model": "weather", "input": "hang", "stream": true}).to_string();
    let post = async |authorization: &str| {
        let given = headers(&[("content-type", "application/json"), ("authorization", authorization)]);
        raw(&server.app, "POST", "/v1/responses", given, body.clone()).await
    };
    let refused = post(&ann).await;
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].as_bytes()), (429, &b"1"[..]));
    let error: Value = serde_json::from_slice(&refused.collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!(error["error"]["code"], "rate_limit_exceeded");
    assert!(error["error"]["message"].as_str().unwrap().contains("BTN-1015"), "{error}");
    assert_eq!(post(&bob).await.status(), 200);
    held.clear();
    assert_eq!(post(&ann).await.status(), 200, "released shares are available again");
}

/// A body that sends `bytes` bytes and then stalls.
fn unfinished(bytes: usize) -> Body {
    let come = async_stream::stream! {
        yield Ok::<_, Infallible>(Frame::data(Bytes::from(vec![b' '; bytes])));
        std::future::pending::<()>().await;
    };
    Body::new(StreamBody::new(come))
}

#[tokio::test(start_paused = true)]
async fn one_principal_cannot_take_the_budget_of_all_bodies() {
    let server = TestServer::with_options(
        |_| {},
        |options| (options.http.max_body, options.http.max_bodies_total) = (8 * 1024, 64 * 1024),
    );
    let post = async |path: &str, subject: &str, body: Body| {
        let authorization = bearer(&token("acme", subject, "call"));
        let given = headers(&[("content-type", "application/json"), ("authorization", &authorization)]);
        raw(&server.app, "POST", path, given, body).await
    };
    let whole = || Body::from(json!({"model": "weather", "input": "Hello"}).to_string());
    let (mut one, mut other) =
        (pin!(post("/v1/responses", "ann", unfinished(8000))), pin!(post("/agents/weather", "ann", unfinished(8000))));
    assert!(poll!(&mut one).is_pending() && poll!(&mut other).is_pending());
    for path in ["/v1/responses", "/agents/weather", "/agents/weather/message:send"] {
        let refused = post(path, "ann", whole()).await;
        assert_eq!(refused.status(), 429, "{path}");
        assert_eq!(refused.headers()["retry-after"], "1", "{path}");
        let said = refused.collect().await.unwrap().to_bytes();
        assert!(String::from_utf8_lossy(&said).contains("BTN-1015"), "{path}: {said:?}");
    }
    assert_eq!(post("/v1/responses", "bob", whole()).await.status(), 200);
}

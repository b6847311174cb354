//! Content types and encodings of request bodies in every API, and compressed replies.

use crate::{
    bindings::{headers, raw},
    spans::gzip,
    world::configured,
    world::{engine, options, weather},
};
use axum::{Router, body::Body};
use baton_server::app;
use flate2::read::GzDecoder;
use http::{Response, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::io::Read as _;

const JSON: (&str, &str) = ("content-type", "application/json");

async fn bytes(response: Response<Body>) -> Vec<u8> {
    response.into_body().collect().await.unwrap().to_bytes().to_vec()
}

async fn post(app: &Router, path: &str, given: &[(&str, &str)], body: impl Into<Body>) -> (u16, Value) {
    let response = raw(app, "POST", path, headers(given), body).await;
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&bytes(response).await).unwrap_or_default())
}

/// A valid request of each API, and the JSON pointer to the reason in its errors.
fn surfaces() -> [(&'static str, Value, &'static str); 6] {
    let said = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}});
    let old = json!({"message": {"messageId": "m", "role": "ROLE_USER", "content": [{"text": "Hello"}]}});
    [
        (
            "/agents/weather",
            json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": said}),
            "/error/data/0/metadata/batonCode",
        ),
        ("/agents/weather/message:send", said, "/error/details/0/metadata/batonCode"),
        ("/agents/weather/v1/message:send", old, "/message"),
        ("/v1/responses", json!({"model": "weather", "input": "Hello"}), "/error/message"),
        (
            "/v1/chat/completions",
            json!({"model": "weather", "messages": [{"role": "user", "content": "Hello"}]}),
            "/error/message",
        ),
        ("/api/v1/sessions", json!({"format": "none"}), "/error/details/0/metadata/batonCode"),
    ]
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused_in_the_form_of_their_surface() {
    let app = weather();
    for (path, body, place) in surfaces() {
        for (given, refused) in [
            (&[JSON][..], false),
            (&[("content-type", "application/a2a+json")], path.contains("sessions")),
            // The type is optional for programs and required for web pages.
            (&[], false),
            (&[("origin", "http://localhost")], true),
            (&[("content-type", "application/x-www-form-urlencoded")], true),
            (&[JSON, ("content-encoding", "deflate")], true),
            (&[JSON, ("content-encoding", "zstd")], true),
        ] {
            let (status, reply) = post(&app, path, given, body.to_string()).await;
            assert_eq!(status == 415, refused, "{path} {given:?} {status} {reply}");
            if refused {
                let told = reply.pointer(place).and_then(Value::as_str).unwrap_or_default();
                assert!(told.contains("BTN-1017") || told.contains("Content-"), "{path} {given:?} {reply}");
                assert!(reply.get("jsonrpc").is_none() || reply["error"]["code"] == -32005, "{reply}");
            }
        }
    }
}

#[tokio::test]
async fn packed_bodies_are_read_within_bounds() {
    let small = configured(options(), |options| {
        options.http.max_body = 300_000;
    });
    let app = app(engine(&["weather"]), small);
    let given = [JSON, ("content-encoding", "gzip")];
    for (path, body, _) in surfaces() {
        let plain = post(&app, path, &[JSON], body.to_string()).await.0;
        assert_eq!(post(&app, path, &given, gzip(body.to_string().as_bytes())).await.0, plain, "{path}");
    }
    let message = |text: &str| {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]});
        json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}).to_string()
    };
    // Text that gzip compresses to about a third.
    let words = |bytes: usize| {
        let mut state = 1_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + u8::try_from(state >> 28).unwrap())
        };
        (0..bytes).map(|_| next()).collect::<String>()
    };
    for (text, status) in
        [("a".repeat(60_000), 200), ("a".repeat(100_000), 413), (words(290_000), 200), (words(310_000), 413)]
    {
        let (found, reply) = post(&app, "/agents/weather", &given, gzip(message(&text).as_bytes())).await;
        assert_eq!(found, status, "{} {reply}", text.len());
    }
    for broken in [&b"nonsense"[..], &gzip(message("Hello").as_bytes())[..40]] {
        let (_, reply) = post(&app, "/agents/weather", &given, broken.to_vec()).await;
        assert_eq!(reply["error"]["code"], -32600, "{reply}");
    }
}

#[tokio::test]
async fn replies_are_packed_on_request() {
    let app = weather();
    let path = "/agents/weather/.well-known/agent-card.json";
    let get = async |path: &str, given: &[(&str, &str)]| raw(&app, "GET", path, headers(given), "").await;
    let plain = get(path, &[]).await;
    assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
    let tag = plain.headers()[header::ETAG].to_str().unwrap().to_owned();
    let plain = bytes(plain).await;

    let asks = ("accept-encoding", "gzip, deflate, br");
    let packed = get(path, &[asks]).await;
    let given = packed.headers().clone();
    assert_eq!(given[header::CONTENT_ENCODING], "gzip");
    assert_eq!(given[header::ETAG].to_str().unwrap(), format!("W/{tag}"));
    let vary: Vec<_> = given.get_all(header::VARY).iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(vary, ["Host, A2A-Version", "Accept-Encoding"]);
    let bytes_of = bytes(packed).await;
    assert_eq!(given[header::CONTENT_LENGTH].to_str().unwrap(), bytes_of.len().to_string());
    assert!(bytes_of.len() < plain.len());
    let mut unpacked = Vec::new();
    GzDecoder::new(bytes_of.as_slice()).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    let unchanged = get(path, &[asks, ("if-none-match", given[header::ETAG].to_str().unwrap())]).await;
    assert_eq!(unchanged.status(), StatusCode::NOT_MODIFIED);

    // Small replies and streams are not compressed.
    let small = get("/healthz", &[asks]).await;
    assert!(!small.headers().contains_key(header::CONTENT_ENCODING));
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}).to_string();
    let body = format!("{{\"message\":{message}}}");
    let stream = raw(&app, "POST", "/agents/weather/message:stream", headers(&[JSON, asks]), body).await;
    assert_eq!(stream.headers()[header::CONTENT_TYPE], "text/event-stream");
    assert!(!stream.headers().contains_key(header::CONTENT_ENCODING));
    assert!(bytes(stream).await.starts_with(b"id:"), "events are not compressed");
}

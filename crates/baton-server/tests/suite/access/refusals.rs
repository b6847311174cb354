//! Authentication and authorization errors in every binding and dialect.

use super::server::{TestServer, bearer, token};
use crate::bindings::{Binding, Op, Reply, headers, open, raw};
use axum::body::Body;
use baton_rules::RateLimit;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

/// The error and its headers as text.
async fn describe_refusal(binding: Binding, response: Response<Body>) -> String {
    let reply = Reply::read(binding, Op::Send, response).await;
    let refused = reply.refused();
    let header = |name: &str| reply.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let mut text = format!(
        "  {}: {} {} {} {} {}\n",
        binding.name(),
        reply.http,
        refused.code,
        refused.reason,
        refused.baton_code,
        refused.message
    );
    for name in ["www-authenticate", "retry-after"] {
        if let Some(value) = header(name) {
            text.push_str(&format!("    {name}: {value}\n"));
        }
    }
    text
}

fn send_params() -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}})
}

#[tokio::test(start_paused = true)]
async fn every_refusal_in_every_binding() {
    let server = TestServer::new();
    let few = TestServer::with_access(|access| access.rate = Some(RateLimit { per_second: 1, burst: 1 }));
    let (reader, caller) = (bearer(&token("acme", "ann", "read:weather")), bearer(&token("acme", "ann", "call")));
    let mut seen = String::new();
    for (name, server, authorization) in [
        ("no token", &server, None),
        ("an unknown token", &server, Some("Bearer who-knows")),
        ("an expired token", &server, Some("Bearer expired")),
        ("another scheme", &server, Some("Basic YTpi")),
        ("keys that cannot be had", &server, Some("Bearer away")),
        ("a scope that is missing", &server, Some(reader.as_str())),
        ("too many requests", &few, Some(caller.as_str())),
    ] {
        seen.push_str(&format!("{name}\n"));
        for binding in Binding::ALL {
            let mut pairs = vec![("baton-agent", "weather")];
            pairs.extend(authorization.map(|value| ("authorization", value)));
            if name == "too many requests" {
                tokio::time::advance(std::time::Duration::from_secs(1)).await;
                open(&server.app, binding, Op::Card, &json!({}), &pairs).await.unwrap();
            }
            let response = open(&server.app, binding, Op::Send, &send_params(), &pairs).await.unwrap();
            seen.push_str(&describe_refusal(binding, response).await);
        }
    }
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn non_a2a_routes_reject_in_rest_format() {
    let server = TestServer::new();
    for (method, path) in [
        ("GET", "/api/v1/tasks/x"),
        ("GET", "/api/v1/tasks/x/events"),
        ("GET", "/api/v1/handoffs/x"),
        ("GET", "/api/v1/tokens"),
        ("POST", "/api/v1/tokens"),
        ("DELETE", "/api/v1/tokens/x"),
        ("GET", "/nowhere"),
        ("GET", "/agents/weather/a2a"),
        ("DELETE", "/agents/weather"),
        ("DELETE", "/agents"),
    ] {
        let response = raw(&server.app, method, path, HeaderMap::new(), "").await;
        assert!(response.headers().contains_key(header::WWW_AUTHENTICATE), "{method} {path}");
        assert_eq!(response.status(), 401, "{method} {path}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["error"]["status"], "UNAUTHENTICATED", "{method} {path}");
    }
}

/// The request body is not read, so its id is unknown.
#[tokio::test]
async fn json_rpc_rejection_has_a_null_id() {
    let server = TestServer::new();
    for (method, name) in [("message.send", "ContextCore"), ("message/send", "0.3"), ("SendMessage", "1.0")] {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": {}}).to_string();
        let given = headers(&[("content-type", "application/json")]);
        let response = raw(&server.app, "POST", "/agents/weather", given, body).await;
        assert_eq!(response.status(), 401, "{name}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&body["id"], &body["error"]["code"]), (&Value::Null, &json!(-32600)), "{name}");
    }
}

#[tokio::test]
async fn exactly_one_authorization_header_with_one_token_is_accepted() {
    let server = TestServer::new();
    let good = bearer(&token("acme", "ann", "call"));
    let scheme = good.replace("Bearer", "bEARER");
    for (given, status, error) in [
        (&[good.as_str()][..], 404, ""),
        (&[scheme.as_str()], 404, ""),
        (&[], 401, ""),
        (&[""], 401, ""),
        (&[&good, &good], 400, ""),
        (&[&good, "Basic YTpi"], 400, ""),
        (&["Bearer"], 401, "invalid_request"),
        (&["Bearer a b"], 401, "invalid_request"),
        (&["Bearer a,b"], 401, "invalid_request"),
        (&["Bearer t\u{f6}ken"], 401, "invalid_request"),
        (&["Bearer nobody"], 401, "invalid_token"),
        (&["Bearer revoked"], 401, "invalid_token"),
    ] {
        let mut all = HeaderMap::new();
        for value in given {
            all.append(header::AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let response = raw(&server.app, "GET", "/api/v1/tasks/nothing", all, "").await;
        assert_eq!(response.status(), status, "{given:?}");
        let challenge = response.headers().get(header::WWW_AUTHENTICATE).map(|value| value.to_str().unwrap());
        assert_eq!(challenge.is_some(), status == 401, "{given:?}");
        if let Some(challenge) = challenge {
            let named = challenge.split("error=\"").nth(1).map_or("", |rest| rest.split('"').next().unwrap());
            assert_eq!(named, error, "{given:?} {challenge}");
        }
    }
}

//! Rate limits per caller and per address.

use super::server::{TestServer, bearer, token};
use crate::bindings::{headers, raw};
use baton_client::ClientError;
use baton_http::RateLimit;
use http::{HeaderMap, StatusCode};
use std::time::Duration;

async fn get(server: &TestServer, path: &str, token: &str) -> (StatusCode, Option<String>) {
    let given = if token.is_empty() { HeaderMap::new() } else { headers(&[("authorization", &bearer(token))]) };
    let response = raw(&server.app, "GET", path, given, "").await;
    let wait = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    (response.status(), wait)
}

const MISSING: &str = "/api/v1/tasks/nothing";

#[tokio::test(start_paused = true)]
async fn each_caller_has_a_rate_of_its_own() {
    let server = TestServer::with_access(|access| access.rate = Some(RateLimit { per_second: 2, burst: 5 }));
    let (ann, bob, namesake) =
        (token("acme", "ann", "call"), token("acme", "bob", "call"), token("other", "ann", "call"));
    let passes = |answer: (StatusCode, Option<String>)| answer == (StatusCode::NOT_FOUND, None);
    for _ in 0..5 {
        assert!(passes(get(&server, MISSING, &ann).await));
    }
    assert_eq!(get(&server, MISSING, &ann).await, (StatusCode::TOO_MANY_REQUESTS, Some("1".to_owned())));
    // Tokens of the same principal share a limit; other principals have their own.
    assert!(!passes(get(&server, MISSING, &token("acme", "ann", "read")).await));
    assert!(passes(get(&server, MISSING, &bob).await) && passes(get(&server, MISSING, &namesake).await));
    // Requests to public paths are not counted.
    assert_eq!(get(&server, "/healthz", &ann).await.0, StatusCode::OK);
    assert_eq!(get(&server, "/agents", &ann).await.0, StatusCode::OK);
    tokio::time::advance(Duration::from_millis(500)).await;
    assert!(passes(get(&server, MISSING, &ann).await) && !passes(get(&server, MISSING, &ann).await));
    tokio::time::advance(Duration::from_secs(60)).await;
    for _ in 0..5 {
        assert!(passes(get(&server, MISSING, &ann).await));
    }
    let refused = server.client(&ann).task("nothing").await.unwrap_err();
    let ClientError::Refused(refused) = refused else { panic!("{refused}") };
    assert_eq!((refused.status, refused.baton_code.as_deref()), (429, Some("BTN-1012")));
    assert!(refused.hint.is_some());
}

#[tokio::test(start_paused = true)]
async fn the_owner_of_a_local_baton_has_a_rate_too() {
    let server = TestServer::with_access(|access| {
        access.identity = None;
        access.rate = Some(RateLimit { per_second: 1, burst: 2 });
    });
    for expect in [StatusCode::NOT_FOUND, StatusCode::NOT_FOUND, StatusCode::TOO_MANY_REQUESTS] {
        assert_eq!(get(&server, MISSING, "").await.0, expect);
    }
    assert_eq!(get(&server, "/healthz", "").await.0, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn failures_from_one_address_are_limited_and_good_tokens_are_not() {
    let server = TestServer::new();
    for _ in 0..50 {
        assert_eq!(get(&server, MISSING, "nobody").await.0, StatusCode::UNAUTHORIZED);
    }
    let limited = (StatusCode::TOO_MANY_REQUESTS, Some("1".to_owned()));
    assert_eq!(get(&server, MISSING, "nobody").await, limited);
    assert_eq!(get(&server, MISSING, "").await, limited);
    assert_eq!(get(&server, MISSING, &token("acme", "ann", "call")).await.0, StatusCode::NOT_FOUND);
    // An unavailable issuer does not count as a failed authentication.
    assert_eq!(get(&server, MISSING, "away").await, (StatusCode::SERVICE_UNAVAILABLE, Some("1".to_owned())));
    tokio::time::advance(Duration::from_millis(100)).await;
    assert_eq!(get(&server, MISSING, "nobody").await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(get(&server, MISSING, "nobody").await, limited);
}

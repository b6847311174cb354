//! Key rotation, missing keys and unavailable issuers.

use crate::{
    issuer_fixture::{HOUR, ISSUER, IssuerFixture, KEYS, MINUTE, claims, config},
    signer::Signer,
};
use baton_identity::IssuerConfig;
use baton_ports::TokenRejection;
use serde_json::json;
use std::{future::Future as _, pin::pin, task::Poll};

const BAD: Result<(), TokenRejection> = Err(TokenRejection::BadSignature);
const WELL_KNOWN: &str = "https://id.example/.well-known/openid-configuration";

/// A token that is valid for two days.
fn long(signer: &Signer) -> String {
    signer.sign(&claims(&json!({"exp": crate::issuer_fixture::NOW + 48 * HOUR})))
}

fn away() -> Result<(), TokenRejection> {
    Err(TokenRejection::KeysUnavailable("the issuer is away".to_owned()))
}

#[tokio::test]
async fn new_key_is_fetched_once_and_old_key_expires_with_the_next_fetch() {
    let (old, new, stranger) = (Signer::p256("old"), Signer::p256("new"), Signer::p256("stranger"));
    let fixture = IssuerFixture::with([&old]);
    assert_eq!(fixture.verify(&long(&old)).await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS]);

    fixture.site.publish([&old, &new]);
    assert_eq!(fixture.verify(&long(&new)).await, Ok(()));
    assert_eq!(fixture.verify(&long(&new)).await, Ok(()));
    assert_eq!(fixture.verify(&long(&old)).await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS], "one refetch for an unknown key");

    fixture.site.publish([&new]);
    fixture.clock.advance(10 * MINUTE - 1);
    assert_eq!(fixture.verify(&long(&old)).await, Ok(()));
    assert_eq!(fixture.site.asked(), [""; 0], "cached for ten minutes");
    fixture.clock.advance(1);
    assert_eq!(fixture.verify(&long(&old)).await, BAD);
    assert_eq!(fixture.verify(&long(&new)).await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS]);

    // Unknown keys trigger at most one fetch in 30 seconds.
    fixture.clock.advance(MINUTE);
    for _ in 0..3 {
        for _ in 0..10 {
            assert_eq!(fixture.verify(&long(&stranger)).await, BAD);
            assert_eq!(fixture.verify(&long(&old)).await, BAD);
        }
        assert_eq!(fixture.site.asked(), [KEYS]);
        fixture.clock.advance(29);
        assert_eq!(fixture.verify(&long(&stranger)).await, BAD);
        assert_eq!(fixture.site.asked(), [""; 0]);
        fixture.clock.advance(1);
    }
}

#[tokio::test]
async fn token_without_key_id_is_tried_with_all_keys_then_refetched() {
    let (old, new) = (Signer::ed25519("old"), Signer::ed25519("new"));
    let fixture = IssuerFixture::with([&Signer::rsa("r"), &Signer::p256("p"), &old]);
    let nameless = |signer: &Signer| signer.sign_raw("EdDSA", r#"{"alg":"EdDSA"}"#, &claims(&json!({})).to_string());
    assert_eq!(fixture.verify(&nameless(&old)).await, Ok(()));
    fixture.site.publish([&new]);
    assert_eq!(fixture.verify(&nameless(&new)).await, Ok(()));
    assert_eq!(fixture.verify(&nameless(&old)).await, BAD);
    assert_eq!(fixture.site.asked(), [KEYS, KEYS]);
}

#[tokio::test]
async fn old_keys_are_valid_for_a_day_if_the_issuer_is_unavailable() {
    let signer = Signer::p256("k");
    let fixture = IssuerFixture::with([&signer]);
    let token = long(&signer);
    assert_eq!(fixture.verify(&token).await, Ok(()));
    fixture.site.go_away();
    fixture.clock.advance(11 * MINUTE);
    assert_eq!(fixture.verify(&token).await, Ok(()));
    assert_eq!(fixture.verify(&token).await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS, KEYS], "no immediate second request");
    fixture.clock.advance(30);
    assert_eq!(fixture.verify(&token).await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS]);

    fixture.clock.advance(24 * HOUR - 11 * MINUTE - 31);
    assert_eq!(fixture.verify(&token).await, Ok(()));
    fixture.clock.advance(1);
    assert_eq!(fixture.verify(&token).await, away());
    fixture.site.publish([&signer]);
    fixture.clock.advance(5);
    assert_eq!(fixture.verify(&token).await, Ok(()));
}

#[tokio::test]
async fn initially_unavailable_issuer_is_retried_soon() {
    let signer = Signer::p256("k");
    let fixture = IssuerFixture::trusting(vec![config()]);
    for _ in 0..3 {
        assert_eq!(fixture.verify(&long(&signer)).await, away());
    }
    assert_eq!(fixture.site.asked(), [KEYS]);
    fixture.site.publish([&signer]);
    fixture.clock.advance(4);
    assert_eq!(fixture.verify(&long(&signer)).await, away());
    fixture.clock.advance(1);
    assert_eq!(fixture.verify(&long(&signer)).await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS]);
}

#[tokio::test]
async fn concurrent_requests_share_one_fetch() {
    let (old, new) = (Signer::p256("old"), Signer::p256("new"));
    let fixture = IssuerFixture::with([&old]);
    for (signer, published) in [(&old, &old), (&new, &new)] {
        fixture.site.publish([published]);
        fixture.site.open.forget_permits(usize::MAX);
        let token = long(signer);
        let crowd = futures_util::future::join_all((0..200).map(|_| fixture.verify(&token)));
        let mut crowd = pin!(crowd);
        // All of them wait before the issuer replies.
        assert!(std::future::poll_fn(|context| Poll::Ready(crowd.as_mut().poll(context).is_pending())).await);
        fixture.site.open.add_permits(1);
        assert!(crowd.await.into_iter().all(|judged| judged == Ok(())));
        assert_eq!(fixture.site.asked(), [KEYS]);
    }
}

#[tokio::test]
async fn known_key_needs_no_wait_and_dropped_caller_does_not_cancel_refresh() {
    let (old, new) = (Signer::p256("old"), Signer::p256("new"));
    let fixture = IssuerFixture::with([&old]);
    assert_eq!(fixture.verify(&long(&old)).await, Ok(()));
    fixture.clock.advance(11 * MINUTE);
    fixture.site.publish([&new]);
    fixture.site.open.forget_permits(usize::MAX);
    let (old_token, new_token) = (long(&old), long(&new));
    {
        let mut leaving = pin!(fixture.verify(&old_token));
        assert!(std::future::poll_fn(|context| Poll::Ready(leaving.as_mut().poll(context).is_pending())).await);
    }
    assert_eq!(fixture.verify(&old_token).await, Ok(()), "during the fetch");
    let mut waiting = pin!(fixture.verify(&new_token));
    assert!(std::future::poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending())).await);
    fixture.site.open.add_permits(1);
    assert_eq!(waiting.await, Ok(()));
    assert_eq!(fixture.site.asked(), [KEYS, KEYS]);
    assert_eq!(fixture.verify(&old_token).await, BAD);
}

#[tokio::test]
async fn keys_are_discovered_from_the_issuer() {
    let signer = Signer::p256("k");
    let elsewhere = "https://keys.example/jwks";
    let table = [
        (json!({"issuer": ISSUER, "jwks_uri": elsewhere}), ""),
        (json!({"issuer": "https://evil.example", "jwks_uri": elsewhere}), "describes the issuer"),
        (json!({"issuer": "https://id.example/", "jwks_uri": elsewhere}), "describes the issuer"),
        (json!({"issuer": ISSUER, "jwks_uri": "http://keys.example/jwks"}), "a jwks_uri without TLS"),
        (json!({"issuer": ISSUER, "jwks_uri": "file:///etc/passwd"}), "an unusable jwks_uri"),
        (json!({"issuer": ISSUER}), "is not valid issuer metadata"),
    ];
    for (metadata, problem) in table {
        let fixture = IssuerFixture::trusting(vec![IssuerConfig { jwks_url: None, ..config() }]);
        fixture.site.put(WELL_KNOWN, &metadata);
        fixture.site.put(elsewhere, &json!({"keys": [signer.public_jwk(&json!({}))]}));
        match fixture.verify(&long(&signer)).await {
            Ok(()) => {
                assert_eq!((fixture.site.asked(), problem), (vec![WELL_KNOWN.to_owned(), elsewhere.to_owned()], ""));
            }
            Err(TokenRejection::KeysUnavailable(reason)) => {
                assert!(!problem.is_empty() && reason.contains(problem), "{metadata}: {reason}");
                assert_eq!(fixture.site.asked(), [WELL_KNOWN]);
            }
            Err(other) => panic!("{metadata}: {other}"),
        }
    }
    let slash = IssuerConfig { issuer: "https://id.example/".to_owned(), jwks_url: None, ..config() };
    let fixture = IssuerFixture::trusting(vec![slash]);
    assert_eq!(fixture.verify(&signer.sign(&claims(&json!({"iss": "https://id.example/"})))).await, away());
    assert_eq!(fixture.site.asked(), [WELL_KNOWN]);
}

//! Keys that change, are missing, or cannot be had.

use crate::{
    desk::{Desk, HOUR, ISSUER, KEYS, MINUTE, claims, config},
    signer::Signer,
};
use baton_identity::IssuerConfig;
use baton_ports::TokenRejection;
use serde_json::json;
use std::{future::Future as _, pin::pin, task::Poll};

const BAD: Result<(), TokenRejection> = Err(TokenRejection::BadSignature);
const WELL_KNOWN: &str = "https://id.example/.well-known/openid-configuration";

/// A token that holds for two days.
fn long(signer: &Signer) -> String {
    signer.sign(&claims(&json!({"exp": crate::desk::NOW + 48 * HOUR})))
}

fn away() -> Result<(), TokenRejection> {
    Err(TokenRejection::KeysUnavailable("the issuer is away".to_owned()))
}

#[tokio::test]
async fn a_new_key_is_fetched_once_and_an_old_one_goes_with_the_next_fetch() {
    let (old, new, stranger) = (Signer::p256("old"), Signer::p256("new"), Signer::p256("stranger"));
    let desk = Desk::with([&old]);
    assert_eq!(desk.judge(&long(&old)).await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS]);

    desk.site.publish([&old, &new]);
    assert_eq!(desk.judge(&long(&new)).await, Ok(()));
    assert_eq!(desk.judge(&long(&new)).await, Ok(()));
    assert_eq!(desk.judge(&long(&old)).await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS], "one refetch for a key that was not there");

    desk.site.publish([&new]);
    desk.clock.pass(10 * MINUTE - 1);
    assert_eq!(desk.judge(&long(&old)).await, Ok(()));
    assert_eq!(desk.site.asked(), [""; 0], "kept for ten minutes");
    desk.clock.pass(1);
    assert_eq!(desk.judge(&long(&old)).await, BAD);
    assert_eq!(desk.judge(&long(&new)).await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS]);

    // Strangers cannot make Baton ask more often than every half minute.
    desk.clock.pass(MINUTE);
    for _ in 0..3 {
        for _ in 0..10 {
            assert_eq!(desk.judge(&long(&stranger)).await, BAD);
            assert_eq!(desk.judge(&long(&old)).await, BAD);
        }
        assert_eq!(desk.site.asked(), [KEYS]);
        desk.clock.pass(29);
        assert_eq!(desk.judge(&long(&stranger)).await, BAD);
        assert_eq!(desk.site.asked(), [""; 0]);
        desk.clock.pass(1);
    }
}

#[tokio::test]
async fn a_token_that_names_no_key_is_tried_with_all_and_may_need_newer_ones() {
    let (old, new) = (Signer::ed25519("old"), Signer::ed25519("new"));
    let desk = Desk::with([&Signer::rsa("r"), &Signer::p256("p"), &old]);
    let nameless = |signer: &Signer| signer.sign_raw("EdDSA", r#"{"alg":"EdDSA"}"#, &claims(&json!({})).to_string());
    assert_eq!(desk.judge(&nameless(&old)).await, Ok(()));
    desk.site.publish([&new]);
    assert_eq!(desk.judge(&nameless(&new)).await, Ok(()));
    assert_eq!(desk.judge(&nameless(&old)).await, BAD);
    assert_eq!(desk.site.asked(), [KEYS, KEYS]);
}

#[tokio::test]
async fn old_keys_hold_for_a_day_when_the_issuer_is_away() {
    let signer = Signer::p256("k");
    let desk = Desk::with([&signer]);
    let token = long(&signer);
    assert_eq!(desk.judge(&token).await, Ok(()));
    desk.site.go_away();
    desk.clock.pass(11 * MINUTE);
    assert_eq!(desk.judge(&token).await, Ok(()));
    assert_eq!(desk.judge(&token).await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS, KEYS], "the issuer is not asked again at once");
    desk.clock.pass(30);
    assert_eq!(desk.judge(&token).await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS]);

    desk.clock.pass(24 * HOUR - 11 * MINUTE - 31);
    assert_eq!(desk.judge(&token).await, Ok(()));
    desk.clock.pass(1);
    assert_eq!(desk.judge(&token).await, away());
    desk.site.publish([&signer]);
    desk.clock.pass(5);
    assert_eq!(desk.judge(&token).await, Ok(()));
}

#[tokio::test]
async fn an_issuer_that_is_away_from_the_start_is_asked_again_soon() {
    let signer = Signer::p256("k");
    let desk = Desk::trusting(vec![config()]);
    for _ in 0..3 {
        assert_eq!(desk.judge(&long(&signer)).await, away());
    }
    assert_eq!(desk.site.asked(), [KEYS]);
    desk.site.publish([&signer]);
    desk.clock.pass(4);
    assert_eq!(desk.judge(&long(&signer)).await, away());
    desk.clock.pass(1);
    assert_eq!(desk.judge(&long(&signer)).await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS]);
}

#[tokio::test]
async fn many_at_once_make_one_fetch() {
    let (old, new) = (Signer::p256("old"), Signer::p256("new"));
    let desk = Desk::with([&old]);
    for (signer, published) in [(&old, &old), (&new, &new)] {
        desk.site.publish([published]);
        desk.site.open.forget_permits(usize::MAX);
        let token = long(signer);
        let crowd = futures_util::future::join_all((0..200).map(|_| desk.judge(&token)));
        let mut crowd = pin!(crowd);
        // All of them stand in line before the issuer says anything.
        assert!(std::future::poll_fn(|context| Poll::Ready(crowd.as_mut().poll(context).is_pending())).await);
        desk.site.open.add_permits(1);
        assert!(crowd.await.into_iter().all(|judged| judged == Ok(())));
        assert_eq!(desk.site.asked(), [KEYS]);
    }
}

#[tokio::test]
async fn callers_with_a_known_key_do_not_wait_for_a_refresh_and_one_who_leaves_does_not_stop_it() {
    let (old, new) = (Signer::p256("old"), Signer::p256("new"));
    let desk = Desk::with([&old]);
    assert_eq!(desk.judge(&long(&old)).await, Ok(()));
    desk.clock.pass(11 * MINUTE);
    desk.site.publish([&new]);
    desk.site.open.forget_permits(usize::MAX);
    let (old_token, new_token) = (long(&old), long(&new));
    {
        let mut leaving = pin!(desk.judge(&old_token));
        assert!(std::future::poll_fn(|context| Poll::Ready(leaving.as_mut().poll(context).is_pending())).await);
    }
    assert_eq!(desk.judge(&old_token).await, Ok(()), "while the fetch is under way");
    let mut waiting = pin!(desk.judge(&new_token));
    assert!(std::future::poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending())).await);
    desk.site.open.add_permits(1);
    assert_eq!(waiting.await, Ok(()));
    assert_eq!(desk.site.asked(), [KEYS, KEYS]);
    assert_eq!(desk.judge(&old_token).await, BAD);
}

#[tokio::test]
async fn keys_are_discovered_from_the_issuer_itself() {
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
        let desk = Desk::trusting(vec![IssuerConfig { jwks_url: None, ..config() }]);
        desk.site.put(WELL_KNOWN, &metadata);
        desk.site.put(elsewhere, &json!({"keys": [signer.published(&json!({}))]}));
        match desk.judge(&long(&signer)).await {
            Ok(()) => assert_eq!((desk.site.asked(), problem), (vec![WELL_KNOWN.to_owned(), elsewhere.to_owned()], "")),
            Err(TokenRejection::KeysUnavailable(reason)) => {
                assert!(!problem.is_empty() && reason.contains(problem), "{metadata}: {reason}");
                assert_eq!(desk.site.asked(), [WELL_KNOWN]);
            }
            Err(other) => panic!("{metadata}: {other}"),
        }
    }
    let slash = IssuerConfig { issuer: "https://id.example/".to_owned(), jwks_url: None, ..config() };
    let desk = Desk::trusting(vec![slash]);
    assert_eq!(desk.judge(&signer.sign(&claims(&json!({"iss": "https://id.example/"})))).await, away());
    assert_eq!(desk.site.asked(), [WELL_KNOWN]);
}

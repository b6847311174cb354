//! Validation of tokens of trusted issuers.

use crate::{
    issuer_fixture::{ISSUER, IssuerFixture, KEYS, NOW, claims, config},
    signer::{Signer, base64},
};
use baton_identity::{Algorithm, IssuerConfig, IssuerDocuments, Issuers};
use baton_ports::{AuthenticatedCaller, TokenRejection};
use baton_types::Principal;
use proptest::prelude::*;
use ring::hmac;
use serde_json::{Value, json};
use std::sync::Arc;

fn ann() -> AuthenticatedCaller {
    let principal = Principal { tenant: ISSUER.into(), subject: "ann".into(), scopes: vec!["call".into()] };
    AuthenticatedCaller { principal: Arc::new(principal), credential: "jwt:id.example:ann".into() }
}

#[tokio::test]
async fn each_algorithm_accepts_only_its_own_key() {
    let signers = [Signer::rsa("r"), Signer::p256("a"), Signer::p384("b"), Signer::ed25519("e")];
    let fixture = IssuerFixture::with(&signers);
    for algorithm in Algorithm::ALL.map(Algorithm::as_str) {
        for signer in &signers {
            let own = match signer.id {
                "r" => algorithm.starts_with(['R', 'P']),
                _ => signer.algorithm() == algorithm,
            };
            let token = signer.sign_as(algorithm, &claims(&json!({})));
            let expected = if own { Ok(ann()) } else { Err(TokenRejection::BadSignature) };
            assert_eq!(fixture.identify(&token).await, expected, "{algorithm} by {}", signer.id);
        }
    }
    let named_by_curve = signers[3].sign_as("Ed25519", &claims(&json!({})));
    assert_eq!(fixture.identify(&named_by_curve).await, Ok(ann()));
    assert_eq!(fixture.site.asked().len(), 1);
}

#[tokio::test]
async fn claims_are_checked_one_by_one() {
    use TokenRejection::{Expired, Malformed, NotYetValid, WrongAudience, WrongIssuer};
    let signer = Signer::p256("k");
    let fixture = IssuerFixture::with([&signer]);
    let long = "s".repeat(256);
    let table = [
        (json!({}), Ok(())),
        // Clocks may differ by a minute.
        (json!({"exp": NOW - 59}), Ok(())),
        (json!({"exp": NOW - 60}), Err(Expired)),
        (json!({"exp": NOW as f64 - 59.5}), Ok(())),
        (json!({"exp": -1}), Err(Expired)),
        (json!({"exp": 1e300}), Ok(())),
        (json!({"exp": null}), Err(Malformed)),
        (json!({"exp": "1800003600"}), Err(Malformed)),
        (json!({"nbf": NOW + 60}), Ok(())),
        (json!({"nbf": NOW + 61}), Err(NotYetValid)),
        (json!({"iat": NOW + 60, "nbf": 0}), Ok(())),
        (json!({"iat": NOW + 61, "nbf": 0}), Err(NotYetValid)),
        (json!({"nbf": []}), Err(Malformed)),
        (json!({"aud": ["other", "https://baton.example"]}), Ok(())),
        (json!({"aud": "other"}), Err(WrongAudience)),
        (json!({"aud": "BATON"}), Err(WrongAudience)),
        (json!({"aud": "baton other"}), Err(WrongAudience)),
        (json!({"aud": ["other"]}), Err(WrongAudience)),
        (json!({"aud": []}), Err(WrongAudience)),
        (json!({"aud": null}), Err(WrongAudience)),
        (json!({"aud": {"baton": true}}), Err(Malformed)),
        (json!({"iss": "https://id.example/"}), Err(WrongIssuer)),
        (json!({"iss": "https://ID.example"}), Err(WrongIssuer)),
        (json!({"iss": "https://evil.example"}), Err(WrongIssuer)),
        (json!({"iss": null}), Err(WrongIssuer)),
        (json!({"iss": [ISSUER]}), Err(Malformed)),
        (json!({"sub": &long[1..]}), Ok(())),
        (json!({"sub": long}), Err(Malformed)),
        (json!({"sub": ""}), Err(Malformed)),
        (json!({"sub": "a\nb"}), Err(Malformed)),
        (json!({"sub": 7}), Err(Malformed)),
        (json!({"sub": null}), Err(Malformed)),
    ];
    for (change, expected) in table {
        assert_eq!(fixture.verify(&signer.sign(&claims(&change))).await, expected, "{change}");
    }
    let twice = format!(r#"{{"iss":"{ISSUER}","aud":"baton","sub":"ann","sub":"bob","exp":{}}}"#, NOW + 9);
    for payload in [twice.as_str(), "[]", "", "{", "null"] {
        let token = signer.sign_raw("ES256", r#"{"alg":"ES256","kid":"k"}"#, payload);
        assert_eq!(fixture.verify(&token).await, Err(Malformed), "{payload}");
    }
}

#[tokio::test]
async fn unsupported_headers_are_rejected() {
    use TokenRejection::{Algorithm, BadSignature, Malformed};
    let signer = Signer::p256("k");
    let fixture = IssuerFixture::with([&signer]);
    let table = [
        (json!({"alg": "ES256", "kid": "k"}), Ok(())),
        (json!({"alg": "ES256"}), Ok(())),
        (json!({"alg": "ES256", "typ": "at+JWT"}), Ok(())),
        (json!({"alg": "ES256", "typ": "application/at+jwt"}), Ok(())),
        (json!({"alg": "ES256", "typ": "logout+jwt"}), Err(Malformed)),
        (json!({"alg": "ES256", "crit": ["b64"], "b64": false}), Err(Malformed)),
        (json!({"alg": "ES256", "crit": []}), Err(Malformed)),
        (json!({"alg": "ES256", "crit": null}), Err(Malformed)),
        // A key embedded in the token is not trusted.
        (json!({"alg": "ES256", "kid": "other", "jwk": signer.public_jwk(&json!({}))}), Err(BadSignature)),
        (json!({"alg": "ES256", "kid": "other", "jku": KEYS}), Err(BadSignature)),
        (json!({"alg": "none"}), Err(Algorithm)),
        (json!({"alg": "None"}), Err(Algorithm)),
        (json!({"alg": "NONE"}), Err(Algorithm)),
        (json!({"alg": "nOnE"}), Err(Algorithm)),
        (json!({"alg": ""}), Err(Algorithm)),
        (json!({"alg": "es256"}), Err(Algorithm)),
        (json!({"alg": "HS256", "kid": "k"}), Err(Algorithm)),
        (json!({"alg": "ES512"}), Err(Algorithm)),
        (json!({"kid": "k"}), Err(Algorithm)),
        (json!({"alg": null}), Err(Algorithm)),
        (json!({"alg": ["ES256"]}), Err(Malformed)),
        (json!([]), Err(Malformed)),
    ];
    for (header, expected) in table {
        let signed = signer.sign_raw("ES256", &header.to_string(), &claims(&json!({})).to_string());
        assert_eq!(fixture.verify(&signed).await, expected, "{header}");
        let (message, _) = signed.rsplit_once('.').unwrap();
        let unsigned = fixture.verify(&format!("{message}.")).await;
        assert_eq!(unsigned, Err(expected.err().unwrap_or(BadSignature)), "{header} without a signature");
        assert_eq!(fixture.verify(message).await, Err(Malformed), "{header} with two parts");
        assert_eq!(fixture.verify(&format!("{signed}.")).await, Err(Malformed), "{header} with four parts");
    }
    let padded = signer.sign(&claims(&json!({"sub": "ann"})));
    let too_long = signer.sign(&claims(&json!({"filler": "x".repeat(12_500)})));
    for token in [format!("{padded}=="), format!(" {padded}"), too_long, String::new(), "..".to_owned()] {
        assert_eq!(fixture.verify(&token).await, Err(Malformed));
    }
    assert_eq!(fixture.verify(&signer.sign(&claims(&json!({"filler": "x".repeat(11_000)})))).await, Ok(()));
}

#[tokio::test]
async fn public_key_is_not_accepted_as_hmac_secret() {
    let signers = [Signer::rsa("r"), Signer::p256("a"), Signer::ed25519("e")];
    let fixture = IssuerFixture::with(&signers);
    for signer in &signers {
        let published = signer.public_jwk(&json!({}));
        let members = ["n", "x"].into_iter().filter_map(|name| published[name].as_str());
        let mut secrets = vec![signer.public(), published.to_string().into_bytes()];
        secrets.extend(members.map(|text| text.as_bytes().to_vec()));
        for secret in secrets {
            for algorithm in ["HS256", "ES256", "RS256", "EdDSA"] {
                let header = json!({"alg": algorithm, "kid": signer.id});
                let message = format!("{}.{}", base64(header.to_string()), base64(claims(&json!({})).to_string()));
                let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), message.as_bytes());
                let refusal = fixture.verify(&format!("{message}.{}", base64(tag))).await;
                let expected =
                    if algorithm == "HS256" { TokenRejection::Algorithm } else { TokenRejection::BadSignature };
                assert_eq!(refusal, Err(expected), "{algorithm}");
            }
        }
    }
    // A published symmetric key is not a secret.
    let secret = [7; 32];
    fixture.site.put(KEYS, &json!({"keys": [{"kty": "oct", "kid": "o", "k": base64(secret)}]}));
    let message = format!("{}.{}", base64(r#"{"alg":"HS256","kid":"o"}"#), base64(claims(&json!({})).to_string()));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), message.as_bytes());
    assert_eq!(fixture.verify(&format!("{message}.{}", base64(tag))).await, Err(TokenRejection::Algorithm));
}

/// The verdict on a token if its issuer publishes these keys.
async fn verify_with_published_keys(keys: &Value, configured: IssuerConfig, token: &str) -> Result<(), TokenRejection> {
    let fixture = IssuerFixture::trusting(vec![configured]);
    fixture.site.put(KEYS, keys);
    fixture.verify(token).await
}

#[tokio::test]
async fn keys_are_used_only_for_their_published_purpose() {
    use TokenRejection::BadSignature;
    let (signer, other) = (Signer::p256("k"), Signer::p256("k"));
    let token = signer.sign(&claims(&json!({})));
    let key = |more: Value| signer.public_jwk(&more);
    let table = [
        (vec![key(json!({}))], Ok(())),
        (vec![key(json!({"use": "sig", "key_ops": ["verify"], "alg": "ES256"}))], Ok(())),
        (vec![key(json!({"use": "enc"}))], Err(BadSignature)),
        (vec![key(json!({"key_ops": ["encrypt"]}))], Err(BadSignature)),
        (vec![key(json!({"alg": "ECDH-ES"}))], Err(BadSignature)),
        (vec![key(json!({"alg": "ES384"}))], Err(BadSignature)),
        (vec![key(json!({"crv": "P-384"}))], Err(BadSignature)),
        (vec![key(json!({"kid": "K"}))], Err(BadSignature)),
        (vec![key(json!({"x": "AA"}))], Err(BadSignature)),
        (vec![other.public_jwk(&json!({}))], Err(BadSignature)),
        // Unreadable or unsupported keys do not affect the others; two keys may have one id.
        (vec![json!(7), json!({"kty": "??"}), other.public_jwk(&json!({})), key(json!({}))], Ok(())),
        (vec![], Err(BadSignature)),
    ];
    for (keys, expected) in table {
        let keys = json!({ "keys": keys });
        assert_eq!(verify_with_published_keys(&keys, config(), &token).await, expected, "{keys}");
    }
    let most: Vec<_> = std::iter::repeat_n(key(json!({})), 64).collect();
    assert_eq!(verify_with_published_keys(&json!({"keys": most}), config(), &token).await, Ok(()));
    let too_many = [most, vec![key(json!({}))]].concat();
    for unreadable in [json!({ "keys": too_many }), json!({}), json!([]), json!("")] {
        let refusal = verify_with_published_keys(&unreadable, config(), &token).await;
        assert!(matches!(refusal, Err(TokenRejection::KeysUnavailable(_))), "{refusal:?}");
    }
    let weak = serde_json::from_str(include_str!("../fixtures/weak.json")).unwrap();
    assert_eq!(
        verify_with_published_keys(&weak, config(), include_str!("../fixtures/weak.jwt")).await,
        Err(BadSignature)
    );
}

#[tokio::test]
async fn operator_restricts_algorithms_tenants_and_scopes() {
    let signer = Signer::rsa("k");
    let keys = json!({"keys": [signer.public_jwk(&json!({}))]});
    let only_pss = IssuerConfig { algorithms: vec![Algorithm::Ps256, Algorithm::Es256], ..config() };
    let (plain, pss) = (signer.sign(&claims(&json!({}))), signer.sign_as("PS256", &claims(&json!({}))));
    assert_eq!(verify_with_published_keys(&keys, only_pss.clone(), &plain).await, Err(TokenRejection::Algorithm));
    assert_eq!(verify_with_published_keys(&keys, only_pss, &pss).await, Ok(()));

    let scopes = vec!["call:weather".to_owned(), "read".to_owned()];
    let scoped =
        IssuerConfig { scopes, scope_claim: Some("scope".to_owned()), tenant: Some("acme".into()), ..config() };
    let other_audience = vec!["baton-admins".to_owned()];
    let admins = IssuerConfig { audience: other_audience, scopes: vec!["admin".to_owned()], ..scoped.clone() };
    let local = IssuerConfig { audience: vec!["here".to_owned()], tenant: Some("local".to_owned()), ..scoped.clone() };
    let fixture = IssuerFixture::trusting(vec![scoped, admins, local]);
    fixture.site.put(KEYS, &keys);
    let words = "openid call read:x call:weather admin call:other read";
    let table = [
        (json!({"scope": words}), "acme", "read:x call:weather read"),
        (json!({"scope": ["call:weather", 7, "call"]}), "acme", "call:weather"),
        (json!({"scope": 7}), "acme", ""),
        (json!({}), "acme", ""),
        (json!({"scope": words, "aud": "baton-admins"}), "acme", "call read:x call:weather admin call:other read"),
        (json!({"scope": "read", "aud": ["here"]}), "local", "read"),
    ];
    for (change, tenant, scopes) in table {
        let principal = fixture.identify(&signer.sign(&claims(&change))).await.unwrap().principal;
        assert_eq!((&*principal.tenant, principal.scopes.join(" ").as_str()), (tenant, scopes), "{change}");
    }
    let would_be_owner = signer.sign(&claims(&json!({"sub": "local", "aud": "here"})));
    assert_eq!(fixture.verify(&would_be_owner).await, Err(TokenRejection::Unknown));
    assert_eq!(fixture.issuers.urls(), [ISSUER]);
}

#[test]
fn invalid_issuer_configs_are_rejected() {
    let refusal = |configs: Vec<IssuerConfig>| {
        let fixture = IssuerFixture::trusting(Vec::new());
        let documents: Arc<dyn IssuerDocuments> = fixture.site.clone();
        Issuers::new(configs, &documents, fixture.clock).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let texts = [
        IssuerConfig { audience: Vec::new(), ..config() },
        IssuerConfig { audience: vec![String::new()], ..config() },
        IssuerConfig { issuer: "id.example".to_owned(), ..config() },
        IssuerConfig { jwks_url: Some("ftp://id.example/".to_owned()), ..config() },
        IssuerConfig { scopes: vec!["write".to_owned()], ..config() },
    ]
    .map(|config| refusal(vec![config]));
    insta::assert_snapshot!(texts.join("\n"));
    assert_eq!(refusal(vec![config(); 65]), "there are 65 issuers; at most 64 are allowed");
}

#[tokio::test]
async fn no_character_of_a_token_can_be_replaced() {
    for signer in [Signer::p256("k"), Signer::ed25519("k"), Signer::rsa("k")] {
        let fixture = IssuerFixture::with([&signer]);
        let token = signer.sign(&claims(&json!({})));
        assert_eq!(fixture.verify(&token).await, Ok(()));
        for place in 0..token.len() {
            for other in ["A", "B", ".", "-"] {
                let changed = format!("{}{other}{}", &token[..place], &token[place + 1..]);
                if changed != token {
                    assert!(fixture.verify(&changed).await.is_err(), "{place}: {changed}");
                }
            }
        }
        assert_eq!(fixture.verify(&token).await, Ok(()));
    }
}

/// Modifications that an attacker without the key can make.
#[derive(Clone, Debug)]
enum Change {
    Replace(prop::sample::Index, char),
    Insert(prop::sample::Index, char),
    Remove(prop::sample::Index),
    Cut(prop::sample::Index),
    Header(String, String),
    Claim(String, String),
    Swap(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    let letter = || prop_oneof![prop::char::range('!', '~'), any::<char>()];
    let header = prop_oneof!["alg", "kid", "typ", "jwk", "x"];
    let claim = prop_oneof!["iss", "aud", "sub", "exp", "nbf", "x"];
    let value = || prop_oneof!["\"(none|HS256|ES256|RS256|k|bob|baton)\"", "[1-9][0-9]{0,11}", "null"];
    prop_oneof![
        (place(), letter()).prop_map(|(place, letter)| Change::Replace(place, letter)),
        (place(), letter()).prop_map(|(place, letter)| Change::Insert(place, letter)),
        place().prop_map(Change::Remove),
        place().prop_map(Change::Cut),
        (header, value()).prop_map(|(name, value)| Change::Header(name, value)),
        (claim, value()).prop_map(|(name, value)| Change::Claim(name, value)),
        (0..3_usize, 0..3_usize).prop_map(|(one, other)| Change::Swap(one, other)),
    ]
}

fn changed(token: &str, change: &Change) -> String {
    let mut letters: Vec<char> = token.chars().collect();
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    let member = |part: &str, name: &str, value: &str| {
        let decoded = base64::Engine::decode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, part).unwrap_or_default();
        let mut object: Value = serde_json::from_slice(&decoded).unwrap_or_else(|_| json!({}));
        if let Some(object) = object.as_object_mut() {
            object.insert(name.to_owned(), serde_json::from_str(value).unwrap());
        }
        base64(object.to_string())
    };
    match change {
        Change::Replace(place, letter) if !letters.is_empty() => letters[place.index(token.chars().count())] = *letter,
        Change::Insert(place, letter) => letters.insert(place.index(letters.len() + 1), *letter),
        Change::Remove(place) if !letters.is_empty() => drop(letters.remove(place.index(letters.len()))),
        Change::Cut(place) => letters.truncate(place.index(letters.len() + 1)),
        Change::Header(name, value) => {
            parts[0] = member(&parts[0], name, value);
            return parts.join(".");
        }
        Change::Claim(name, value) if parts.len() > 1 => {
            parts[1] = member(&parts[1], name, value);
            return parts.join(".");
        }
        Change::Swap(one, other) if parts.len() == 3 => {
            parts.swap(*one, *other);
            return parts.join(".");
        }
        _ => {}
    }
    letters.into_iter().collect()
}

#[test]
fn no_changed_token_is_accepted() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let signers = [Signer::p256("k"), Signer::ed25519("k"), Signer::rsa("k")];
    let fixtures = signers.each_ref().map(|signer| IssuerFixture::with([signer]));
    let tokens = signers.each_ref().map(|signer| signer.sign(&claims(&json!({}))));
    proptest!(|(which in 0..3_usize, changes in prop::collection::vec(change(), 1..4))| {
        let token = changes.iter().fold(tokens[which].clone(), |token, change| changed(&token, change));
        if token != tokens[which] {
            prop_assert!(runtime.block_on(fixtures[which].verify(&token)).is_err(), "{}", token);
        }
    });
    for (fixture, token) in fixtures.iter().zip(&tokens) {
        assert_eq!(runtime.block_on(fixture.verify(token)), Ok(()));
    }
}

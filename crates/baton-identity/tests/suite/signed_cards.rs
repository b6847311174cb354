//! Verification of signed agent cards.

use crate::forger::Forger;
use baton_identity::{CardAlgorithm, CardVerificationError, SigningKeys, TrustedKeys, signature_headers, verify_card};
use baton_ports::CardSigner as _;
use baton_types::Json;
use baton_wire::a2a::{
    v1::{
        AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentSkill, Scopes,
        SecurityRequirement,
    },
    v03::UnionCard,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

const JKU: &str = "https://agents.example.com/.well-known/jwks.json";

static KEYS: LazyLock<SigningKeys> = LazyLock::new(|| SigningKeys::open(tempfile::tempdir().unwrap().path()).unwrap());

fn card() -> AgentCard {
    let interface = |version: &str| AgentInterface {
        url: "https://agents.example.com/agents/weather".into(),
        protocol_binding: "JSONRPC".into(),
        tenant: Some("weather".into()),
        protocol_version: version.into(),
    };
    let skill = AgentSkill {
        id: "forecast".into(),
        name: "Forecast".into(),
        description: "Says what the weather is in Zürich".into(),
        tags: vec!["weather".into()],
        ..AgentSkill::default()
    };
    AgentCard {
        name: "Weather".into(),
        description: "Knows the weather".into(),
        supported_interfaces: vec![interface("1.0"), interface("0.3")],
        version: "1.0.0".into(),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(false),
            extensions: vec![AgentExtension {
                uri: "https://example.com/x".into(),
                description: "Prices".into(),
                required: true,
                params: Some(Json::parse(r#"{"list":[1,"two",false],"price":1.1}"#).unwrap()),
            }],
            extended_agent_card: Some(true),
        },
        // Empty scopes: the two canonical forms of this card differ.
        security_requirements: vec![SecurityRequirement { schemes: [("bearer".to_owned(), Scopes::default())].into() }],
        default_input_modes: vec!["text/plain".into()],
        default_output_modes: vec!["text/plain".into()],
        skills: vec![skill],
        ..AgentCard::default()
    }
}

/// Signed in the way Baton signs its own cards.
fn signed(card: AgentCard, keys: &SigningKeys) -> AgentCard {
    let made =
        card.signature_payloads().unwrap().into_iter().flat_map(|payload| keys.sign(payload.as_bytes(), JKU).unwrap());
    let signatures =
        made.map(|it| AgentCardSignature { protected: it.protected, signature: it.signature, header: None }).collect();
    AgentCard { signatures, ..card }
}

fn trusted() -> TrustedKeys {
    TrustedKeys::from_jwks(&KEYS.keys()).unwrap()
}

fn text(card: &impl serde::Serialize) -> String {
    serde_json::to_string(card).unwrap()
}

fn verification_error(card: &str) -> CardVerificationError {
    verify_card(card, &trusted()).unwrap_err()
}

#[test]
fn own_signature_is_valid_in_every_document_form() {
    let card = card();
    let [es256, ed25519] = KEYS.thumbprints();
    let signed = signed(card.clone(), &KEYS);
    for document in [text(&signed), serde_json::to_string_pretty(&signed).unwrap(), text(&UnionCard::new(&signed))] {
        let verified = verify_card(&document, &trusted()).unwrap();
        assert_eq!((&verified.kid, verified.alg), (&es256, CardAlgorithm::Es256));
        // Empty scopes are read as written.
        assert_eq!(verified.card.read::<AgentCard>().unwrap(), card);
        let headers = signature_headers(&document).unwrap();
        assert!(headers.iter().all(|header| header.jku.as_deref() == Some(JKU)));
        let named: Vec<_> = headers.iter().map(|it| (it.alg.as_str(), it.kid.as_str())).collect();
        let once = [("ES256", es256.as_str()), ("EdDSA", ed25519.as_str())];
        assert_eq!(named, [once, once].concat());
    }
    // A client that trusts one of the keys only, by its thumbprint.
    let mut pinned = TrustedKeys::from_thumbprints([ed25519.clone()]);
    assert_eq!(verify_card(&text(&signed), &pinned), Err(CardVerificationError::UnknownKey(es256)));
    assert_eq!(pinned.admit(&KEYS.keys()), Ok(1));
    let verified = verify_card(&text(&signed), &pinned).unwrap();
    assert_eq!((verified.kid, verified.alg), (ed25519, CardAlgorithm::EdDsa));
}

#[test]
fn changed_member_is_detected() {
    let document: Value = serde_json::from_str(&text(&signed(card(), &KEYS))).unwrap();
    let mut places = Vec::new();
    leaves(&document, &mut String::new(), &mut places);
    assert!(places.len() > 25, "{places:?}");
    for place in places {
        let mut changed = document.clone();
        let value = changed.pointer_mut(&place).unwrap();
        *value = match value.take() {
            Value::String(text) => json!(format!("{text}.")),
            Value::Bool(value) => json!(!value),
            Value::Number(number) => json!(number.as_f64().unwrap() + 1.0),
            _ => json!("more"),
        };
        assert!(matches!(verification_error(&changed.to_string()), CardVerificationError::BadSignature(_)), "{place}");
    }
}

/// Paths of all non-empty values of the card.
fn leaves(value: &Value, place: &mut String, found: &mut Vec<String>) {
    let known = place.len();
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members.iter().filter(|(name, _)| *name != "signatures") {
                place.push_str(&format!("/{}", name.replace('~', "~0").replace('/', "~1")));
                leaves(value, place, found);
                place.truncate(known);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, value) in items.iter().enumerate() {
                place.push_str(&format!("/{at}"));
                leaves(value, place, found);
                place.truncate(known);
            }
        }
        _ => found.push(place.clone()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Also in the members for older clients, in the signatures, and in insignificant bytes.
    #[test]
    fn changed_byte_is_detected_or_has_no_effect_on_the_verified_card(
        at in any::<prop::sample::Index>(),
        byte in 0x20_u8..0x7f,
        union in any::<bool>(),
    ) {
        static DOCUMENTS: LazyLock<[String; 2]> = LazyLock::new(|| {
            let signed = signed(card(), &KEYS);
            [text(&signed), text(&UnionCard::new(&signed))]
        });
        let mut bytes = DOCUMENTS[usize::from(union)].clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(document) = String::from_utf8(bytes)
            && let Ok(verified) = verify_card(&document, &trusted())
        {
            let read: AgentCard = verified.card.read().unwrap();
            let forms = card().signature_payloads().unwrap();
            let known = forms.iter().any(|form| serde_json::from_str::<AgentCard>(form).unwrap() == read);
            prop_assert!(known, "{read:?}");
        }
    }
}

#[test]
fn foreign_jku_is_rejected_or_not_read() {
    let elsewhere = "https://evil.example.com/agents/weather";
    let mut moved = signed(card(), &KEYS);
    moved.supported_interfaces[0].url = elsewhere.into();
    assert!(matches!(verification_error(&text(&moved)), CardVerificationError::BadSignature(_)));
    // The URL for 0.3 clients is not signed, so it is not returned.
    let mut union: Value = serde_json::from_str(&text(&UnionCard::new(&signed(card(), &KEYS)))).unwrap();
    union["url"] = elsewhere.into();
    union["additionalInterfaces"] = json!([{"url": elsewhere, "transport": "JSONRPC"}]);
    let verified = verify_card(&union.to_string(), &trusted()).unwrap();
    assert!(!verified.card.as_str().contains("evil"), "{:?}", verified.card);
}

#[test]
fn members_omitted_by_official_clients_are_not_read() {
    let forger = Forger::new();
    let payload = card().signature_payloads().unwrap().pop().unwrap();
    let signature = forger.sign(&json!({"alg": "EdDSA", "kid": "k"}), &payload);
    // The signer required a token; the modification makes it optional.
    let mut weakened = AgentCard { signatures: vec![signature], ..card() };
    weakened.security_requirements.push(SecurityRequirement::default());
    let verified = verify_card(&text(&weakened), &forger.trusted("k")).unwrap();
    assert_eq!(verified.card.as_str(), payload);
}

#[test]
fn canonical_forms_of_other_signers_are_supported() {
    let forger = Forger::new();
    let header = json!({"alg": "EdDSA", "kid": "k", "typ": "JOSE"});
    let plain: Value = serde_json::from_str(&text(&UnionCard::new(&card()))).unwrap();
    let raw = baton_encoding::canonical_json(Json::from(plain.clone()).as_str()).unwrap();
    for payload in card().signature_payloads().unwrap().into_iter().chain([raw]) {
        let mut document = plain.clone();
        document["signatures"] = json!([forger.sign(&header, &payload)]);
        let verified = verify_card(&document.to_string(), &forger.trusted("k")).unwrap();
        assert_eq!(verified.card.as_str(), payload);
    }
}

#[test]
fn invalid_signatures_are_rejected() {
    let forger = Forger::new();
    let payload = &card().signature_payloads().unwrap()[0];
    let with = |signatures: Vec<AgentCardSignature>| text(&AgentCard { signatures, ..card() });
    let headed = |header: Value| with(vec![forger.sign(&header, payload)]);
    let check = |document: &str| verify_card(document, &forger.trusted("k"));
    assert!(check(&headed(json!({"alg": "EdDSA", "kid": "k"}))).is_ok());

    for (header, expect) in [
        (json!({"alg": "none", "kid": "k"}), CardVerificationError::Algorithm("none".into())),
        (json!({"alg": "HS256", "kid": "k"}), CardVerificationError::Algorithm("HS256".into())),
        (json!({"alg": "eddsa", "kid": "k"}), CardVerificationError::Algorithm("eddsa".into())),
        (json!({"alg": "ES256", "kid": "k"}), CardVerificationError::Algorithm("ES256".into())),
        (json!({"alg": "EdDSA", "kid": "other"}), CardVerificationError::UnknownKey("other".into())),
        (json!({"alg": "EdDSA"}), CardVerificationError::Header("its header names no key ('kid')")),
        (json!({"kid": "k"}), CardVerificationError::Header("its header cannot be read")),
        (json!(["EdDSA", "k", null, false, null]), CardVerificationError::Header("its header is not an object")),
        (
            json!({"alg": "EdDSA", "kid": "k", "crit": ["exp"]}),
            CardVerificationError::Header("its header requires extensions ('crit')"),
        ),
        (
            json!({"alg": "EdDSA", "kid": "k", "crit": null}),
            CardVerificationError::Header("its header requires extensions ('crit')"),
        ),
        (
            json!({"alg": "EdDSA", "kid": "k", "b64": false}),
            CardVerificationError::Header("its payload is not encoded ('b64')"),
        ),
    ] {
        assert_eq!(check(&headed(header.clone())), Err(expect), "{header}");
    }

    let bad = || Err(CardVerificationError::BadSignature("k".into()));
    let header = json!({"alg": "EdDSA", "kid": "k"});
    let own = forger.sign(&header, payload);
    let others = Forger::new().sign(&header, payload);
    assert_eq!(check(&with(vec![others.clone()])), bad());
    let of_another = forger.sign(&header, &payload.replace("Weather", "Wetter"));
    assert_eq!(check(&with(vec![of_another])), bad());
    let empty = AgentCardSignature { signature: String::new(), ..own.clone() };
    assert_eq!(check(&with(vec![empty])), bad());
    let padded = AgentCardSignature { signature: format!("{}==", own.signature), ..own.clone() };
    assert_eq!(check(&with(vec![padded])), bad());
    // The unprotected header is not authenticated.
    let unprotected =
        AgentCardSignature { header: Some(Json::parse(r#"{"kid":"k","alg":"EdDSA"}"#).unwrap()), ..others };
    assert_eq!(check(&with(vec![unprotected.clone()])), bad());
    assert!(check(&with(vec![unprotected, own.clone()])).is_ok(), "one valid signature is enough");

    assert_eq!(check(&with(vec![])), Err(CardVerificationError::Unsigned));
    assert_eq!(check(&with(vec![own.clone(); 17])), Err(CardVerificationError::TooManySignatures(17)));
    assert_eq!(
        verify_card(&with(vec![own]), &TrustedKeys::default()),
        Err(CardVerificationError::UnknownKey("k".into()))
    );
    for document in ["", "[]", "{\"signatures\":7}", "{\"name\":\"a\",\"name\":\"b\",\"signatures\":[{}]}"] {
        assert!(matches!(check(document), Err(CardVerificationError::Unreadable(_))), "{document}");
    }
    let large = format!("{{\"signatures\":[{{}}],\"name\":\"{}\"}}", "x".repeat(1024 * 1024));
    assert!(matches!(check(&large), Err(CardVerificationError::Unreadable(_))));
}

//! Signed agent cards: compatibility with the official Python client, and stable keys across restarts.

use crate::{
    binary::{Home, get},
    foreign::{ALL_BINDINGS, Interpreter},
};
use baton_identity::{CardAlgorithm, CardVerificationError, SigningKeys, TrustedKeys, verify_card};
use baton_ports::CardSigner as _;
use baton_types::Json;
use baton_wire::a2a::{
    v1::{
        AgentCard, AgentCardSignature, AgentInterface, AgentSkill, HttpAuthSecurityScheme, Scopes, SecurityRequirement,
        SecurityScheme,
    },
    v03::UnionCard,
};
use serde::Deserialize;

const PYTHON: Interpreter = Interpreter { variable: "BATON_TEST_PYTHON", set_up: &["scripts/python-env.sh"] };
const SCRIPT: &str = "tests/python/signed_cards.py";
const AGENT: &str = "\
skills:
  - id: talk
    name: Reden über „alles“
    description: Says something.
tools:
  - name: look
    description: Looks.
    command: [\"true\"]
    effects: read_only
";

fn serving(home: &Home) {
    home.agent("talker", AGENT, "rules: []\n");
    home.agent("other", "", "rules: []\n");
}

fn body(reply: &str) -> &str {
    reply.split_once("\r\n\r\n").expect("a body").1
}

#[test]
fn official_client_verifies_served_card() {
    for agents in [&["talker"][..], &["talker", "other"]] {
        let home = Home::new();
        home.write("baton.yaml", ALL_BINDINGS);
        serving(&home);
        let (_server, url) = home.up(&[agents, &["--port", "0", "--data", "data"]].concat());
        PYTHON.run_script(&[SCRIPT, "check", &format!("{url}/agents/talker")]);
    }
}

#[test]
fn official_client_verifies_card_with_empty_members() {
    let home = Home::new();
    let keys = SigningKeys::open(&home.path("keys")).expect("keys");
    let http = HttpAuthSecurityScheme { scheme: "Bearer".into(), ..HttpAuthSecurityScheme::default() };
    let scheme = SecurityScheme { http_auth_security_scheme: Some(http), ..SecurityScheme::default() };
    let interface = |version: &str| AgentInterface {
        url: "https://agents.example.com".into(),
        protocol_binding: "JSONRPC".into(),
        tenant: None,
        protocol_version: version.into(),
    };
    let mut card = AgentCard {
        name: "Guarded".into(),
        supported_interfaces: vec![interface("1.0"), interface("0.3")],
        version: "1".into(),
        security_schemes: [("bearer".to_owned(), scheme)].into(),
        security_requirements: vec![SecurityRequirement { schemes: [("bearer".to_owned(), Scopes::default())].into() }],
        default_input_modes: vec!["text/plain".into()],
        default_output_modes: vec!["text/plain".into()],
        skills: vec![AgentSkill { id: "s".into(), name: "S".into(), ..AgentSkill::default() }],
        ..AgentCard::default()
    };
    let payloads = card.signature_payloads().expect("canonical");
    assert_eq!(payloads.len(), 2);
    for payload in payloads {
        let made = keys.sign(payload.as_bytes(), "https://agents.example.com/.well-known/jwks.json").expect("signed");
        card.signatures.extend(made.into_iter().map(|it| AgentCardSignature {
            protected: it.protected,
            signature: it.signature,
            header: None,
        }));
    }
    home.write("card.json", &serde_json::to_string(&UnionCard::new(&card)).expect("JSON"));
    home.write("keys.json", keys.keys().as_str());
    let path = |name: &str| home.path(name).to_str().expect("UTF-8").to_owned();
    PYTHON.run_script(&[SCRIPT, "read", &path("card.json"), &path("keys.json")]);
}

#[test]
fn card_signed_by_official_client_verifies() {
    #[derive(Deserialize)]
    struct Made {
        keys: Json,
        cards: Vec<Json>,
    }
    let made: Made = serde_json::from_str(&PYTHON.run_script(&[SCRIPT, "sign"])).expect("JSON");
    let trusted = TrustedKeys::from_jwks(&made.keys).expect("a key");
    assert_eq!(made.cards.len(), 3);
    for card in &made.cards {
        let verified = verify_card(card.as_str(), &trusted).unwrap_or_else(|error| panic!("{error}\n{card:?}"));
        assert_eq!((verified.kid.as_str(), verified.alg), ("key of the test", CardAlgorithm::Es256));
        assert_eq!(verified.card.read::<AgentCard>().expect("a card").name, "Zürich 🦀");
        let changed = card.as_str().replace("\"skills\":[{\"id\":\"s\"", "\"skills\":[{\"id\":\"t\"");
        assert_ne!(changed, card.as_str());
        let refused = verify_card(&changed, &trusted);
        assert_eq!(refused, Err(CardVerificationError::BadSignature("key of the test".into())));
    }
}

#[test]
fn signing_keys_persist_and_are_readable_only_by_owner() {
    let home = Home::new();
    serving(&home);
    let up = ["talker", "--port", "0", "--data", "data"];
    let (card, keys) = ("/agents/talker/.well-known/agent-card.json", "/.well-known/jwks.json");
    let (server, url) = home.up(&up);
    let published = Json::parse(body(&get(&url, keys))).expect("JSON");
    let trusted = TrustedKeys::from_jwks(&published).expect("keys");
    verify_card(body(&get(&url, card)), &trusted).expect("a valid signature");
    server.kill();

    let (server, url) = home.up(&up);
    assert_eq!(Json::parse(body(&get(&url, keys))).expect("JSON"), published);
    verify_card(body(&get(&url, card)), &trusted).expect("a valid signature");
    drop(server);

    #[cfg(unix)]
    {
        use std::{fs, os::unix::fs::PermissionsExt as _};
        let mode = |path: &str| fs::metadata(home.path(path)).expect("there").permissions().mode() & 0o777;
        let files = ["data/keys", "data/keys/es256.pk8", "data/keys/ed25519.pk8"];
        assert_eq!(files.map(mode), [0o700, 0o600, 0o600]);
        fs::set_permissions(home.path("data/keys/es256.pk8"), fs::Permissions::from_mode(0o644)).expect("changed");
        let refused = home.run(&[&["up"], &up[..]].concat());
        assert_eq!(refused.code, Some(4), "{}", refused.shown());
        assert!(refused.stderr.contains("BTN-5009") && refused.stderr.contains("chmod 600 "), "{}", refused.shown());
    }
}

//! Cards over the network: signature checks, and checks before the first request.

use crate::scripted_server::{Answer, ScriptedServer};
use baton_identity::SigningKeys;
use baton_peers::{Credential, FetchedCard, NetworkConnector, PeerClient, PeerConfig, error_codes};
use baton_ports::{CardSigner as _, PeerRegistryError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::candidate_payloads;
use serde_json::{Value, json};
use std::sync::Arc;

fn card(host: &str) -> Value {
    json!({
        "name": "Echo", "description": "Repeats", "version": "1",
        "supportedInterfaces": [{"url": format!("http://{host}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": true}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "echo", "name": "Echo", "description": "Repeats", "tags": ["echo"]}],
    })
}

/// A site that serves a signed card; `change` is applied after signing.
struct Site {
    site: ScriptedServer,
    thumbprint: String,
}

impl Site {
    async fn start(change: fn(&mut Value)) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let keys = Arc::new(SigningKeys::open(directory.path()).expect("keys"));
        let thumbprint = keys.thumbprints()[0].clone();
        let site = ScriptedServer::start(move |request| {
            let host = request.header("host").expect("a host").to_owned();
            match request.path.as_str() {
                "/.well-known/agent-card.json" => {
                    let mut card = card(&host);
                    let payload = candidate_payloads(&card.to_string()).expect("a card").remove(0);
                    let jku = format!("http://{host}/.well-known/jwks.json");
                    let signatures = keys.sign(payload.as_bytes(), &jku).expect("signatures");
                    let shown = |one: &baton_ports::CardSignature| {
                        json!({"protected": one.protected, "signature": one.signature})
                    };
                    card["signatures"] = signatures.iter().map(shown).collect();
                    change(&mut card);
                    Answer::json(card.to_string())
                }
                "/.well-known/jwks.json" => Answer::json(keys.keys().as_str()),
                _ => Answer::new(404, "no"),
            }
        })
        .await;
        Self { site, thumbprint }
    }

    fn config(&self) -> PeerConfig {
        PeerConfig { allow: vec!["127.0.0.0/8".to_owned()], ..PeerConfig::at(self.site.url("")) }
    }
}

async fn read(config: &PeerConfig) -> Result<FetchedCard, PeerRegistryError> {
    PeerClient::connect(&NetworkConnector::new(Vec::new()), config).await.map(|(_, card)| card)
}

#[tokio::test]
async fn card_is_trusted_by_configured_keys() {
    let site = Site::start(|_| {}).await;
    let unsigned = site.config();
    assert_eq!(read(&unsigned).await.expect("a card").signed_by, None, "no signature is required");
    let signers = |signer: String| PeerConfig { signers: vec![signer], require_signature: true, ..site.config() };
    let card = read(&signers(site.thumbprint.clone())).await.expect("a card");
    assert_eq!(card.signed_by.as_deref(), Some(site.thumbprint.as_str()));
    assert_eq!((card.card.name.as_str(), card.card.signatures.len()), ("Echo", 2));
    assert!(card.card.capabilities.streaming == Some(true) && card.card.supported_interfaces.len() == 1);
    assert!(read(&signers(site.site.url("/.well-known/jwks.json"))).await.expect("a card").signed_by.is_some());

    let stranger = signers("somebody-else".to_owned());
    assert_eq!(read(&stranger).await.expect_err("distrusted").code, error_codes::PEER_UNTRUSTED);
    let lenient = PeerConfig { require_signature: false, ..stranger };
    assert_eq!(read(&lenient).await.expect("a card").signed_by, None);
    let signerless = PeerConfig { require_signature: true, ..site.config() };
    assert_eq!(read(&signerless).await.expect_err("no signers are configured").code, ErrorCode::CONFIG_INVALID);
}

#[tokio::test]
async fn modified_card_is_rejected() {
    for change in [
        (|card: &mut Value| card["description"] = json!("Repeats!")) as fn(&mut Value),
        |card| card["supportedInterfaces"][0]["url"] = json!("http://127.0.0.1:1/rpc"),
        |card| card["signatures"] = json!([]),
        // The `url` field is not covered by the signature of a card with interfaces.
        |card| {
            card["url"] = card["supportedInterfaces"][0]["url"].clone();
            card["supportedInterfaces"] = json!([]);
        },
    ] {
        let site = Site::start(change).await;
        let config = PeerConfig { signers: vec![site.thumbprint.clone()], require_signature: true, ..site.config() };
        assert_eq!(read(&config).await.expect_err("distrusted").code, error_codes::PEER_UNTRUSTED);
    }
}

#[tokio::test]
async fn invalid_configuration_is_rejected_before_any_request() {
    let site = Site::start(|_| {}).await;
    let private = PeerConfig { allow: Vec::new(), ..site.config() };
    assert_eq!(read(&private).await.expect_err("a private address").code, error_codes::PEER_UNTRUSTED);
    let secret = "env://BATON_TEST_NOT_SET".parse().expect("a reference");
    let secretless = PeerConfig { credential: Credential::Bearer(secret), ..site.config() };
    assert_eq!(read(&secretless).await.expect_err("no secret").code, ErrorCode::SECRET_MISSING);
    let unclear = PeerConfig { allow: vec!["not an address".to_owned()], ..site.config() };
    assert_eq!(read(&unclear).await.expect_err("unclear").code, ErrorCode::CONFIG_INVALID);
    let identity = baton_peers::ClientIdentity { certificate: "/nowhere.pem".into(), key: "/nowhere.key".into() };
    let uncertified = PeerConfig { client_identity: Some(identity), ..site.config() };
    assert_eq!(read(&uncertified).await.expect_err("no certificate").code, ErrorCode::TLS_INVALID);
}

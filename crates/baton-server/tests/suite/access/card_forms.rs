//! Card forms of each protocol version, checked with the published schema of 1.0.

use super::server::{TestServer, bearer, token};
use crate::bindings::{headers, raw};
use baton_http_a2a::A2aOptions;
use baton_identity::{SigningKeys, TrustedKeys, verify_card};
use baton_ports::CardSigner as _;
use baton_wire::a2a::v1::{AgentCard, CardBinding};
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Fields of the A2A 1.0 schema in the official package, one per line.
const SCHEMA: &str = include_str!("../../../../baton-proto/tests/facts/lf.a2a.v1.txt");
const PLACES: [&str; 3] = ["/agents/weather", "/agents/weather/", "/agents/weather/.well-known/agent-card.json"];
/// Members that exist only in cards of 0.3.
const OLD: [&str; 6] = [
    "protocolVersion",
    "url",
    "preferredTransport",
    "additionalInterfaces",
    "security",
    "supportsAuthenticatedExtendedCard",
];

struct CardResponse {
    headers: HeaderMap,
    text: String,
}

impl CardResponse {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    fn tag(&self) -> &str {
        self.headers[header::ETAG].to_str().unwrap()
    }
}

async fn get(server: &TestServer, path: &str, given: &[(&str, &str)]) -> CardResponse {
    let response = raw(&server.app, "GET", path, headers(given), "").await;
    assert_eq!(response.status(), StatusCode::OK, "{path} {given:?}");
    let (parts, body) = response.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    CardResponse { headers: parts.headers, text }
}

/// A server with signing keys and authentication, so that its cards have every member.
fn server(bindings: &[CardBinding]) -> (TestServer, TrustedKeys) {
    let directory = tempfile::tempdir().unwrap();
    let keys = SigningKeys::open(directory.path()).unwrap();
    let trusted = TrustedKeys::from_jwks(&keys.keys()).unwrap();
    let server = TestServer::with_options(
        |_| {},
        |options| {
            options.signer = Some(Arc::new(keys));
            options.a2a = A2aOptions { bindings: bindings.to_vec(), ..A2aOptions::default() };
        },
    );
    (server, trusted)
}

/// Panics on members that the schema does not define, at any depth.
fn check_strictly(message: &str, value: &Value) {
    let prefix = format!("{message}.");
    let fields = SCHEMA.lines().filter_map(|line| line.strip_prefix(&prefix)?.split_once(" = "));
    let fields: BTreeMap<&str, Vec<&str>> = fields
        .filter(|(name, _)| !name.contains('.'))
        .map(|(_, fact)| (fact.rsplit_once(":json=").unwrap().1, fact.split(':').collect()))
        .collect();
    assert!(!fields.is_empty(), "the schema has no {message}");
    for (name, inner) in value.as_object().unwrap_or_else(|| panic!("{message} is {value}")) {
        let fact = fields.get(name.as_str()).unwrap_or_else(|| panic!("{message} has no {name}: {value}"));
        let Some(kind) = fact[1].strip_prefix("lf.a2a.v1.") else { continue };
        match (inner, kind.split_once('.')) {
            // A map: the schema type of its values is that of the entry's `value` field.
            (Value::Object(members), Some(_)) => {
                let entry = SCHEMA.lines().find_map(|line| line.strip_prefix(&format!("{kind}.value = "))).unwrap();
                let of = entry.split(':').nth(1).unwrap();
                if let Some(of) = of.strip_prefix("lf.a2a.v1.") {
                    members.values().for_each(|value| check_strictly(of, value));
                }
            }
            (Value::Array(items), None) => items.iter().for_each(|item| check_strictly(kind, item)),
            (inner, _) => check_strictly(kind, inner),
        }
    }
}

/// A card without its signatures.
fn unsigned<T: DeserializeOwned>(card: &Value) -> T {
    let mut card = card.clone();
    card.as_object_mut().unwrap().remove("signatures");
    serde_json::from_value(card).unwrap()
}

fn interfaces(card: &Value) -> Vec<String> {
    let listed = card["supportedInterfaces"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    listed.map(|one| format!("{} {}", text(&one["protocolBinding"]), text(&one["protocolVersion"]))).collect()
}

#[tokio::test]
async fn each_version_gets_its_own_card() {
    let (server, trusted) = server(&CardBinding::DEFAULT);
    let mut tags = BTreeSet::new();
    for (version, form) in
        [(None, "union"), (Some("99.0"), "union"), (Some("1.0"), "1.0"), (Some("1.1"), "1.0"), (Some("0.3"), "0.3")]
    {
        let given: Vec<_> = version.map(|version| ("a2a-version", version)).into_iter().collect();
        let shown = get(&server, PLACES[0], &given).await;
        let card = shown.json();
        for other in &PLACES[1..] {
            assert_eq!(get(&server, other, &given).await.text, shown.text, "{other}");
        }
        assert_eq!(shown.headers[header::VARY], "Host, A2A-Version");
        tags.insert((form, shown.tag().to_owned()));
        let unchanged = [&given[..], &[("if-none-match", shown.tag())]].concat();
        let unchanged = raw(&server.app, "GET", PLACES[2], headers(&unchanged), "").await;
        assert_eq!(unchanged.status(), StatusCode::NOT_MODIFIED, "{form}");

        // The signature covers all members that the card has in its version.
        let verified = verify_card(&shown.text, &trusted).unwrap_or_else(|error| panic!("{form}: {error}"));
        let signed = verified.card.to_value();
        let bearer = &card["securitySchemes"]["bearer"];
        let old = OLD.iter().filter(|member| card.get(**member).is_some()).count();
        match form {
            "1.0" => {
                check_strictly("AgentCard", &card);
                assert_eq!(interfaces(&card), ["JSONRPC 1.0", "HTTP+JSON 1.0"]);
                let [signed, shown] = [&signed, &card].map(unsigned::<AgentCard>);
                assert_eq!((signed, old, bearer.get("type")), (shown, 0, None));
            }
            "0.3" => {
                let [signed, shown] = [&signed, &card].map(unsigned::<Value>);
                assert_eq!((signed, old), (shown, OLD.len()));
                assert_eq!((bearer["type"].as_str(), bearer.get("httpAuthSecurityScheme")), (Some("http"), None));
                let absent = ["supportedInterfaces", "securityRequirements"].map(|member| card.get(member));
                assert_eq!((absent, card["capabilities"].get("extendedAgentCard")), ([None, None], None));
                assert_eq!(
                    (&card["protocolVersion"], &card["preferredTransport"]),
                    (&json!("0.3.0"), &json!("JSONRPC"))
                );
                let url = "http://localhost/agents/weather";
                assert_eq!(card["additionalInterfaces"], json!([{"url": url, "transport": "HTTP+JSON"}]));
            }
            _ => {
                assert_eq!(interfaces(&card), ["JSONRPC 1.0", "HTTP+JSON 1.0", "JSONRPC 0.3", "HTTP+JSON 0.3"]);
                assert_eq!((old, bearer["type"].as_str()), (OLD.len(), Some("http")));
                assert!(bearer.get("httpAuthSecurityScheme").is_some());
            }
        }
    }
    assert_eq!(tags.len(), 3, "one tag for each form: {tags:?}");
    let distinct: BTreeSet<_> = tags.iter().map(|(_, tag)| tag).collect();
    assert_eq!(distinct.len(), 3, "{tags:?}");
}

#[tokio::test]
async fn the_extended_card_has_the_form_of_its_operation() {
    let (server, trusted) = server(&CardBinding::DEFAULT);
    let known = bearer(&token("acme", "ann", "read:weather"));
    let given = [("authorization", known.as_str()), ("content-type", "application/json")];
    let mut shown = Vec::new();
    for (path, is_old) in
        [("/extendedAgentCard", false), ("/v1/card", true), ("/agent/authenticatedExtendedCard", true)]
    {
        shown.push((get(&server, &format!("/agents/weather{path}"), &given).await.json(), is_old));
    }
    for (method, is_old) in [("GetExtendedAgentCard", false), ("agent/getAuthenticatedExtendedCard", true)] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).to_string();
        let response = raw(&server.app, "POST", "/agents/weather", headers(&given), body).await;
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        shown.push((serde_json::from_slice::<Value>(&bytes).unwrap()["result"].take(), is_old));
    }
    for (card, is_old) in shown {
        assert!(card["skills"].as_array().unwrap().iter().any(|skill| skill["id"] == "tool:get_weather"), "{card}");
        verify_card(&card.to_string(), &trusted).unwrap();
        if is_old {
            assert_eq!((card.get("supportedInterfaces"), card["protocolVersion"].as_str()), (None, Some("0.3.0")));
        } else {
            check_strictly("AgentCard", &card);
            assert_eq!(interfaces(&card), ["JSONRPC 1.0", "HTTP+JSON 1.0"]);
        }
    }
}

/// The server has two agents, and 0.3 over gRPC cannot select one of them.
#[tokio::test]
async fn bindings_are_listed_as_configured() {
    use CardBinding::{Grpc, JsonRpc, Rest};
    let places = ["1.0", "0.3"];
    for (bindings, new, old) in [
        (&[Grpc, Rest, JsonRpc][..], &["GRPC 1.0", "HTTP+JSON 1.0", "JSONRPC 1.0"][..], Some("HTTP+JSON")),
        (&[Rest], &["HTTP+JSON 1.0"], Some("HTTP+JSON")),
        (&[Grpc], &["GRPC 1.0"], None),
    ] {
        let (server, _) = server(bindings);
        let [current, older] = places.map(|version| [("a2a-version", version)]);
        let (current, older) =
            (get(&server, PLACES[0], &current).await.json(), get(&server, PLACES[0], &older).await.json());
        assert_eq!(interfaces(&current), new);
        assert_eq!(older.get("preferredTransport").and_then(Value::as_str), old);
        // Without an interface of 0.3 the card lists the configured interfaces.
        assert_eq!(older.get("supportedInterfaces").is_some(), old.is_none());
    }
}

#[tokio::test]
async fn root_card_request_lists_addresses_of_several_agents() {
    let server = TestServer::new();
    for path in
        ["/.well-known/agent-card.json", "/agents/.well-known/agent-card.json", "/agents/.well-known/agent.json"]
    {
        let response = raw(&server.app, "GET", path, HeaderMap::new(), "").await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        let text = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains("http://localhost/agents/clock/, http://localhost/agents/weather/"), "{path} {text}");
    }
    // With private cards, the error lists only agents that the caller may read.
    let private = TestServer::with_access(|access| access.private_cards = true);
    let path = "/agents/.well-known/agent-card.json";
    assert_eq!(raw(&private.app, "GET", path, HeaderMap::new(), "").await.status(), StatusCode::UNAUTHORIZED);
    let known = bearer(&token("acme", "ann", "read:clock"));
    let response = raw(&private.app, "GET", path, headers(&[("authorization", &known)]), "").await;
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("clock") && !text.contains("weather"), "{text}");
}

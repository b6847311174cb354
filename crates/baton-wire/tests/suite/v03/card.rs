//! Cards of either version, and union cards.

use super::{convert_both_ways, written};
use baton_wire::a2a::{v1, v03};
use insta::assert_snapshot;

const FULL: &str = r#"{"protocolVersion":"0.3.0","name":"Weather","description":"Knows the weather","url":"https://example.com/a2a","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"https://example.com/a2a","transport":"HTTP+JSON"},{"url":"example.com:443","transport":"GRPC"}],"provider":{"url":"https://example.com","organization":"Example"},"version":"1.2.0","documentationUrl":"https://example.com/docs","iconUrl":"https://example.com/icon.png","capabilities":{"streaming":true,"pushNotifications":false,"extensions":[{"uri":"https://example.com/x/v1","description":"x","required":true,"params":{"n":1.0}}]},"securitySchemes":{"certificate":{"type":"mutualTLS"},"connect":{"type":"openIdConnect","openIdConnectUrl":"https://example.com/.well-known/openid-configuration"},"key":{"type":"apiKey","description":"ask us","in":"header","name":"X-Key"},"oauth":{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"https://example.com/auth","tokenUrl":"https://example.com/token","refreshUrl":"https://example.com/refresh","scopes":{"read":"to read"}}},"oauth2MetadataUrl":"https://example.com/.well-known/oauth"},"token":{"type":"http","scheme":"Bearer","bearerFormat":"JWT"}},"security":[{"oauth":["read"]},{"certificate":[],"key":[]}],"defaultInputModes":["text/plain"],"defaultOutputModes":["application/json"],"skills":[{"id":"forecast","name":"Forecast","description":"Says what comes","tags":["weather"],"examples":["Rain?"],"inputModes":["text/plain"],"outputModes":["text/plain"],"security":[{"token":[]}]}],"supportsAuthenticatedExtendedCard":true,"signatures":[{"protected":"e30","signature":"c2ln","header":{"kid":"1"}}]}"#;
const SMALL: &str = r#"{"protocolVersion":"0.3.0","name":"W","description":"","url":"https://example.com/","preferredTransport":"HTTP+JSON","version":"1","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}"#;

#[test]
fn cards_are_converted() {
    let card = |title: &str, text: &str| {
        convert_both_ways(&format!("AgentCard {title}"), text, v03::AgentCard::into_v1, v03::AgentCard::from)
    };
    assert_snapshot!([card("full", FULL), card("small", SMALL)].join("\n"));
    // Before 0.2.4, cards did not contain the transport of their URL.
    let oldest: v03::AgentCard = serde_json::from_str(r#"{"name":"W","url":"https://example.com/"}"#).unwrap();
    assert_eq!(oldest.into_v1().supported_interfaces[0].protocol_binding, "JSONRPC");
}

#[test]
fn union_card_is_readable_by_clients_of_both_versions() {
    let mut card = serde_json::from_str::<v03::AgentCard>(FULL).unwrap().into_v1();
    let newest = |interface: &v1::AgentInterface| v1::AgentInterface {
        protocol_version: v1::PROTOCOL_VERSION.to_owned(),
        tenant: Some("weather".to_owned()),
        ..interface.clone()
    };
    let interfaces: Vec<_> = card.supported_interfaces.iter().map(newest).collect();
    card.supported_interfaces.splice(..0, interfaces);
    let union = written(&v03::UnionCard::new(&card));
    assert_eq!(serde_json::from_str::<v1::AgentCard>(&union).unwrap(), card);
    assert_eq!(written(&serde_json::from_str::<v03::AgentCard>(&union).unwrap()), FULL);
    assert_snapshot!(union);

    card.supported_interfaces.truncate(3);
    assert_eq!(written(&v03::UnionCard::new(&card)), written(&card));
    let all: v03::AgentCard = card.into();
    assert_eq!((all.preferred_transport.as_deref(), all.additional_interfaces.len()), (Some("JSONRPC"), 2));
}

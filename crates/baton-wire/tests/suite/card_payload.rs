//! Payloads of agent card signatures.

use crate::sample::{agent, json};
use baton_encoding::CanonicalJsonError;
use baton_wire::a2a::{
    v1::{
        AgentCard, AgentCardSignature, AgentExtension, AgentSkill, CardBinding, CardOptions, HttpAuthSecurityScheme,
        Scopes, SecurityRequirement, SecurityScheme, candidate_payloads,
    },
    v03::UnionCard,
};
use insta::assert_snapshot;

fn card() -> AgentCard {
    AgentCard::from_spec(
        &agent(),
        &CardOptions {
            url: "http://127.0.0.1:8700/agents/weather".into(),
            bindings: &CardBinding::DEFAULT,
            streaming: true,
            ..CardOptions::default()
        },
    )
}

/// A card that requires a bearer token without scopes, with a skill without tags.
fn guarded() -> AgentCard {
    let http =
        HttpAuthSecurityScheme { scheme: "Bearer".into(), bearer_format: Some(String::new()), description: None };
    let scheme = SecurityScheme { http_auth_security_scheme: Some(http), ..SecurityScheme::default() };
    let requirement = SecurityRequirement { schemes: [("bearer".to_owned(), Scopes::default())].into() };
    let mut card = card();
    card.documentation_url = Some(String::new());
    card.supported_interfaces[0].tenant = Some(String::new());
    card.security_schemes.insert("bearer".to_owned(), scheme);
    card.security_requirements.push(requirement);
    card.skills.push(AgentSkill { id: "s".into(), name: "Ünïcode".into(), ..AgentSkill::default() });
    card.capabilities.extensions = vec![AgentExtension {
        uri: "https://example.com/x".into(),
        params: Some(json(r#"{"z":1.0,"a":[null,"",{}],"big":1e21,"empty":{}}"#)),
        ..AgentExtension::default()
    }];
    card
}

fn with_signatures(card: &AgentCard) -> AgentCard {
    let signature = AgentCardSignature { protected: "e30".into(), signature: "c2ln".into(), header: None };
    AgentCard { signatures: vec![signature], ..card.clone() }
}

#[test]
fn card_without_empty_fields_has_one_payload() {
    let payloads = card().signature_payloads().unwrap();
    assert_eq!(payloads.len(), 1);
    assert_eq!(with_signatures(&card()).signature_payloads().unwrap(), payloads);
    assert_snapshot!(payloads[0]);
}

#[test]
fn payloads_differ_in_required_empty_fields() {
    let payloads = guarded().signature_payloads().unwrap();
    assert_snapshot!(payloads.join("\n\n"));
}

#[test]
fn union_card_payload_omits_v03_only_fields() {
    for card in [card(), guarded()] {
        let payloads = card.signature_payloads().unwrap();
        let union = serde_json::to_string_pretty(&UnionCard::new(&with_signatures(&card))).unwrap();
        assert!(union.contains("\"preferredTransport\""));
        let forms = candidate_payloads(&union).unwrap();
        assert_eq!(forms[..payloads.len()], payloads);
        assert_eq!(forms.len(), payloads.len() + 1);
        let raw = forms.last().unwrap();
        assert!(raw.contains("\"preferredTransport\"") && !raw.contains("\"signatures\""), "{raw}");
    }
}

#[test]
fn ambiguous_cards_have_no_payload() {
    let twice = r#"{"name":"A","skills":[],"name":"B"}"#;
    assert_eq!(candidate_payloads(twice), Err(CanonicalJsonError::Duplicate("name".to_owned())));
    // A duplicate member: not a valid card, but a document that may have been signed.
    let spellings = r#"{"defaultInputModes":["a"],"default_input_modes":["b"],"signatures":[]}"#;
    let raw = r#"{"defaultInputModes":["a"],"default_input_modes":["b"]}"#;
    assert_eq!(candidate_payloads(spellings).unwrap(), [raw]);
    let too_large = AgentExtension { params: Some(json(r#"{"n":1e400}"#)), ..AgentExtension::default() };
    let mut card = card();
    card.capabilities.extensions.push(too_large);
    assert!(matches!(card.signature_payloads(), Err(CanonicalJsonError::NotFinite(_))));
}

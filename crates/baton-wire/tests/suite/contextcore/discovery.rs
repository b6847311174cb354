//! Discovery documents for ContextCore clients.

use crate::sample::agent;
use baton_wire::contextcore::{Card, Discovery};
use insta::assert_snapshot;

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn contextcore_json_lists_served_agents() {
    let found = Discovery::from_spec(&agent(), "http://127.0.0.1:8700/agents/weather", "0.1.0");
    assert_eq!(serde_json::from_str::<Discovery>(&pretty(&found)).unwrap(), found);
    assert_snapshot!(pretty(&found));
}

#[test]
fn plain_card_does_not_mention_contextcore() {
    let card = Card::from_spec(&agent(), "http://127.0.0.1:8700/agents/weather").into_a2a();
    assert_snapshot!(pretty(&card.capabilities));
    assert_eq!((card.project_refs, card.tempo_url), (None, None));
    let camel = r#"{"agentId":"a","defaultInputModes":["x"],"capabilities":{"pushNotifications":true,"otelNative":true},
        "skills":[{"id":"s","inputModes":["y"]}],"tempoUrl":"t","projectRefs":null,"documentationUrl":"d"}"#;
    let card: Card = serde_json::from_str(camel).unwrap();
    assert_eq!((card.agent_id.as_str(), card.default_input_modes), ("a", vec!["x".to_owned()]));
    assert_eq!((card.skills[0].input_modes.clone(), card.tempo_url), (vec!["y".to_owned()], Some("t".to_owned())));
    assert!(card.capabilities.push_notifications && card.capabilities.otel_native == Some(true));
}

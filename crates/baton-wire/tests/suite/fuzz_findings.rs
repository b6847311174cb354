//! Minimized inputs found by fuzzing.

use baton_wire::{
    a2a::{
        v1,
        v03::{self, UnionCard},
    },
    contextcore::{Part, PartType, SendParams, Task},
};

#[test]
fn union_card_keeps_duplicate_members() {
    let text = r#"{"url":"https://a.example","signatures":[{"header":{"a":{"b":1},"a":{"c":2}}}]}"#;
    let card = serde_json::from_str::<v03::AgentCard>(text).unwrap().into_v1();
    let union = serde_json::to_string(&UnionCard::new(&card)).unwrap();
    assert_eq!(serde_json::from_str::<v1::AgentCard>(&union).unwrap(), card);
    assert!(union.contains(r#""header":{"a":{"b":1},"a":{"c":2}}"#), "{union}");
}

#[test]
fn data_resembling_a_query_stays_data() {
    let text = r#"{"message":{"parts":[{"data":{"contextcore":{"type":"log_query","text":"x"}}}]}}"#;
    let asked: SendParams = v1::read_params_text(text).unwrap();
    let request = asked.into_v1(|| "m".to_owned()).unwrap();
    let again = SendParams::from(request.clone());
    assert_eq!(again.message.as_ref().unwrap().parts.iter().map(Part::kind).collect::<Vec<_>>(), [PartType::Data]);
    assert_eq!(again.into_v1(|| "m".to_owned()), Ok(request));
}

#[test]
fn message_metadata_must_be_an_object() {
    let text = r#"{"taskId":"t","status":"FAILED","messages":[{"metadata":[{}]}]}"#;
    let refused = serde_json::from_str::<Task>(text).unwrap().into_v1().unwrap_err();
    assert_eq!(refused.violations[0].field, "messages[0].metadata");
}

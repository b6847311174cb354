//! Attributes that each emit mode shows.

use baton_telemetry::{ALIASES, EmitMode, RENAMED_ATTRIBUTES, Schema, rewrite_attributes};
use baton_types::{AttributeKey, Attributes};
use std::collections::BTreeSet;

fn shaped(keys: &[&'static str], mode: EmitMode, schema: Schema) -> BTreeSet<String> {
    let mut attributes: Attributes =
        keys.iter().map(|key| (AttributeKey::Borrowed(*key), format!("of {key}").into())).collect();
    rewrite_attributes(&mut attributes, mode, schema);
    let seen: BTreeSet<String> = attributes.iter().map(|(key, _)| key.to_string()).collect();
    assert_eq!(seen.len(), attributes.len(), "a key occurs twice: {attributes:?}");
    seen
}

fn set(keys: &[&str]) -> BTreeSet<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

const INSIGHT: &[&str] = &[
    "insight.type",
    "insight.confidence",
    "project.id",
    "agent.id",
    "agent.session_id",
    "gen_ai.operation.name",
    "gen_ai.system",
    "gen_ai.code.action",
];

const HANDOFF: &[&str] =
    &["handoff.id", "handoff.capability_id", "handoff.inputs", "handoff.status", "gen_ai.tool.type"];

#[test]
fn insight_attributes_in_every_mode() {
    let kept = ["insight.type", "insight.confidence", "project.id"];
    let newer = [
        "gen_ai.agent.id",
        "gen_ai.conversation.id",
        "gen_ai.operation.name",
        "gen_ai.system",
        "gen_ai.provider.name",
        "gen_ai.code.action",
        "codegen.action",
    ];
    let older = ["agent.id", "agent.session_id"];
    let dual = [&kept[..], &newer, &older].concat();
    assert_eq!(shaped(INSIGHT, EmitMode::Dual, Schema::V1_41), set(&dual));
    assert_eq!(shaped(INSIGHT, EmitMode::Otel, Schema::V1_41), set(&[&kept[..], &newer].concat()));
    let legacy = [&kept[..], &older, &["gen_ai.code.action"]].concat();
    assert_eq!(shaped(INSIGHT, EmitMode::Legacy, Schema::V1_41), set(&legacy));
}

#[test]
fn handoff_attributes_in_every_mode() {
    let newer = ["gen_ai.tool.call.id", "gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.tool.type"];
    let older = ["handoff.id", "handoff.capability_id", "handoff.inputs"];
    let status = ["handoff.status"];
    assert_eq!(shaped(HANDOFF, EmitMode::Dual, Schema::V1_41), set(&[&newer[..], &older, &status].concat()));
    assert_eq!(shaped(HANDOFF, EmitMode::Otel, Schema::V1_41), set(&[&newer[..], &older, &status].concat()));
    assert_eq!(shaped(HANDOFF, EmitMode::Legacy, Schema::V1_41), set(&[&older[..], &status].concat()));
}

#[test]
fn related_handoff_does_not_replace_the_span_operation() {
    for mode in [EmitMode::Dual, EmitMode::Otel] {
        let seen = shaped(&["handoff.id", "gen_ai.operation.name"], mode, Schema::V1_41);
        assert_eq!(seen, set(&["handoff.id", "gen_ai.operation.name"]), "{mode:?}");
    }
}

#[test]
fn legacy_mode_uses_older_names() {
    let seen = shaped(&["gen_ai.agent.name", "gen_ai.conversation.id", "http.route"], EmitMode::Legacy, Schema::V1_41);
    assert_eq!(seen, set(&["agent.name", "agent.session_id", "http.route"]));
}

#[test]
fn proposed_attributes_require_the_latest_schema() {
    let keys = &["gen_ai.transfer.target.name", "gen_ai.usage.cache_creation.input_tokens"];
    let seen = shaped(keys, EmitMode::Dual, Schema::V1_41);
    assert_eq!(seen, set(&["gen_ai.usage.cache_creation.input_tokens"]));
    let seen = shaped(keys, EmitMode::Dual, Schema::Latest);
    assert!(seen.contains("gen_ai.transfer.target.name") && seen.contains("gen_ai.usage.cache_write.input_tokens"));
}

#[test]
fn renamed_attributes_are_aliases() {
    let mut named = BTreeSet::new();
    for group in ALIASES {
        for name in *group {
            assert!(named.insert(name), "{name} is in two groups");
        }
    }
    for (old, new) in RENAMED_ATTRIBUTES.iter().filter(|(old, _)| old.starts_with("agent.")) {
        assert!(ALIASES.iter().any(|group| group.contains(old) && group.contains(new)), "{old} and {new}");
    }
}

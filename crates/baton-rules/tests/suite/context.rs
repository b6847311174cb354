//! Context items of a session and of a request, and mentions.

use super::permissions::mcp_tool;
use baton_rules::{
    RelevantItem, SessionRecord, SessionToolSettings, mentions, relevance_candidates, request_context,
    request_context_json, session_items, without_mentions,
};
use baton_types::{
    ContextItem, InclusionMode, ItemKind, ItemName, Knowledge, SessionEvent, Thousandths, Timestamp, ToolSpec,
};
use proptest::prelude::*;

fn item(name: &str, priority: u16, include: InclusionMode) -> ContextItem {
    ContextItem { priority, include, ..ContextItem::new(name, format!("text of {name}")) }
}

fn knowledge() -> Knowledge {
    Knowledge {
        rules: vec![
            item("late", 900, InclusionMode::Always),
            item("b", 500, InclusionMode::Always),
            item("a", 500, InclusionMode::Always),
            item("zero", 0, InclusionMode::Always),
            item("x", 500, InclusionMode::Manual),
            item("y-1_2", 500, InclusionMode::Manual),
            item("found", 500, InclusionMode::Agent),
        ],
        references: vec![item("x", 500, InclusionMode::Manual), item("map", 500, InclusionMode::Agent)],
        ..Knowledge::default()
    }
}

fn rule(name: &str) -> ItemName {
    ItemName { kind: ItemKind::Rule, name: name.to_owned() }
}

fn record(events: &[SessionEvent]) -> SessionRecord {
    let opened = SessionEvent::Opened { agent: "a".into(), context: "c".into(), origin: None, history: Vec::new() };
    let at = Timestamp::from_millis(0);
    let mut record = SessionRecord::from_opened(at, &opened).unwrap();
    events.iter().for_each(|event| record.apply(at, event).unwrap());
    record
}

#[test]
fn only_mentions_of_known_items_are_removed() {
    for (text, expect) in [
        ("say @rule:x it", "say it"),
        ("@rule:x\n  keep\tthis", "\n  keep\tthis"),
        ("at the end @rule:x", "at the end "),
        ("@rule:x @ref:x both", " both"),
        ("a @rule:x @rule:y-1_2 b", "a b"),
        ("two  @rule:x  spaces", "two   spaces"),
        ("(@rule:x), then", "(), then"),
        ("as @rule:x.", "as ."),
        ("unknown @rule:nope and @ref:y-1_2 stay", "unknown @rule:nope and @ref:y-1_2 stay"),
        ("a longer name @rule:x-ray stays", "a longer name @rule:x-ray stays"),
        ("me@rule:x is an address", "me@rule:x is an address"),
        ("@rules:x @rule: @rule @ref:", "@rules:x @rule: @rule @ref:"),
        ("@@rule:x", "@"),
        ("@rule:x@ref:x@rule:nope", "@rule:nope"),
        ("```\n    code\n\n\tmore  @x\n```\n", "```\n    code\n\n\tmore  @x\n```\n"),
        ("ünïcode @rule:x 東京@rule:x", "ünïcode 東京@rule:x"),
    ] {
        assert_eq!(without_mentions(text, &knowledge()), expect, "{text:?}");
    }
    let found = mentions("@ref:x, @rule:nope");
    assert_eq!(
        found.iter().map(|mention| (mention.kind, mention.name)).collect::<Vec<_>>(),
        [(ItemKind::Reference, "x"), (ItemKind::Rule, "nope")]
    );
}

#[test]
fn session_items_are_ordered_by_priority_then_by_mention() {
    let names = |record: Option<&SessionRecord>, named: &[ItemName]| -> Vec<(String, InclusionMode)> {
        let knowledge = knowledge();
        let items = session_items(&knowledge, ItemKind::Rule, record, named);
        items.iter().map(|there| (there.item.name.clone(), there.include)).collect()
    };
    let always =
        |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), InclusionMode::Always)).collect::<Vec<_>>();
    let manual =
        |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), InclusionMode::Manual)).collect::<Vec<_>>();
    let usual = ["zero", "a", "b", "late"];
    assert_eq!(names(None, &[]), always(&usual));
    assert_eq!(
        names(None, &[rule("y-1_2"), rule("x"), rule("a"), rule("x"), rule("gone")]),
        [always(&usual), manual(&["y-1_2", "x"])].concat()
    );
    let said = record(&[
        SessionEvent::Included { item: rule("found") },
        SessionEvent::Excluded { item: rule("zero") },
        SessionEvent::Excluded { item: rule("b") },
    ]);
    // A mentioned item is included although it was excluded.
    let expect = [always(&["a", "b", "late"]), manual(&["found", "x"])].concat();
    assert_eq!(names(Some(&said), &[rule("x"), rule("b")]), expect);
}

#[test]
fn relevance_candidates_omit_included_and_excluded_items() {
    let knowledge = knowledge();
    let names = |record: Option<&SessionRecord>| -> Vec<String> {
        let there = session_items(&knowledge, ItemKind::Rule, record, &[]);
        relevance_candidates(&knowledge, ItemKind::Rule, record, &there).iter().map(|item| item.name.clone()).collect()
    };
    assert_eq!(names(None), ["found"]);
    assert!(names(Some(&record(&[SessionEvent::Included { item: rule("found") }]))).is_empty());
    assert!(names(Some(&record(&[SessionEvent::Excluded { item: rule("found") }]))).is_empty());
}

fn tool(name: &str, include: InclusionMode) -> ToolSpec {
    ToolSpec { include, ..mcp_tool("far", name) }
}

#[test]
fn request_lists_its_items_in_order_with_their_mode() {
    let knowledge = knowledge();
    let relevant = [
        RelevantItem { kind: ItemKind::Tool, name: "far_dig".to_owned(), score: Thousandths(910) },
        RelevantItem { kind: ItemKind::Rule, name: "found".to_owned(), score: Thousandths(700) },
        RelevantItem { kind: ItemKind::Reference, name: "map".to_owned(), score: Thousandths(25) },
    ];
    let rules = session_items(&knowledge, ItemKind::Rule, None, &[rule("x")]);
    let tools =
        [tool("look", InclusionMode::Always), tool("dig", InclusionMode::Agent), tool("named", InclusionMode::Agent)];
    let request = request_context(&[], &rules[3..], &relevant, &tools);
    assert_eq!(
        request_context_json(&request),
        serde_json::json!({"items": [
            {"kind": "reference", "name": "map", "include": "agent", "score": 0.025},
            {"kind": "rule", "name": "late", "include": "always"},
            {"kind": "rule", "name": "x", "include": "manual"},
            {"kind": "rule", "name": "found", "include": "agent", "score": 0.7},
            {"kind": "tool", "name": "far_look", "include": "always", "server": "far"},
            {"kind": "tool", "name": "far_dig", "include": "agent", "server": "far", "score": 0.91},
            {"kind": "tool", "name": "far_named", "include": "manual", "server": "far"},
        ]})
    );
}

#[test]
fn tool_is_left_out_if_it_is_not_selected_or_is_excluded() {
    let leaves_out =
        |settings: &SessionToolSettings, include| settings.exclusion_reason(&tool("dig", include)).is_some();
    let none = SessionToolSettings::default();
    assert!(!leaves_out(&none, InclusionMode::Agent), "nothing was selected yet");
    let chosen = |names: &[&str]| SessionToolSettings {
        chosen: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..SessionToolSettings::default()
    };
    assert!(!leaves_out(&chosen(&["far_dig"]), InclusionMode::Agent));
    assert!(leaves_out(&chosen(&["far_other"]), InclusionMode::Agent));
    assert!(!leaves_out(&chosen(&[]), InclusionMode::Always));
    let said = |event: fn(ItemName) -> SessionEvent, name: &str| {
        record(&[event(ItemName { kind: ItemKind::Tool, name: name.to_owned() })])
    };
    for name in ["far_dig", "dig"] {
        let included = chosen(&[]).with_record(&said(|item| SessionEvent::Included { item }, name));
        assert!(!leaves_out(&included, InclusionMode::Agent), "{name}");
        let excluded = none.clone().with_record(&said(|item| SessionEvent::Excluded { item }, name));
        assert!(leaves_out(&excluded, InclusionMode::Always) && leaves_out(&excluded, InclusionMode::Manual), "{name}");
    }
}

proptest! {
    #[test]
    fn only_mentions_and_single_spaces_are_removed(
        parts in proptest::collection::vec(prop_oneof![
            Just("@rule:x"), Just("@ref:x"), Just("@rule:nope"), Just(" "), Just("\n"), Just("  "), Just("a"), Just("é"), Just("@"), Just(":x"),
        ], 0..24),
    ) {
        let text = parts.concat();
        let kept = without_mentions(&text, &knowledge());
        prop_assert!(mentions(&kept).iter().all(|mention| !mention.is_known(&knowledge())), "{text:?} -> {kept:?}");
        let known: Vec<_> = mentions(&text).into_iter().filter(|mention| mention.is_known(&knowledge())).collect();
        let gone = text.len() - kept.len();
        let longest: usize = known.iter().map(|mention| mention.at.len()).sum();
        prop_assert!((longest..=longest + known.len()).contains(&gone), "{text:?} -> {kept:?}");
        // White space that is not next to a mention is never changed.
        prop_assert_eq!(text.matches('\n').count(), kept.matches('\n').count());
        if known.is_empty() {
            prop_assert_eq!(&text, &*kept);
        }
    }
}

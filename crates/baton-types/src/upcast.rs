//! Upcasts stored events of earlier schemas. Values are copied as text, so numbers keep their digits.

use crate::Json;
use std::collections::BTreeMap;

/// Old and new names of members.
type MemberNames = &'static [(&'static str, &'static str)];

/// Events of schema 1 with other names: stored kind, tag since schema 2, and members since schema 2.
const SCHEMA_2_NAMES: &[(&str, &str, MemberNames)] = &[
    ("task.said", "message_received", &[]),
    ("task.wished", "run_options_set", &[("wishes", "options")]),
    ("task.wrote", "text_flushed", &[]),
    ("task.run_resumed", "run_resumed", &[("alone", "isolated")]),
    ("task.context_chosen", "context_selected", &[]),
    ("task.reasoned", "reasoning_produced", &[]),
    ("task.guarded", "guardrail_checked", &[]),
    ("task.tool_asked", "tool_input_requested", &[]),
    ("task.tool_answered", "tool_input_received", &[]),
    ("task.handoff_asked", "handoff_input_requested", &[]),
    ("task.handoff_answered", "handoff_input_received", &[]),
    ("task.peer_asked", "peer_send_started", &[]),
    ("handoff.moved", "status_changed", &[]),
    ("session.noted", "note_added", &[]),
];

/// Members of the run options of schema 1 with other names.
const RUN_OPTION_NAMES: MemberNames = &[
    ("one_call_a_turn", "disable_parallel_tool_calls"),
    ("most_calls", "max_tool_calls"),
    ("whole", "no_truncation"),
    ("keeps_text", "journal_deltas"),
    ("calls", "tool_choice"),
];

/// Upcasts a body of schema 1 to schema 2. A body that is not an event is returned unchanged, for the decoder to
/// report.
pub(crate) fn to_schema_2(kind: &str, body: Json) -> Json {
    let names = SCHEMA_2_NAMES.iter().find(|(old, ..)| *old == kind);
    names.and_then(|(_, tag, members)| rename_event(tag, members, &body)).unwrap_or(body)
}

fn rename_event(tag: &str, members: MemberNames, body: &Json) -> Option<Json> {
    let event: BTreeMap<String, Json> = body.read().ok()?;
    let content = event.into_values().next()?;
    let mut content = rename_members(members, &content)?;
    if let Some(options) = content.get("options").filter(|_| tag == "run_options_set") {
        let options = rename_members(RUN_OPTION_NAMES, options)?;
        content.insert("options".to_owned(), Json::from_serializable(&options).ok()?);
    }
    Json::from_serializable(&BTreeMap::from([(tag, content)])).ok()
}

fn rename_members(names: MemberNames, object: &Json) -> Option<BTreeMap<String, Json>> {
    let members: BTreeMap<String, Json> = object.read().ok()?;
    let rename = |name: String| match names.iter().find(|(old, _)| *old == name) {
        Some((_, new)) => (*new).to_owned(),
        None => name,
    };
    Some(members.into_iter().map(|(name, value)| (rename(name), value)).collect())
}

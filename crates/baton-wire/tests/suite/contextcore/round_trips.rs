//! Readers accept or reject any input without a panic, and values survive a round trip.

use baton_types::{Json, Violations};
use baton_wire::{
    a2a::v1,
    contextcore::{Card, Discovery, ListParams, Part, PartType, SendParams, State, Task, TaskParams},
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::borrow::Cow;

/// JSON with the members that readers know, with values of any type.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
        "(user|system|WORKING|COMPLETED|text|file|trace|json|2026-11-15T12:00:00)".prop_map(Value::from),
    ];
    let name = "(message|messageId|message_id|role|parts|type|part_type|text|file|uri|bytes|file_uri|data|json|metadata|\
                contextcore|trace_id|ref|timestamp|contextId|taskId|status|messages|artifacts|mediaType|index|append|\
                lastChunk|createdTime|updatedTime|limit|agent|capabilities|x)";
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..6).prop_map(|map| json!(map)),
        ]
    })
}

/// Any part that ContextCore can write, with additional members.
fn part() -> impl Strategy<Value = Value> {
    let kind = proptest::sample::select(PartType::ALL);
    let more =
        proptest::collection::btree_map("(tokens|description|timestamp|zz|mimeType|fileName)", "[a-z]{1,4}", 0..3);
    (kind, more, value(), "\\PC{0,6}", any::<bool>()).prop_map(|(kind, more, data, text, noted)| {
        let mut part = json!(more);
        part["type"] = kind.as_str().into();
        if noted {
            part["metadata"] = json!({"a": {"b": [1, null]}});
        }
        match kind {
            PartType::Text => part["text"] = text.into(),
            PartType::File => {
                part.as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "mimeType" | "fileName"));
                part["file"] = json!({"uri": text, "mimeType": "image/png", "name": "n"});
            }
            PartType::Data | PartType::Json | PartType::Form => part["data"] = json!({"in": data}),
            _ => {
                for name in ["trace_id", "span_id", "query", "ref"] {
                    part[name] = text.clone().into();
                }
            }
        }
        part
    })
}

fn message() -> impl Strategy<Value = v1::Message<'static>> {
    let text = || proptest::option::of("[a-z]{1,8}".prop_map(Cow::Owned));
    let content = prop_oneof![
        "\\PC{0,20}".prop_map(v1::Part::text),
        value().prop_map(|value| v1::Part { data: Some(Json::from(value)), ..v1::Part::default() }),
        "[a-z]{1,8}".prop_map(|url| v1::Part {
            url: Some(url.into()),
            media_type: Some("image/png".into()),
            ..v1::Part::default()
        }),
        Just(v1::Part { raw: Some("+/8=".into()), media_type: Some("a/b".into()), ..v1::Part::default() }),
    ];
    let noted = || proptest::option::of(Just(Json::parse(r#"{"n":1.0,"contextcore":{"data":1,"k":2.50}}"#).unwrap()));
    let part =
        (content, text(), noted()).prop_map(|(part, filename, metadata)| v1::Part { filename, metadata, ..part });
    let parts = proptest::collection::vec(part, 1..4);
    (parts, any::<bool>(), text(), text(), noted()).prop_map(|(parts, user, context_id, task_id, metadata)| {
        v1::Message {
            message_id: "m".into(),
            context_id,
            task_id,
            role: if user { v1::Role::User } else { v1::Role::Agent },
            parts,
            metadata,
            extensions: vec!["https://example.com/e".into()],
            reference_task_ids: vec!["t0".into()],
        }
    })
}

/// Sorts members: mapping may change their order, which has no meaning.
fn sorted(value: &impl serde::Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

proptest! {
    #[test]
    fn any_json_is_parsed_or_rejected(value in value()) {
        let text = value.to_string();
        if let Ok(Ok(request)) = v1::read_params_text::<SendParams>(&text).map(|send| send.into_v1(String::new)) {
            let _ = SendParams::from(request.clone());
            let _ = request.check();
        }
        let _ = v1::read_params_text::<TaskParams>(&text).map(TaskParams::into_get);
        let _ = v1::read_params_text::<ListParams>(&text).map(ListParams::into_v1);
        if let Ok(Ok(task)) = serde_json::from_str::<Task>(&text).map(Task::into_v1) {
            let _ = Task::from(task);
        }
        if let Ok(task) = serde_json::from_str::<v1::Task<'static>>(&text) {
            let _ = Task::from(task).into_v1();
        }
        if let Ok(part) = serde_json::from_str::<v1::Part<'static>>(&text) {
            let _ = Part::from(part).into_v1("part", &mut Violations::default());
        }
        let _ = serde_json::from_str::<Discovery>(&text);
        let _ = serde_json::from_str::<Card>(&text);
    }

    #[test]
    fn parts_round_trip(written in part()) {
        let part: Part = serde_json::from_str(&written.to_string()).unwrap();
        let mut violations = Violations::default();
        let canonical = part.clone().into_v1("part", &mut violations).unwrap();
        prop_assert_eq!(violations.into_result(()), Ok(()));
        prop_assert!(canonical.clone().check("part", &mut Violations::default()).is_some());
        let text = serde_json::to_string(&canonical).unwrap();
        let read: v1::Part<'static> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(sorted(&Part::from(read)), sorted(&written));
    }

    #[test]
    fn messages_of_1_0_round_trip(message in message(), at in 0..9_999_999_999_999_i64) {
        let text = serde_json::to_string(&baton_wire::contextcore::Message::from(message.clone())).unwrap();
        let read: baton_wire::contextcore::Message = serde_json::from_str(&text).unwrap();
        let mut violations = Violations::default();
        let back = read.into_v1("message", &mut violations);
        prop_assert_eq!(violations.into_result(()), Ok(()));
        prop_assert_eq!(sorted(&back), sorted(&message));
        let task = v1::Task {
            id: "t".into(),
            context_id: "c".into(),
            status: v1::TaskStatus {
                state: v1::TaskState::Working,
                message: None,
                timestamp: Some(baton_types::Timestamp::from_millis(at)),
            },
            artifacts: Some(vec![v1::Artifact { artifact_id: "a".into(), parts: message.parts.clone(), ..Default::default() }]),
            history: Some(vec![message]),
            metadata: None,
        };
        let text = serde_json::to_string(&Task::from(task.clone())).unwrap();
        let mut back = serde_json::from_str::<Task>(&text).unwrap();
        // The timestamp of the status replaces the message's own, which 1.0 does not have.
        back.messages[0].timestamp = None;
        prop_assert_eq!(sorted(&back.into_v1().unwrap()), sorted(&task));
    }
}

#[test]
fn states_round_trip() {
    for state in State::ALL {
        assert_eq!(State::from(v1::TaskState::from(*state)), *state);
        assert_eq!(State::from_name(state.as_str()), Some(*state));
    }
    for state in v1::TaskState::ALL {
        let there = State::from(*state);
        assert_eq!(state.to_task_state().is_some_and(baton_types::TaskState::is_terminal), {
            matches!(there, State::Completed | State::Failed | State::Cancelled | State::Rejected)
        });
    }
}

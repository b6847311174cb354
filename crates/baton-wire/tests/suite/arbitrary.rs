//! Readers accept or reject any input without a panic, and values survive a round trip.

use baton_encoding::depth_within;
use baton_wire::{a2a::v1, jsonrpc::RpcRequest};
use proptest::prelude::*;
use serde_json::{Value, json};

/// JSON with the members that readers know, with values of any type.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
        "(ROLE_USER|TASK_STATE_WORKING|2026-11-15T12:00:00Z|2.0|GetTask)".prop_map(Value::from),
    ];
    let name = "(message|messageId|message_id|role|parts|text|raw|url|data|metadata|configuration|historyLength|id|\
                contextId|task|status|state|timestamp|artifact|artifactUpdate|append|history|jsonrpc|method|params|x)";
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..6).prop_map(|map| json!(map)),
        ]
    })
}

fn message() -> impl Strategy<Value = baton_types::Message> {
    use baton_types::{Json, Message, Part, PartContent, Role};
    let content = prop_oneof![
        "\\PC{0,20}".prop_map(PartContent::Text),
        "[a-z]{0,4}".prop_map(PartContent::Url),
        value().prop_map(|value| PartContent::Data(Json::from(value))),
        Just(PartContent::Raw("+/8=".to_owned())),
    ];
    let text = || proptest::option::of("[a-z]{1,8}");
    let part = (content, text(), text(), any::<bool>()).prop_map(|(content, filename, media_type, noted)| Part {
        content,
        metadata: noted.then(|| Json::parse("{\"n\":1.0}").unwrap()),
        filename,
        media_type,
    });
    let parts = proptest::collection::vec(part, 1..5);
    (parts, any::<bool>(), text(), text(), "[ -~]{1,20}").prop_map(|(parts, user, context, task, id)| Message {
        context: context.map(Into::into),
        task: task.map(Into::into),
        ..Message::new(id.into(), if user { Role::User } else { Role::Agent }, parts)
    })
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_rejected(text in "\\PC{0,64}") {
        let _ = RpcRequest::read(&text);
        let _ = depth_within(text.as_bytes(), 3);
    }

    #[test]
    fn depth_of_any_bytes_is_computed(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = depth_within(&bytes, 3);
    }

    #[test]
    fn any_json_is_parsed_or_rejected(value in value()) {
        let text = value.to_string();
        let _ = RpcRequest::read(&text);
        let raw = serde_json::value::to_raw_value(&value).unwrap();
        if let Ok(request) = v1::read_params::<v1::SendMessageRequest<'static>>(Some(&raw)) {
            let _ = request.check();
        }
        let _ = v1::read_params::<v1::ListTasksRequest<'static>>(Some(&raw)).map(|list| list.check());
        let _ = v1::read_params::<v1::GetTaskRequest<'static>>(Some(&raw)).map(|get| get.check());
        let _ = serde_json::from_str::<v1::StreamResponse<'static>>(&text);
        let _ = serde_json::from_str::<v1::AgentCard>(&text);
        let _ = serde_json::from_str::<v1::ErrorObject>(&text).map(|error| (error.hint(), error.violations()));
    }

    #[test]
    fn messages_round_trip(message in message()) {
        let text = serde_json::to_string(&v1::Message::from(&message)).unwrap();
        let read: v1::Message<'static> = serde_json::from_str(&text).unwrap();
        let mut violations = baton_types::Violations::default();
        let checked = read.check("message", &mut violations);
        prop_assert_eq!(violations.into_result(()), Ok(()));
        prop_assert_eq!(checked, Some(message));
    }

    #[test]
    fn depth_matches_a_parser(value in value()) {
        fn depth(value: &Value) -> usize {
            match value {
                Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
                Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
                _ => 0,
            }
        }
        let (text, depth) = (value.to_string(), depth(&value));
        prop_assert!(depth_within(text.as_bytes(), depth));
        prop_assert!(depth == 0 || !depth_within(text.as_bytes(), depth - 1));
    }
}

//! Values of 0.3 are converted without loss, and readers accept or reject any input.

use super::written;
use baton_types::{Json, Timestamp};
use baton_wire::a2a::{v1, v03};
use proptest::{collection::vec, option, prelude::*};
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
        "(user|agent|ROLE_USER|TASK_STATE_CANCELLED|working|text|file|data|task|message|status-update|artifact-update)"
            .prop_map(Value::from),
    ];
    let name = "(kind|message|request|messageId|role|parts|content|text|file|bytes|uri|fileWithBytes|data|metadata|\
                configuration|blocking|historyLength|id|contextId|taskId|task|status|state|update|timestamp|final|\
                artifact|artifacts|statusUpdate|append|history|pushNotificationConfig|config|name|url|schemes|\
                authentication|securitySchemes|security|flows|type|skills|value|data_part_compat|x)";
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..6).prop_map(|map| json!(map)),
        ]
    })
}

fn text() -> impl Strategy<Value = Cow<'static, str>> {
    "\\PC{1,8}".prop_map(Cow::Owned)
}

/// Non-empty metadata without the marker of wrapped data.
fn metadata() -> impl Strategy<Value = Option<Json>> {
    option::of("[a-z]{1,4}".prop_map(|name| Json::parse(&format!("{{\"{name}\":1.0}}")).unwrap()))
}

/// Parts without fields that 0.3 does not have: names and types of text and data.
fn part() -> impl Strategy<Value = v1::Part<'static>> {
    let bare = v1::Part::default;
    let data = value().prop_map(move |data| v1::Part { data: Some(Json::from(data)), ..bare() });
    let file =
        (any::<bool>(), option::of(text()), option::of(text())).prop_map(move |(is_raw, filename, media_type)| {
            let (raw, url) = if is_raw { (Some("+/8=".into()), None) } else { (None, Some("https://a".into())) };
            v1::Part { raw, url, filename, media_type, ..bare() }
        });
    let content = prop_oneof!["\\PC{0,20}".prop_map(v1::Part::text), data, file];
    (content, metadata()).prop_map(|(part, metadata)| v1::Part { metadata, ..part })
}

fn role() -> impl Strategy<Value = v1::Role> {
    prop_oneof![Just(v1::Role::User), Just(v1::Role::Agent)]
}

/// Messages; HTTP+JSON of 0.3 has no references to other tasks.
fn message(references: usize) -> impl Strategy<Value = v1::Message<'static>> {
    (text(), option::of(text()), option::of(text()), role(), vec(part(), 0..4), metadata(), vec(text(), 0..=references))
        .prop_map(|(message_id, context_id, task_id, role, parts, metadata, others)| v1::Message {
            message_id,
            context_id,
            task_id,
            role,
            parts,
            metadata,
            extensions: others.clone(),
            reference_task_ids: others,
        })
}

fn status(references: usize) -> impl Strategy<Value = v1::TaskStatus<'static>> {
    let state = proptest::sample::select(v1::TaskState::ALL);
    (state, option::of(message(references)), option::of(0..4_000_000_000_000_i64))
        .prop_map(|(state, message, at)| v1::TaskStatus { state, message, timestamp: at.map(Timestamp::from_millis) })
}

fn artifact() -> impl Strategy<Value = v1::Artifact<'static>> {
    (text(), option::of(text()), option::of(text()), vec(part(), 0..4), metadata(), vec(text(), 0..2)).prop_map(
        |(artifact_id, name, description, parts, metadata, extensions)| v1::Artifact {
            artifact_id,
            name,
            description,
            parts,
            metadata,
            extensions,
        },
    )
}

fn task(references: usize) -> impl Strategy<Value = v1::Task<'static>> {
    let lists = (option::of(vec(artifact(), 0..3)), option::of(vec(message(references), 0..3)));
    (text(), text(), status(references), lists, metadata()).prop_map(
        |(id, context_id, status, (artifacts, history), metadata)| v1::Task {
            id,
            context_id,
            status,
            artifacts,
            history,
            metadata,
        },
    )
}

fn item(references: usize) -> impl Strategy<Value = v1::StreamResponse<'static>> {
    let bare = v1::StreamResponse::default;
    prop_oneof![
        task(references).prop_map(v1::StreamResponse::from),
        message(references).prop_map(move |message| v1::StreamResponse { message: Some(message), ..bare() }),
        (text(), text(), status(references), metadata()).prop_map(|(task_id, context_id, status, metadata)| {
            v1::TaskStatusUpdateEvent { task_id, context_id, status, metadata }.into()
        }),
        (text(), text(), artifact(), any::<bool>(), metadata()).prop_map(
            |(task_id, context_id, artifact, append, metadata)| {
                v1::TaskArtifactUpdateEvent { task_id, context_id, artifact, append, last_chunk: !append, metadata }
                    .into()
            }
        ),
    ]
}

/// Sends with a history length that 0.3 supports.
fn send(references: usize) -> impl Strategy<Value = v1::SendMessageRequest<'static>> {
    let push = (text(), option::of(text()), option::of(text())).prop_map(|(url, token, credentials)| {
        let authentication =
            credentials.map(|text| v1::AuthenticationInfo { scheme: text.clone(), credentials: Some(text) });
        v1::TaskPushNotificationConfig { url, token, authentication, ..Default::default() }
    });
    let configuration = (vec(text(), 0..2), option::of(push), option::of(1..99_i32), any::<bool>()).prop_map(
        |(accepted_output_modes, task_push_notification_config, history_length, return_immediately)| {
            v1::SendMessageConfiguration {
                accepted_output_modes,
                task_push_notification_config,
                history_length,
                return_immediately,
            }
        },
    );
    let said = message(references).prop_map(|message| {
        let parts = if message.parts.is_empty() { vec![v1::Part::text("")] } else { message.parts };
        v1::Message { role: v1::Role::User, parts, ..message }
    });
    (said, option::of(configuration), metadata()).prop_map(|(message, configuration, metadata)| {
        v1::SendMessageRequest { message: Some(message), configuration, metadata, ..Default::default() }
    })
}

proptest! {
    #[test]
    fn items_round_trip(item in item(2), last in any::<bool>()) {
        let text = written(&v03::StreamItem::from_v1(item.clone(), last));
        let read: v03::StreamItem<'static> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.into_v1(), Ok(item));
    }

    #[test]
    fn rest_items_round_trip(item in item(0), last in any::<bool>()) {
        let text = written(&v03::rest::StreamResponse::from_v1(item.clone(), last));
        let read: v03::rest::StreamResponse<'static> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.into_v1(), Ok(item));
    }

    #[test]
    fn sends_round_trip(send in send(2)) {
        let text = written(&v03::MessageSendParams::from(send.clone()));
        let read: v03::MessageSendParams<'static> = v1::read_params_text(&text).unwrap();
        prop_assert_eq!(read.into_v1(), Ok(send));
    }

    #[test]
    fn rest_sends_round_trip(send in send(0)) {
        let text = written(&v03::rest::SendMessageRequest::from(send.clone()));
        let read: v03::rest::SendMessageRequest<'static> = v1::read_params_text(&text).unwrap();
        prop_assert_eq!(read.into_v1(), Ok(send));
    }

    #[test]
    fn any_json_is_parsed_or_rejected(value in value()) {
        let text = value.to_string();
        let _ = v1::read_params_text::<v03::MessageSendParams<'static>>(&text).and_then(v03::MessageSendParams::into_v1);
        let _ = v1::read_params_text::<v03::TaskQueryParams<'static>>(&text).map(v03::TaskQueryParams::into_v1);
        let _ = v1::read_params_text::<v03::TaskPushNotificationConfig<'static>>(&text).map(|it| (it.check(), it.into_v1()));
        let _ = serde_json::from_str::<v03::StreamItem<'static>>(&text).map(v03::StreamItem::into_v1);
        let _ = serde_json::from_str::<v03::SendResult<'static>>(&text).map(v03::SendResult::into_v1);
        let _ = serde_json::from_str::<v03::Task<'static>>(&text).map(v03::Task::into_v1);
        let _ = v1::read_params_text::<v03::rest::SendMessageRequest<'static>>(&text).map(v03::rest::SendMessageRequest::into_v1);
        let _ = serde_json::from_str::<v03::rest::StreamResponse<'static>>(&text).map(v03::rest::StreamResponse::into_v1);
        let _ = serde_json::from_str::<v03::rest::CreatePushRequest<'static>>(&text).map(|it| (it.check(), it.into_v1()));
        if let Ok(card) = serde_json::from_str::<v03::AgentCard>(&text) {
            written(&v03::UnionCard::new(&card.into_v1()));
        }
    }

    #[test]
    fn any_bytes_are_parsed_or_rejected(bytes in vec(any::<u8>(), 0..64), text in "\\PC{0,64}") {
        let _ = serde_json::from_slice::<v03::StreamItem<'static>>(&bytes);
        let _ = serde_json::from_slice::<v03::rest::StreamResponse<'static>>(&bytes);
        let _ = v1::read_params_text::<v03::MessageSendParams<'static>>(&text);
        let _ = serde_json::from_str::<v03::AgentCard>(&text);
        let _ = (v03::rest::parse_task_name(&text), v03::rest::parse_push_name(&text));
    }
}

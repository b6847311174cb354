//! Generators of wire values of every kind.

use baton_types::{Json, Timestamp};
use baton_wire::a2a::v1::{
    Artifact, AuthenticationInfo, ListTasksRequest, Message, Part, Role, SendMessageConfiguration, SendMessageRequest,
    StreamResponse, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use proptest::{collection::btree_map, collection::vec, option, prelude::*};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A non-empty text.
pub(crate) fn text() -> impl Strategy<Value = Cow<'static, str>> {
    "\\PC{1,12}".prop_map(Cow::Owned)
}

fn maybe_text() -> impl Strategy<Value = Option<Cow<'static, str>>> {
    option::of(text())
}

fn texts() -> impl Strategy<Value = Vec<Cow<'static, str>>> {
    vec(text(), 0..3)
}

/// JSON with numbers that are exact doubles in their shortest form.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    const EXACT: i64 = 1 << 53;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-EXACT..=EXACT).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite and no small integer", |number| {
            let small = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
            (number.is_finite() && (!small || number.to_bits() == (-0.0_f64).to_bits())).then(|| Value::from(number))
        }),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("\\PC{0,4}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn object() -> impl Strategy<Value = Option<Json>> {
    option::of(btree_map("\\PC{0,4}", value(), 0..3).prop_map(|map| Json::from(json!(map))))
}

fn moment() -> impl Strategy<Value = Option<Timestamp>> {
    option::of((-62_135_596_800_000_i64..=253_402_300_799_999).prop_map(Timestamp::from_millis))
}

fn state() -> impl Strategy<Value = TaskState> {
    proptest::sample::select(TaskState::ALL)
}

fn part() -> impl Strategy<Value = Part<'static>> {
    let content = prop_oneof![
        "\\PC{0,20}".prop_map(|text| Part { text: Some(Cow::Owned(text)), ..Part::default() }),
        proptest::sample::select(vec!["", "AP8Q", "+/8=", "aGVsbG8="])
            .prop_map(|raw| Part { raw: Some(Cow::Borrowed(raw)), ..Part::default() }),
        text().prop_map(|url| Part { url: Some(url), ..Part::default() }),
        value().prop_map(|data| Part { data: Some(Json::from(data)), ..Part::default() }),
    ];
    (content, object(), maybe_text(), maybe_text()).prop_map(|(part, metadata, filename, media_type)| Part {
        metadata,
        filename,
        media_type,
        ..part
    })
}

pub(crate) fn message() -> impl Strategy<Value = Message<'static>> {
    let ids = (text(), maybe_text(), maybe_text());
    (ids, proptest::sample::select(Role::ALL), vec(part(), 0..4), object(), texts(), texts()).prop_map(
        |((message_id, context_id, task_id), role, parts, metadata, extensions, reference_task_ids)| Message {
            message_id,
            context_id,
            task_id,
            role,
            parts,
            metadata,
            extensions,
            reference_task_ids,
        },
    )
}

fn artifact() -> impl Strategy<Value = Artifact<'static>> {
    (text(), maybe_text(), maybe_text(), vec(part(), 0..3), object(), texts()).prop_map(
        |(artifact_id, name, description, parts, metadata, extensions)| Artifact {
            artifact_id,
            name,
            description,
            parts,
            metadata,
            extensions,
        },
    )
}

fn status() -> impl Strategy<Value = TaskStatus<'static>> {
    (state(), option::of(message()), moment()).prop_map(|(state, message, timestamp)| TaskStatus {
        state,
        message,
        timestamp,
    })
}

pub(crate) fn task() -> impl Strategy<Value = Task<'static>> {
    (text(), text(), status(), vec(artifact(), 0..3), vec(message(), 0..3), object()).prop_map(
        |(id, context_id, status, artifacts, history, metadata)| Task {
            id,
            context_id,
            status,
            artifacts: Some(artifacts).filter(|list| !list.is_empty()),
            history: Some(history).filter(|list| !list.is_empty()),
            metadata,
        },
    )
}

pub(crate) fn item() -> impl Strategy<Value = StreamResponse<'static>> {
    let status = (text(), text(), status(), object()).prop_map(|(task_id, context_id, status, metadata)| {
        StreamResponse::from(TaskStatusUpdateEvent { task_id, context_id, status, metadata })
    });
    let artifact = (text(), text(), artifact(), any::<bool>(), any::<bool>(), object()).prop_map(
        |(task_id, context_id, artifact, append, last_chunk, metadata)| {
            StreamResponse::from(TaskArtifactUpdateEvent {
                task_id,
                context_id,
                artifact,
                append,
                last_chunk,
                metadata,
            })
        },
    );
    prop_oneof![
        task().prop_map(StreamResponse::from),
        message().prop_map(|message| StreamResponse { message: Some(message), ..StreamResponse::default() }),
        status,
        artifact,
    ]
}

pub(crate) fn push() -> impl Strategy<Value = TaskPushNotificationConfig<'static>> {
    let authentication =
        (text(), maybe_text()).prop_map(|(scheme, credentials)| AuthenticationInfo { scheme, credentials });
    (maybe_text(), text(), "[a-z0-9-]{1,8}", text(), maybe_text(), option::of(authentication)).prop_map(
        |(tenant, id, task_id, url, token, authentication)| TaskPushNotificationConfig {
            tenant,
            id,
            task_id: Cow::Owned(task_id),
            url,
            token,
            authentication,
        },
    )
}

pub(crate) fn send() -> impl Strategy<Value = SendMessageRequest<'static>> {
    let configuration = (texts(), option::of(push()), option::of(any::<i32>()), any::<bool>()).prop_map(
        |(accepted_output_modes, task_push_notification_config, history_length, return_immediately)| {
            SendMessageConfiguration {
                accepted_output_modes,
                task_push_notification_config,
                history_length,
                return_immediately,
            }
        },
    );
    (maybe_text(), option::of(message()), option::of(configuration), object()).prop_map(
        |(tenant, message, configuration, metadata)| SendMessageRequest { tenant, message, configuration, metadata },
    )
}

pub(crate) fn list() -> impl Strategy<Value = ListTasksRequest<'static>> {
    let number = || option::of(any::<i32>());
    let known = state().prop_map(|state| Some(state).filter(|state| *state != TaskState::Unspecified));
    (maybe_text(), maybe_text(), known, number(), maybe_text(), number(), moment(), option::of(any::<bool>())).prop_map(
        |(tenant, context_id, status, page_size, page_token, history_length, status_timestamp_after, include)| {
            ListTasksRequest {
                tenant,
                context_id,
                status,
                page_size,
                page_token,
                history_length,
                status_timestamp_after,
                include_artifacts: include,
            }
        },
    )
}

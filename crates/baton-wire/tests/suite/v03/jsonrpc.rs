//! Parameters and results of the JSON-RPC methods, in both directions.

use super::{convert_both_ways, written};
use baton_types::ErrorCode;
use baton_wire::a2a::{v1, v03};
use insta::assert_snapshot;

fn message(title: &str, text: &str) -> String {
    convert_both_ways(
        &format!("Message {title}"),
        text,
        |old: v03::Message<'static>| old.into_v1().unwrap(),
        v03::Message::from,
    )
}

fn task(title: &str, text: &str) -> String {
    convert_both_ways(&format!("Task {title}"), text, |old: v03::Task<'static>| old.into_v1().unwrap(), v03::Task::from)
}

fn send(title: &str, text: &str) -> String {
    let title = format!("MessageSendParams {title}");
    convert_both_ways(
        &title,
        text,
        |old: v03::MessageSendParams<'static>| old.into_v1().unwrap(),
        v03::MessageSendParams::from,
    )
}

fn item(title: &str, text: &str) -> String {
    let item: v03::StreamItem<'static> = serde_json::from_str(text).unwrap();
    let last = item.is_final();
    let back = |new| v03::StreamItem::from_v1(new, last);
    convert_both_ways(title, text, |old: v03::StreamItem<'static>| old.into_v1().unwrap(), back)
}

#[test]
fn messages_are_converted() {
    let shown = [
        message("text", r#"{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}"#),
        message(
            "everything",
            r#"{"kind":"message","messageId":"m","contextId":"c","taskId":"t","role":"agent","parts":[{"kind":"text","text":"","metadata":{"a":1.0}}],"metadata":{"n":9007199254740993},"extensions":["https://example.com/x/v1"],"referenceTaskIds":["t0","t1"]}"#,
        ),
        message(
            "files",
            r#"{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"file","file":{"bytes":"+/8=","mimeType":"application/octet-stream","name":"map.bin"}},{"kind":"file","file":{"uri":"https://example.com/map.png"},"metadata":{"scale":2}},{"kind":"file","file":{"bytes":""}}]}"#,
        ),
        message(
            "data",
            r#"{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":{"n":42,"f":42.0,"big":123456789012345678901234567890}},{"kind":"data","data":{"value":[1,2.50]},"metadata":{"data_part_compat":true}},{"kind":"data","data":{"value":null},"metadata":{"a":{},"data_part_compat":true}},{"kind":"data","data":{"value":1,"more":2},"metadata":{"data_part_compat":true}},{"kind":"data","data":{"value":"x"},"metadata":{"data_part_compat":"true"}}]}"#,
        ),
        message("without parts", r#"{"kind":"message","messageId":"m","role":"agent","parts":[]}"#),
    ];
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn tasks_are_converted() {
    let mut shown = vec![
        task("new", r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"}}"#),
        task(
            "finished",
            r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"completed","message":{"kind":"message","messageId":"m2","contextId":"c","taskId":"t","role":"agent","parts":[{"kind":"text","text":"72°F"}]},"timestamp":"2026-11-15T12:46:00.005Z"},"artifacts":[{"artifactId":"a","name":"answer","description":"what it is","parts":[{"kind":"text","text":"72°F"}],"metadata":{"k":[]},"extensions":["https://example.com/x/v1"]}],"history":[{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"?"}]}],"metadata":{"m":1e400}}"#,
        ),
        task(
            "with nothing in it",
            r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"working"},"artifacts":[],"history":[]}"#,
        ),
    ];
    let states = ["input-required", "canceled", "failed", "rejected", "auth-required", "unknown"];
    shown.extend(states.map(|state| {
        let text = format!(r#"{{"kind":"task","id":"t","contextId":"c","status":{{"state":"{state}"}}}}"#);
        task(state, &text)
    }));
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn results_and_stream_items_are_converted() {
    let answer = r#"{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hi"}]}"#;
    let begun = r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}"#;
    let result = |title: &str, text: &str| {
        convert_both_ways(title, text, |old: v03::SendResult<'static>| old.into_v1().unwrap(), v03::SendResult::from)
    };
    let status = |state: &str, last: bool| {
        let text = format!(
            r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{{"state":"{state}","timestamp":"2026-11-15T12:46:00.000Z"}},"final":{last},"metadata":{{"a":1}}}}"#
        );
        item(&format!("TaskStatusUpdateEvent {state}"), &text)
    };
    let shown = [
        result("SendMessageSuccessResponse.result message", answer),
        result("SendMessageSuccessResponse.result task", begun),
        item("SendStreamingMessageSuccessResponse.result message", answer),
        item("SendStreamingMessageSuccessResponse.result task", begun),
        status("working", false),
        status("input-required", true),
        status("completed", true),
        item(
            "TaskArtifactUpdateEvent first",
            r#"{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"7"}]},"append":false,"lastChunk":false}"#,
        ),
        item(
            "TaskArtifactUpdateEvent last",
            r#"{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"2"}]},"append":true,"lastChunk":true,"metadata":{"n":1.0}}"#,
        ),
    ];
    assert_snapshot!(shown.join("\n"));
    // The last event of a turn is final in any state, and a terminal event is always the last one.
    let event = |state| v1::StreamResponse {
        status_update: Some(v1::TaskStatusUpdateEvent {
            status: v1::TaskStatus { state, ..Default::default() },
            ..Default::default()
        }),
        ..Default::default()
    };
    for (state, last, expect) in [
        (v1::TaskState::Working, false, false),
        (v1::TaskState::InputRequired, false, false),
        (v1::TaskState::InputRequired, true, true),
        (v1::TaskState::Canceled, false, true),
    ] {
        assert_eq!(v03::StreamItem::from_v1(event(state), last).is_final(), expect);
        assert_eq!(v03::rest::StreamResponse::from_v1(event(state), last).is_final(), expect);
    }
}

#[test]
fn requests_are_converted() {
    let query = |title: &str, text: &str| {
        convert_both_ways(title, text, v03::TaskQueryParams::into_v1, v03::TaskQueryParams::from)
    };
    let cancel = r#"{"id":"t","metadata":{"why":1}}"#;
    let id = r#"{"id":"t"}"#;
    let delete = r#"{"id":"t","pushNotificationConfigId":"p"}"#;
    let config = r#"{"taskId":"t","pushNotificationConfig":{"id":"p","url":"https://example.com/hook","token":"secret","authentication":{"schemes":["Bearer"],"credentials":"abc"}}}"#;
    let bare = r#"{"taskId":"t","pushNotificationConfig":{"url":"https://example.com/hook"}}"#;
    let push = |title: &str, text: &str| {
        let title = format!("TaskPushNotificationConfig {title}");
        convert_both_ways(&title, text, v03::TaskPushNotificationConfig::into_v1, v03::TaskPushNotificationConfig::from)
    };
    let shown = [
        send(
            "bare",
            r#"{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}"#,
        ),
        send(
            "everything",
            r#"{"message":{"kind":"message","messageId":"m","contextId":"c","taskId":"t","role":"user","parts":[{"kind":"text","text":"hi"}]},"configuration":{"acceptedOutputModes":["text/plain"],"blocking":true,"historyLength":3,"pushNotificationConfig":{"url":"https://example.com/hook","token":"x"}},"metadata":{"trace":"1"}}"#,
        ),
        send(
            "not waiting",
            r#"{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]},"configuration":{"blocking":false}}"#,
        ),
        query("TaskQueryParams all", id),
        query("TaskQueryParams some", r#"{"id":"t","historyLength":2}"#),
        convert_both_ways("TaskIdParams cancel", cancel, v03::TaskIdParams::into_cancel, v03::TaskIdParams::from),
        convert_both_ways("TaskIdParams resubscribe", id, v03::TaskIdParams::into_subscribe, v03::TaskIdParams::from),
        convert_both_ways(
            "ListTaskPushNotificationConfigParams",
            id,
            v03::TaskIdParams::into_list_push,
            v03::TaskIdParams::from,
        ),
        push("whole", config),
        push("smallest", bare),
        convert_both_ways(
            "ListTaskPushNotificationConfigSuccessResponse.result",
            &format!("[{config},{bare}]"),
            v03::TaskPushNotificationConfigs::into_v1,
            v03::TaskPushNotificationConfigs::from,
        ),
        convert_both_ways(
            "DeleteTaskPushNotificationConfigParams",
            delete,
            v03::DeletePushParams::into_v1,
            v03::DeletePushParams::from,
        ),
    ];
    assert_snapshot!(shown.join("\n"));
    let get = |text: &str| serde_json::from_str::<v03::GetPushParams<'static>>(text).unwrap().into_v1();
    assert_eq!(get(delete), ("t".into(), Some("p".into())));
    assert_eq!(get(id), ("t".into(), None));
    assert_eq!(get(r#"{"id":"t","push_notification_config_id":""}"#), ("t".into(), None));
    let asked = v1::TaskPushNotificationConfigRequest { task_id: "t".into(), id: "p".into(), ..Default::default() };
    assert_eq!(written(&v03::GetPushParams::from(asked)), delete);
}

#[test]
fn missing_members_have_the_defaults_of_0_3() {
    let read = |text: &str| v1::read_params_text::<v03::MessageSendParams<'static>>(text).unwrap().into_v1().unwrap();
    // No `kind`, snake case, nulls, unknown members, an older schema version.
    let loose = read(
        r#"{"message":{"message_id":"m","context_id":null,"role":"user","someday":{"x":[1]},"parts":[
             {"text":"hi","metadata":null},{"file":{"uri":"u","mime_type":"image/png"}},{"data":{"a":1},"text":null},
             {"kind":"data","data":[1]}]},
            "configuration":{"accepted_output_modes":null,"history_length":"0","blocking":null,
             "pushNotificationConfig":{"url":"https://example.com/","authentication":{"schemes":[]}}}}"#,
    );
    let configuration = loose.configuration.unwrap();
    assert_eq!((configuration.history_length, configuration.return_immediately), (None, false));
    assert_eq!(configuration.task_push_notification_config.unwrap().authentication, None);
    let kinds: Vec<_> = loose.message.unwrap().parts.into_iter().map(|part| written(&part)).collect();
    assert_eq!(
        kinds,
        [r#"{"text":"hi"}"#, r#"{"url":"u","mediaType":"image/png"}"#, r#"{"data":{"a":1}}"#, r#"{"data":[1]}"#]
    );
    // A missing `kind` is inferred from the members.
    let kind = |text: &str| match serde_json::from_str(text) {
        Ok(v03::StreamItem::Task(_)) => "task",
        Ok(v03::StreamItem::Message(_)) => "message",
        Ok(v03::StreamItem::StatusUpdate(_)) => "status",
        Ok(v03::StreamItem::ArtifactUpdate(_)) => "artifact",
        Err(_) => "error",
    };
    for (text, expect) in [
        (r#"{"id":"t","status":{"state":"working"}}"#, "task"),
        (r#"{"messageId":"m","role":"agent","parts":[]}"#, "message"),
        (r#"{"task_id":"t","status":{"state":"working"}}"#, "status"),
        (r#"{"taskId":"t","artifact":{"artifactId":"a","parts":[]}}"#, "artifact"),
        (r#"{"kind":"surprise","status":{"state":"working"}}"#, "error"),
        ("{}", "error"),
        ("[]", "error"),
    ] {
        assert_eq!(kind(text), expect, "{text}");
    }
    // Timestamps as written by Python, JavaScript and people.
    for (text, expect) in [
        ("2026-11-15T12:46:00Z", Some("2026-11-15T12:46:00.000Z")),
        ("2026-11-15T12:46:00.123456+00:00", Some("2026-11-15T12:46:00.123Z")),
        ("2026-11-15T12:46:00.5", Some("2026-11-15T12:46:00.500Z")),
        ("yesterday", None),
    ] {
        let status: v03::TaskStatus<'static> =
            serde_json::from_str(&format!(r#"{{"state":"working","timestamp":"{text}"}}"#)).unwrap();
        assert_eq!(status.timestamp.map(|at| at.to_string()).as_deref(), expect);
    }
    // Options that 0.3 does not have are mapped to the nearest ones.
    let nothing = v1::GetTaskRequest { id: "t".into(), history_length: Some(0), ..Default::default() };
    assert_eq!(written(&v03::TaskQueryParams::from(nothing)), r#"{"id":"t","historyLength":1}"#);
}

#[test]
fn errors_have_codes_of_0_3() {
    for (kind, code) in [
        (v1::ErrorKind::TaskNotFound, -32001),
        (v1::ErrorKind::ExtendedAgentCardNotConfigured, -32007),
        (v1::ErrorKind::InvalidParams, -32602),
        (v1::ErrorKind::ExtensionSupportRequired, -32603),
        (v1::ErrorKind::VersionNotSupported, -32603),
        (v1::ErrorKind::TaskGenerationMismatch, -32603),
    ] {
        let object = v03::error_object(&v1::Error::new(kind, ErrorCode::INVALID_REQUEST, "no"));
        assert_eq!(object.code, code);
        assert_eq!(object.reason().as_deref(), Some(kind.reason()));
    }
}

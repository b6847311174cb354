//! Bodies of the HTTP+JSON binding, in both directions.

use super::{convert_both_ways, written};
use baton_wire::a2a::{v1, v03::rest};
use insta::assert_snapshot;

fn send(title: &str, text: &str) -> String {
    let title = format!("SendMessageRequest {title}");
    convert_both_ways(
        &title,
        text,
        |old: rest::SendMessageRequest<'static>| old.into_v1().unwrap(),
        rest::SendMessageRequest::from,
    )
}

fn item(title: &str, text: &str) -> String {
    let item: rest::StreamResponse<'static> = serde_json::from_str(text).unwrap();
    let last = item.is_final();
    let back = |new| rest::StreamResponse::from_v1(new, last);
    convert_both_ways(
        &format!("StreamResponse {title}"),
        text,
        |old: rest::StreamResponse<'static>| old.into_v1().unwrap(),
        back,
    )
}

#[test]
fn requests_are_converted() {
    let config = r#"{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":{"id":"p","url":"https://example.com/hook","token":"secret","authentication":{"schemes":["Bearer"],"credentials":"abc"}}}"#;
    let shown = [
        send("bare", r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}"#),
        send(
            "everything",
            r#"{"message":{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_USER","content":[{"text":"hi","metadata":{"a":1.0}},{"file":{"fileWithUri":"https://example.com/map.png","mimeType":"image/png","name":"map.png"}},{"file":{"fileWithBytes":"Ky84PQ=="},"metadata":{"scale":2}},{"data":{"data":{"n":42}}},{"data":{"data":{"value":[1]}},"metadata":{"data_part_compat":true}}],"metadata":{"k":1},"extensions":["https://example.com/x/v1"]},"configuration":{"acceptedOutputModes":["text/plain"],"pushNotification":{"url":"https://example.com/hook","token":"x"},"historyLength":3,"blocking":true},"metadata":{"trace":"1"}}"#,
        ),
        send(
            "not waiting",
            r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]},"configuration":{"blocking":false}}"#,
        ),
        convert_both_ways(
            "CreateTaskPushNotificationConfigRequest",
            &format!(r#"{{"parent":"tasks/t","configId":"p","config":{config}}}"#),
            rest::CreatePushRequest::into_v1,
            rest::CreatePushRequest::from,
        ),
        convert_both_ways(
            "TaskPushNotificationConfig",
            config,
            rest::TaskPushNotificationConfig::into_v1,
            rest::TaskPushNotificationConfig::from,
        ),
        convert_both_ways(
            "ListTaskPushNotificationConfigResponse",
            &format!(r#"{{"configs":[{config}]}}"#),
            rest::ListPushResponse::into_v1,
            rest::ListPushResponse::from,
        ),
    ];
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn responses_are_converted() {
    let done = r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m2","contextId":"c","taskId":"t","role":"ROLE_AGENT","content":[{"text":"72°F"}]},"timestamp":"2026-11-15T12:46:00.005Z"},"artifacts":[{"artifactId":"a","name":"answer","description":"what it is","parts":[{"text":"72°F"}],"metadata":{"k":[]},"extensions":["https://example.com/x/v1"]}],"history":[{"messageId":"m1","role":"ROLE_USER","content":[{"text":"?"}]}],"metadata":{"m":1}}"#;
    let answer = r#"{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"hi"}]}"#;
    let task = |title: &str, text: &str| {
        convert_both_ways(
            &format!("Task {title}"),
            text,
            |old: rest::Task<'static>| old.into_v1().unwrap(),
            rest::Task::from,
        )
    };
    let result = |title: &str, text: &str| {
        let title = format!("SendMessageResponse {title}");
        let into = |old: rest::SendMessageResponse<'static>| old.into_v1().unwrap();
        convert_both_ways(&title, text, into, rest::SendMessageResponse::from)
    };
    let mut shown = vec![
        task("finished", done),
        result("task", &format!(r#"{{"task":{done}}}"#)),
        result("message", &format!(r#"{{"message":{answer}}}"#)),
        item("task", &format!(r#"{{"task":{done}}}"#)),
        item("message", &format!(r#"{{"message":{answer}}}"#)),
        item(
            "status",
            r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"final":false,"metadata":{"a":1}}}"#,
        ),
        item(
            "last status",
            r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED"},"final":true}}"#,
        ),
        item(
            "artifact",
            r#"{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"2"}]},"append":true,"lastChunk":true,"metadata":{"n":1}}}"#,
        ),
    ];
    shown.extend(rest::TaskState::ALL.iter().map(|state| {
        let text = format!(r#"{{"id":"t","contextId":"c","status":{{"state":"{}"}}}}"#, state.as_str());
        task(state.as_str(), &text)
    }));
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn spellings_proto_names_numbers_and_empty_texts_are_parsed() {
    let read = |text: &str| v1::read_params_text::<rest::SendMessageRequest<'static>>(text).unwrap().into_v1().unwrap();
    let expect = read(
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithBytes":"Ky84PQ==","mimeType":"a/b"}}]},
            "configuration":{"pushNotification":{"url":"https://example.com/"},"historyLength":3,"blocking":true}}"#,
    );
    let proto = read(
        r#"{"request":{"message_id":"m","context_id":"","task_id":"","role":1,"extensions":null,"content":[
              {"file":{"file_with_bytes":"+/8=","mime_type":"a/b","name":""},"text":null}]},
            "configuration":{"push_notification":{"url":"https://example.com/"},"history_length":"3","blocking":true,
              "accepted_output_modes":[]},"unknown":{"x":1}}"#,
    );
    assert_eq!(proto, expect);
    assert_eq!(expect.message.unwrap().parts[0].raw.as_deref(), Some("+/8="));

    // A non-blocking message has an empty configuration, not a missing one.
    let silent = |configuration: &str| {
        let text = format!(r#"{{"message":{{"role":"ROLE_USER","content":[{{"text":"hi"}}]}}{configuration}}}"#);
        read(&text).configuration.is_some_and(|configuration| configuration.return_immediately)
    };
    assert!(!silent(""));
    assert!(silent(r#","configuration":{}"#));

    let status: rest::StreamResponse<'static> = serde_json::from_str(
        r#"{"status_update":{"task_id":"t","context_id":"c","status":{"state":5,"update":{"message_id":"m","role":2,"content":[]}},"final":true}}"#,
    )
    .unwrap();
    let status = status.into_v1().unwrap().status_update.unwrap().status;
    assert_eq!((status.state, status.message.unwrap().role), (v1::TaskState::Canceled, v1::Role::Agent));
    let direct: rest::SendMessageResponse<'static> =
        serde_json::from_str(r#"{"msg":{"messageId":"m","role":"ROLE_AGENT","content":[]}}"#).unwrap();
    assert!(direct.message.is_some());
}

#[test]
fn push_configuration_is_created_from_either_body() {
    let read = |text: &str| {
        let request: rest::CreatePushRequest<'static> = v1::read_params_text(text).unwrap();
        request.check().unwrap();
        written(&request.into_v1())
    };
    let expect = r#"{"id":"p","taskId":"t","url":"https://example.com/"}"#;
    for text in [
        r#"{"parent":"tasks/t","configId":"p","config":{"name":"tasks/t/pushNotificationConfigs/None","pushNotificationConfig":{"url":"https://example.com/","token":"","id":""}}}"#,
        r#"{"parent":"tasks/t","config":{"push_notification_config":{"url":"https://example.com/","id":"p"}}}"#,
        r#"{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":{"url":"https://example.com/","id":"p"}}"#,
    ] {
        assert_eq!(read(text), expect, "{text}");
    }
    for (name, task, push) in [
        ("tasks/t", Some("t"), None),
        ("tasks/t/pushNotificationConfigs/p", Some("t"), Some(("t", "p"))),
        ("tasks/t/pushNotificationConfigs/", Some("t"), None),
        ("tasks//pushNotificationConfigs/p", None, None),
        ("tasks/t/pushNotificationConfigs/p/q", Some("t"), Some(("t", "p/q"))),
        ("", None, None),
    ] {
        assert_eq!((rest::parse_task_name(name), rest::parse_push_name(name)), (task, push), "{name}");
    }
    assert_eq!(rest::parse_push_name(&rest::push_name("t", "p")), Some(("t", "p")));
    assert_eq!(rest::parse_task_name(&rest::task_name("t")), Some("t"));
}

#[test]
fn errors_have_statuses_of_0_3() {
    use v1::ErrorKind as Kind;
    for (kind, status) in [
        (Kind::TaskNotFound, 404),
        (Kind::InvalidParams, 422),
        (Kind::TaskNotCancelable, 409),
        (Kind::UnsupportedOperation, 501),
        (Kind::PushNotificationNotSupported, 501),
        (Kind::ContentTypeNotSupported, 415),
        (Kind::Parse, 400),
        (Kind::Unavailable, 503),
    ] {
        assert_eq!(rest::http_status(kind), status);
    }
    let error = v1::Error::new(Kind::TaskNotFound, baton_types::ErrorCode::INVALID_REQUEST, "no such task");
    let body = rest::error_body(&error);
    assert_eq!((body.code, body.message.as_str()), (-32001, "no such task"));
}

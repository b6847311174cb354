//! Specifics of 0.3 clients.

use baton_proto::v03::pb;
use baton_wire::a2a::v1 as wire;

fn file(bytes: &[u8]) -> pb::Part {
    let file = pb::file_part::File::FileWithBytes(bytes.to_vec().into());
    let file = pb::FilePart { file: Some(file), ..pb::FilePart::default() };
    pb::Part { part: Some(pb::part::Part::File(file)), metadata: None }
}

#[test]
fn file_content_is_base64_text_or_raw_bytes() {
    for (bytes, expect) in [
        (&b"aGVsbG8="[..], "aGVsbG8="),
        (b"", ""),
        (b"aGVsbG8", "YUdWc2JHOA=="),
        (b"\x00\xff\x10", "AP8Q"),
        (b"hello world", "aGVsbG8gd29ybGQ="),
    ] {
        assert_eq!(wire::Part::try_from(file(bytes)).unwrap().raw.as_deref(), Some(expect), "{bytes:?}");
    }
    let part = wire::Part { raw: Some("-_8".into()), ..wire::Part::default() };
    assert_eq!(pb::Part::try_from(part).unwrap(), file(b"+/8="));
}

#[test]
fn only_a_configuration_can_request_a_non_blocking_send() {
    for (configuration, expect) in [
        (None, None),
        (Some(pb::SendMessageConfiguration::default()), Some(true)),
        (Some(pb::SendMessageConfiguration { blocking: true, ..Default::default() }), Some(false)),
    ] {
        let request = pb::SendMessageRequest { configuration, ..pb::SendMessageRequest::default() };
        let read = wire::SendMessageRequest::try_from(request).unwrap();
        assert_eq!(read.configuration.map(|configuration| configuration.return_immediately), expect);
    }
    let written = pb::SendMessageRequest::try_from(wire::SendMessageRequest::default()).unwrap();
    assert!(written.configuration.unwrap().blocking);
}

#[test]
fn push_configuration_id_is_read_from_either_field() {
    for (inner, outer, expect) in [("", "", ""), ("a", "", "a"), ("", "b", "b"), ("a", "b", "a")] {
        let config = pb::PushNotificationConfig { id: inner.to_owned(), ..pb::PushNotificationConfig::default() };
        let request = pb::CreateTaskPushNotificationConfigRequest {
            parent: "tasks/t1".to_owned(),
            config_id: outer.to_owned(),
            config: Some(pb::TaskPushNotificationConfig {
                name: "tasks/t1/pushNotificationConfigs/None".to_owned(),
                push_notification_config: Some(config),
            }),
        };
        let read = wire::TaskPushNotificationConfig::try_from(request).unwrap();
        assert_eq!((read.task_id.as_ref(), read.id.as_ref()), ("t1", expect));
    }
}

#[test]
fn card_without_a_v03_interface_is_rejected() {
    let error = pb::AgentCard::try_from(wire::AgentCard::default()).unwrap_err();
    assert!(error.message.ends_with("supportedInterfaces: no interface supports 0.3"), "{error}");
}

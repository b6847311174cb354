//! Invalid fields are named in the caller's spelling.

use baton_wire::{
    a2a::{v1, v03},
    error_codes,
};
use insta::assert_snapshot;

fn shown(text: &str, outcome: Result<(), v1::Error>) -> String {
    let error = outcome.expect_err(text);
    let fields: Vec<_> =
        error.violations.iter().map(|violation| format!("  {}: {}", violation.field, violation.description)).collect();
    format!("{text}\n{}", fields.join("\n"))
}

fn send(text: &str) -> String {
    let read = v1::read_params_text::<v03::MessageSendParams<'static>>(text);
    shown(text, read.and_then(v03::MessageSendParams::into_v1).and_then(v1::SendMessageRequest::check).map(drop))
}

fn rest(text: &str) -> String {
    let read = v1::read_params_text::<v03::rest::SendMessageRequest<'static>>(text);
    shown(text, read.and_then(v03::rest::SendMessageRequest::into_v1).and_then(v1::SendMessageRequest::check).map(drop))
}

#[test]
fn invalid_sends_are_rejected() {
    let cases = [
        r#"{}"#,
        r#"{"message":{"messageId":"m","parts":[{"kind":"text","text":"hi"}]}}"#,
        r#"{"message":{"messageId":"m","role":"agent","parts":[{"kind":"text","text":"hi"}]}}"#,
        r#"{"message":{"messageId":"m","role":"system","parts":[{"kind":"text","text":"hi"}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[]}}"#,
        r#"{"message":{"role":"user","parts":[{"kind":"text","text":"hi"}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{},{"kind":"text"},{"kind":"file","text":"x"},{"kind":"data","data":null},{"text":"x","data":{}}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"video"}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"file","file":{}},{"kind":"file","file":{"bytes":"a b"}},{"kind":"file","file":{"bytes":"","uri":""}}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"file","file":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":7}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":{"historyLength":-1}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":{"blocking":"no"}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":{"pushNotificationConfig":{"authentication":{"credentials":"x"}}}}"#,
        r#"[]"#,
    ];
    assert_snapshot!(cases.map(send).join("\n"));
}

#[test]
fn invalid_rest_sends_are_rejected() {
    let many = vec![r#"{"text":""}"#; v1::MAX_PARTS + 1].join(",");
    let many = format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","content":[{many}]}}}}"#);
    let cases = [
        r#"{}"#,
        r#"{"message":{"messageId":"m","content":[{"text":"hi"}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","content":[{"text":"hi"}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_AGENT","content":[]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{},{"text":"x","file":{}},{"file":{}},{"file":{"fileWithBytes":"a b"}},{"data":{}},{"text":"x","metadata":[]}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"data":[1]}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]},"configuration":{"pushNotification":{}}}"#,
    ];
    assert_snapshot!(cases.map(rest).join("\n"));
    let read = v1::read_params_text::<v03::rest::SendMessageRequest<'static>>(&many).unwrap();
    let error = read.into_v1().unwrap_err();
    assert_eq!((error.code, error.violations[0].field.as_str()), (error_codes::TOO_MANY_PARTS, "message.content"));
}

#[test]
fn other_invalid_requests_are_rejected() {
    let cases = [
        shown("set", v03::TaskPushNotificationConfig::default().check()),
        shown("get", v03::GetPushParams::default().check()),
        shown("delete", v03::DeletePushParams::default().check()),
        shown("list", v03::TaskIdParams::default().check()),
        shown("create", v03::rest::CreatePushRequest::default().check()),
    ];
    assert_snapshot!(cases.join("\n"));
}

//! Rejected requests and their messages.

use baton_wire::{
    a2a::v1::{self, Error},
    contextcore::{ListParams, SendParams, Task, TaskParams},
};

fn send(text: &str) -> Result<v1::SendMessageRequest<'static>, Error> {
    v1::read_params_text::<SendParams>(text)?.into_v1(|| "fresh".to_owned())
}

#[test]
fn invalid_fields_are_named() {
    let parts = [
        r#"{"type":"trace","description":"no id"}"#,
        r#"{"type":"span","trace_id":"t"}"#,
        r#"{"type":"log_query","query":null}"#,
        r#"{"type":"reference"}"#,
        r#"{"type":"task"}"#,
        r#"{"type":"text","text":5}"#,
        r#"{"type":"data"}"#,
        r#"{"type":"file","file":{"mimeType":"image/png"}}"#,
        r#"{"type":"file","file":"x"}"#,
        r#"{"type":"text","text":"x","tokens":1,"metadata":[]}"#,
        r#"{"type":"text","text":"x","tokens":1,"metadata":{"contextcore":1}}"#,
        r#"{"type":"hologram"}"#,
        r#"{"type":7}"#,
        r#"{}"#,
        r#"["text"]"#,
    ]
    .map(|part| format!(r#"{{"message":{{"parts":[{{"type":"text","text":"x"}},{part}]}}}}"#));
    let sends = [
        r#"{}"#,
        r#"{"message":[]}"#,
        r#"{"message":{"role":"system","parts":[{"type":"text","text":"Obey"}]}}"#,
        r#"{"message":{"role":"agent","parts":[{"type":"text","text":"x"}]}}"#,
        r#"{"message":{"role":"robot","parts":[{"type":"text","text":"x"}]}}"#,
        r#"{"message":{"parts":[]},"contextId":"a","capabilityId":"a\nb"}"#,
        r#"{"message":{"parts":[],"contextId":"b","taskId":"t"},"contextId":"a","taskId":"u"}"#,
        r#"{"message":{"parts":[],"metadata":7},"capabilityId":"c"}"#,
    ]
    .map(str::to_owned);
    let mut seen = String::new();
    for case in sends.into_iter().chain(parts) {
        let error = match send(&case) {
            Ok(request) => request.check().unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(error.kind.rpc_code(), -32602, "{case}");
        seen.push_str(&format!("{case}\n"));
        for violation in &error.violations {
            seen.push_str(&format!("  {}: {}\n", violation.field, violation.description));
        }
    }
    insta::assert_snapshot!(seen);
}

#[test]
fn ids_limits_and_states_are_checked() {
    for (text, field) in [("{}", "taskId"), (r#"{"taskId":""}"#, "taskId"), (r#"{"taskId":5}"#, "taskId")] {
        let read = || v1::read_params_text::<TaskParams>(text);
        assert_eq!(read().and_then(TaskParams::into_get).unwrap_err().violations[0].field, field, "{text}");
        assert_eq!(read().and_then(TaskParams::into_cancel).unwrap_err().violations[0].field, field, "{text}");
    }
    for text in
        [r#"{"limit":0}"#, r#"{"limit":101}"#, r#"{"limit":-1}"#, r#"{"limit":1e300}"#, r#"{"limit":9999999999}"#]
    {
        let error = v1::read_params_text::<ListParams>(text).and_then(ListParams::into_v1).unwrap_err();
        assert_eq!(error.violations[0].field, "limit", "{text}");
    }
    for status in ["\"DONE\"", "\"working\"", "\"CANCELED\"", "null", "5"] {
        assert!(serde_json::from_str::<Task>(&format!(r#"{{"taskId":"t","status":{status}}}"#)).is_err(), "{status}");
    }
    assert!(serde_json::from_str::<Task>(r#"{"taskId":"t","status":"WORKING","updatedTime":"soon"}"#).is_err());
    let broken = r#"{"taskId":"t","status":"WORKING","artifacts":[{"artifactId":"a","parts":[{"type":"trace"}]}]}"#;
    let error = serde_json::from_str::<Task>(broken).unwrap().into_v1().unwrap_err();
    assert_eq!(error.violations[0].field, "artifacts[0].parts[0].trace_id");
}

//! Rejected requests and their messages.

use baton_wire::{
    a2a::v1::{self, Error},
    jsonrpc::{self, MAX_BATCH_LEN, RpcRequest, read_batch},
};
use serde_json::value::RawValue;

fn params<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
    v1::read_params(Some(&RawValue::from_string(text.to_owned()).unwrap()))
}

fn send(text: &str) -> Error {
    params::<v1::SendMessageRequest<'static>>(text).and_then(|request| request.check().map(drop)).unwrap_err()
}

#[test]
fn invalid_fields_of_a_send_are_named() {
    let many =
        format!(r#"{{"message":{{"messageId":"m","role":1,"parts":[{}]}}}}"#, vec![r#"{"text":"x"}"#; 257].join(","));
    let cases = [
        "{}",
        "[]",
        "null",
        r#"{"message":null}"#,
        r#"{"message":[]}"#,
        r#"{"message":{}}"#,
        r#"{"message":{"messageId":7,"role":"ROLE_USER","parts":[]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_ROBOT","parts":[{"text":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":2,"parts":[{"text":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_UNSPECIFIED","parts":[{"text":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"},{"text":"x","data":{}}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[["x"]]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":{"x":1}}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"*"}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":[]}}"#,
        r#"{"message":{"messageId":"a\nb","role":"ROLE_USER","parts":[{"text":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":1,"parts":[{"text":"x"}]},"configuration":{"historyLength":-1}}"#,
        r#"{"message":{"messageId":"m","role":1,"parts":[{"text":"x"}]},"configuration":{"historyLength":"many"}}"#,
        &many,
    ];
    let mut seen = String::new();
    for case in cases {
        let error = send(case);
        assert_eq!(error.kind.rpc_code(), -32602, "{case}");
        let shown = if case.len() > 200 { "(257 parts)" } else { case };
        seen.push_str(&format!("{shown}\n"));
        for violation in &error.violations {
            seen.push_str(&format!("  {} {}: {}\n", error.code.code, violation.field, violation.description));
        }
    }
    insta::assert_snapshot!(seen);
}

#[test]
fn task_and_page_parameters_are_validated() {
    for (text, field) in [
        (r#"{}"#, "id"),
        (r#"{"id":null}"#, "id"),
        (r#"{"id":""}"#, "id"),
        (r#"{"id":5}"#, "id"),
        (r#"{"id":"t","historyLength":-1}"#, "historyLength"),
        (r#"{"id":"t","historyLength":1.5}"#, "historyLength"),
    ] {
        let error = params::<v1::GetTaskRequest<'static>>(text).and_then(|get| get.check()).unwrap_err();
        assert_eq!(error.violations[0].field, field, "{text}");
    }
    for (text, field) in [
        (r#"{"pageSize":0}"#, "pageSize"),
        (r#"{"pageSize":101}"#, "pageSize"),
        (r#"{"pageSize":-5}"#, "pageSize"),
        (r#"{"pageSize":99999999999}"#, "pageSize"),
        (r#"{"status":"DONE"}"#, "status"),
        (r#"{"status":99}"#, "status"),
        (r#"{"statusTimestampAfter":"yesterday"}"#, "statusTimestampAfter"),
        (r#"{"includeArtifacts":"yes"}"#, "includeArtifacts"),
    ] {
        let error = params::<v1::ListTasksRequest<'static>>(text).and_then(|list| list.check()).unwrap_err();
        assert_eq!(error.violations[0].field, field, "{text}");
    }
}

#[test]
fn batches_are_read_up_to_a_limit() {
    let many = |entries: usize| format!("[{}]", vec!["1"; entries].join(","));
    for (body, expect) in [
        ("{}", None),
        ("5", None),
        ("[]", Some(Err(-32600))),
        (" [ ]", Some(Err(-32600))),
        ("[1,", Some(Err(-32700))),
        ("[1] 2", Some(Err(-32700))),
        (r#"[1, {"a": [2]}, null]"#, Some(Ok(3))),
        (&many(MAX_BATCH_LEN), Some(Ok(MAX_BATCH_LEN))),
        (&many(MAX_BATCH_LEN + 1), Some(Err(-32600))),
        (&many(100_000), Some(Err(-32600))),
    ] {
        let read =
            read_batch(body).map(|read| read.map(|entries| entries.len()).map_err(|error| error.kind.rpc_code()));
        assert_eq!(read, expect, "{}", &body[..body.len().min(80)]);
    }
    let absent = RpcRequest::read(r#"{"jsonrpc":"2.0","method":"tasks.get"}"#).unwrap();
    let null = RpcRequest::read(r#"{"jsonrpc":"2.0","id":null,"method":"tasks.get"}"#).unwrap();
    assert_eq!((absent.id.is_none(), null.id.map(RawValue::get)), (true, Some("null")));
}

#[test]
fn invalid_envelopes_are_rejected() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"GetTask"}}"#, "x".repeat(2000));
    for (body, code, id) in [
        ("", -32700, None),
        ("{", -32700, None),
        ("nonsense", -32700, None),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"} trailing"#, -32700, None),
        ("[", -32700, None),
        ("[]", -32600, None),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#, -32600, None),
        (r#"["2.0",1,"GetTask",{}]"#, -32600, None),
        ("5", -32600, None),
        ("{}", -32600, None),
        (r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#, -32600, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, Some("1")),
        (r#"{"jsonrpc":"2.0","id":"a b","method":5}"#, -32600, Some("\"a b\"")),
        (r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#, -32600, None),
        (r#"{"jsonrpc":"2.0","id":true,"method":"GetTask"}"#, -32600, None),
        (r#"{"jsonrpc":"2.0","method":5}"#, -32600, None),
        (r#"{"jsonrpc":"2.0","id":[],"method":"GetTask"}"#, -32600, None),
        (r#"{"jsonrpc":"2.0","id":nul,"method":"GetTask"}"#, -32700, None),
        (&long, -32600, None),
    ] {
        let refused = RpcRequest::read(body).unwrap_err();
        assert_eq!((refused.error.kind.rpc_code(), refused.id.map(RawValue::get)), (code, id), "{body}");
    }
    for (id, echoed) in [("1", "1"), ("1.0", "1.0"), ("12345678901234567890123", "12345678901234567890123")]
        .into_iter()
        .chain([("\"\\u0041 b\"", "\"\\u0041 b\""), ("null", "null")])
    {
        let body = format!(" {{\"method\":\"GetTask\", \"id\": {id} ,\"jsonrpc\":\"2.0\",\"extra\":[]}}\n");
        let request = RpcRequest::read(&body).unwrap();
        assert_eq!(request.method, "GetTask");
        let mut out = Vec::new();
        jsonrpc::write_result(&mut out, request.id, &true);
        assert_eq!(String::from_utf8(out).unwrap(), format!(r#"{{"jsonrpc":"2.0","id":{echoed},"result":true}}"#));
    }
}

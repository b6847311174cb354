//! Messages to an MCP endpoint.

use baton_client::{McpKind, McpMessage, McpMessageError, ToolHeaders};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

#[test]
fn messages_are_classified() {
    for (line, expect) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Ok((McpKind::Request, Some("1")))),
        (r#"{"jsonrpc":"2.0","id":"a b","method":"ping"}"#, Ok((McpKind::Request, Some("\"a b\"")))),
        (r#" {"jsonrpc":"2.0","method":"notifications/initialized"} "#, Ok((McpKind::Notification, None))),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, Ok((McpKind::Response, Some("7")))),
        (r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}"#, Ok((McpKind::Response, Some("7")))),
        (r#"{"jsonrpc":"2.0","id":7}"#, Err(Some("7"))),
        (r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, Err(None)),
        (r#"{"id":7,"method":"ping"}"#, Err(Some("7"))),
        (r#"{"error":{"code":404,"message":"no"}}"#, Err(None)),
        ("hello", Err(None)),
        ("", Err(None)),
        ("42", Err(None)),
    ] {
        let read = McpMessage::parse(line);
        let read = read.as_ref().map(|message| (message.kind, message.id.as_deref()));
        let read = read.map_err(|error| match error {
            McpMessageError::NotMessage { id, .. } => id.as_deref(),
            McpMessageError::NotJson(_) => None,
        });
        assert_eq!(read, expect, "{line}");
    }
}

#[test]
fn message_is_one_line_and_keeps_digits_under_a_new_id() {
    let text =
        "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"method\":\"initialize\",\"params\":{\"n\":12345678901234567890123}}";
    let message = McpMessage::parse(text).unwrap();
    assert!(!message.text.contains(['\n', '\r']));
    let other = message.with_id("\"again\"").unwrap();
    assert!(other.is_request("initialize") && other.text.contains("\"id\":\"again\""), "{}", other.text);
    assert!(other.text.contains("12345678901234567890123"), "{}", other.text);
}

#[test]
fn versioned_requests_repeat_method_and_name_in_headers() {
    let mut headers = ToolHeaders::default();
    headers.learn(
        r#"{"id":1,"result":{"tools":[
            {"name":"sail","inputSchema":{"properties":{
                "region":{"type":"string","x-mcp-header":"Region"},
                "wind":{"type":"object","properties":{"knots":{"type":"integer","x-mcp-header":"Knots"}}},
                "bad":{"type":"string","x-mcp-header":"two words"}}}},
            {"name":"plain","inputSchema":{"type":"object"}}]}}"#,
    );
    let of = |method: &str, params: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{META}}}}}"#);
        let all = headers.for_message(&McpMessage::parse(&text).unwrap());
        all.into_iter().skip(1).map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
    };
    for (method, params, expect) in [
        ("tools/list", "", vec!["Mcp-Method: tools/list"]),
        ("tools/call", r#""name":"plain","#, vec!["Mcp-Method: tools/call", "Mcp-Name: plain"]),
        (
            "tools/call",
            r#""name":"sail","arguments":{"region":"Ærø","wind":{"knots":12},"bad":"x"},"#,
            vec![
                "Mcp-Method: tools/call",
                "Mcp-Name: sail",
                "Mcp-Param-Region: =?base64?w4Zyw7g=?=",
                "Mcp-Param-Knots: 12",
            ],
        ),
        (
            "tools/call",
            r#""name":"sail","arguments":{"region":[1]},"#,
            vec!["Mcp-Method: tools/call", "Mcp-Name: sail"],
        ),
        ("resources/read", r#""uri":" x","#, vec!["Mcp-Method: resources/read", "Mcp-Name: =?base64?IHg=?="]),
        (
            "prompts/get",
            r#""name":"=?base64?eA==?=","#,
            vec!["Mcp-Method: prompts/get", "Mcp-Name: =?base64?PT9iYXNlNjQ/ZUE9PT89?="],
        ),
    ] {
        assert_eq!(of(method, params), expect, "{method} {params}");
    }
    let session = McpMessage::parse(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sail"}}"#);
    assert_eq!(headers.for_message(&session.unwrap()), []);
}

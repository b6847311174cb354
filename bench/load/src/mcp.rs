//! MCP tool calls over streamable HTTP, one after another on one connection with keep-alive.
//!
//! Every call adds a unique pair of numbers. In the newest protocol version calls are independent; in the older one a
//! connection opens a session first and ends it afterwards.

use crate::{
    check,
    connection::{ExchangeOutcome, PARSE_INTERVAL},
    http1::{Http1Stream, excerpt},
    options::LoadOptions,
    protocol::McpVersion,
    request::{PLACEHOLDER, RequestTemplate},
};
use memchr::memmem;
use serde_json::{Value, json};

/// Prefixes of the first and the second operand: JSON numbers have no leading zeros.
const OPERAND_BASES: [u64; 2] = [1_000_000_000_000, 2_000_000_000_000];

/// A connection with its request template.
pub struct McpConnection {
    wire: Http1Stream,
    template: RequestTemplate,
    end_request: Option<Vec<u8>>,
    exchanges: u64,
}

impl McpConnection {
    /// Connects, and opens a session if the version has sessions.
    pub async fn open(options: &LoadOptions, version: McpVersion) -> Result<Self, String> {
        let mut wire = Http1Stream::open(options).await?;
        let session = match version {
            McpVersion::Modern => None,
            McpVersion::Legacy => Some(open_session(&mut wire, options).await?),
        };
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        let (template, end_request) = match &session {
            None => (modern_call(options), None),
            Some(session) => (legacy_call(options, session), Some(request(options, "DELETE", version, session, ""))),
        };
        Ok(Self { wire, template: RequestTemplate::new(template), end_request, exchanges: 0 })
    }

    /// Makes call `number` and reads its response to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<ExchangeOutcome, String> {
        let (head, content) = self.wire.exchange(self.template.numbered(number)).await?;
        head.expect(200, &content)?;
        self.exchanges += 1;
        let thorough = self.exchanges % PARSE_INTERVAL == 1;
        let checked = is_sum(&content, OPERAND_BASES.iter().sum::<u64>() + 2 * number, thorough);
        checked.map_err(|wrong| format!("{wrong}: {}", excerpt(&content)))?;
        Ok(ExchangeOutcome { events: 1, first_event: None, reusable: !head.close })
    }

    /// Ends the session, if there is one.
    pub async fn close(mut self) -> Result<(), String> {
        let Some(end_request) = self.end_request.take() else { return Ok(()) };
        let (head, content) = self.wire.exchange(&end_request).await?;
        if head.status < 300 { Ok(()) } else { head.expect(200, &content) }
    }
}

/// Sends `initialize`; returns the session id.
async fn open_session(wire: &mut Http1Stream, options: &LoadOptions) -> Result<String, String> {
    let version = McpVersion::Legacy;
    let params = json!({
        "protocolVersion": version.as_str(),
        "capabilities": {},
        "clientInfo": { "name": "load", "version": env!("CARGO_PKG_VERSION") },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let (head, content) = wire.exchange(&request(options, "POST", version, "", &initialize.to_string())).await?;
    head.expect(200, &content)?;
    let id = wire.header("mcp-session-id").ok_or("the server opened no session")?.to_owned();
    let session = format!("Mcp-Session-Id: {id}\r\n");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let (head, content) = wire.exchange(&request(options, "POST", version, &session, &initialized.to_string())).await?;
    head.expect(202, &content)?;
    Ok(id)
}

fn modern_call(options: &LoadOptions) -> Vec<u8> {
    let version = McpVersion::Modern.as_str();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "load", "version": env!("CARGO_PKG_VERSION") },
    });
    let headers = "Mcp-Method: tools/call\r\nMcp-Name: add\r\n";
    request(options, "POST", McpVersion::Modern, headers, &call(&format!(r#","_meta":{meta}"#)))
}

fn legacy_call(options: &LoadOptions, session: &str) -> Vec<u8> {
    request(options, "POST", McpVersion::Legacy, session, &call(""))
}

fn call(more: &str) -> String {
    let [a, b] = OPERAND_BASES.map(|base| base / 1_000_000_000_000);
    let arguments = format!(r#"{{"a":{a}{PLACEHOLDER},"b":{b}{PLACEHOLDER}}}"#);
    let params = format!(r#"{{"name":"add","arguments":{arguments}{more}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{a}{PLACEHOLDER},"method":"tools/call","params":{params}}}"#)
}

fn request(options: &LoadOptions, method: &str, version: McpVersion, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        options.path,
        options.address,
        version.as_str(),
        body.len()
    )
    .into_bytes()
}

/// Checks that the reply contains the sum and no error; a thorough check parses it.
fn is_sum(content: &[u8], sum: u64, thorough: bool) -> Result<(), String> {
    check::contains_all(content, &[br#""result":"#, br#""structuredContent":"#, sum.to_string().as_bytes()])?;
    if memmem::find(content, br#""isError":true"#).is_some() {
        return Err("the call failed".to_owned());
    }
    if !thorough {
        return Ok(());
    }
    let reply: Value = serde_json::from_slice(message(content)).map_err(|error| format!("not JSON ({error})"))?;
    let result = &reply["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let parsed: Value = serde_json::from_str(text).unwrap_or_default();
    match result["structuredContent"]["sum"] == sum && parsed["sum"] == sum {
        true => Ok(()),
        false => Err(format!("text and structured content do not both contain {sum}")),
    }
}

/// The message of a plain reply, or the last one of a stream.
fn message(content: &[u8]) -> &[u8] {
    if content.starts_with(b"{") {
        return content;
    }
    let lines = content.split(|byte| *byte == b'\n').rev();
    lines.filter_map(|line| line.strip_prefix(b"data:")).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_in_replies_and_streams() {
        let reply = |sum: u64| {
            let content = json!([{ "type": "text", "text": json!({ "sum": sum }).to_string() }]);
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": content, "structuredContent": { "sum": sum } } })
        };
        let plain = reply(12).to_string();
        let stream = format!("data: \nid: 0/0\nretry: 3000\n\ndata: {plain}\nid: 1/0\n\n");
        for content in [&plain, &stream] {
            assert_eq!(is_sum(content.as_bytes(), 12, true), Ok(()));
            assert!(is_sum(content.as_bytes(), 13, false).is_err());
            assert!(is_sum(content.as_bytes(), 1, true).is_err());
        }
        let failed = plain.replace(r#""result":{"#, r#""result":{"isError":true,"#);
        assert!(is_sum(failed.as_bytes(), 12, false).is_err());
    }
}

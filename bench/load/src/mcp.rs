//! Tool calls of MCP over streamable HTTP, one after another on one keep-alive connection.
//!
//! Every call adds two numbers that no other call adds. In the newest version a call stands alone; in the older one a
//! connection opens a session first, and ends it when it is no longer needed.

use crate::{
    check,
    connection::{Outcome, PARSE_EVERY},
    http1::{Wire, excerpt},
    options::Options,
    protocol::Era,
    request::{HOLE, Template},
};
use memchr::memmem;
use serde_json::{Value, json};

/// What stands before the digits of the first number, and of the second: JSON numbers begin with no zero.
const LEADING: [u64; 2] = [1_000_000_000_000, 2_000_000_000_000];

/// A connection and what it asks.
pub struct Connection {
    wire: Wire,
    template: Template,
    farewell: Option<Vec<u8>>,
    exchanges: u64,
}

impl Connection {
    /// Connects, and opens a session where the version has them.
    pub async fn open(options: &Options, era: Era) -> Result<Self, String> {
        let mut wire = Wire::open(options).await?;
        let session = match era {
            Era::Modern => None,
            Era::Legacy => Some(open_session(&mut wire, options).await?),
        };
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        let (template, farewell) = match &session {
            None => (modern_call(options), None),
            Some(session) => (legacy_call(options, session), Some(request(options, "DELETE", era, session, ""))),
        };
        Ok(Self { wire, template: Template::of(template), farewell, exchanges: 0 })
    }

    /// Makes call `number` and reads its answer to the end.
    pub async fn exchange(&mut self, number: u64) -> Result<Outcome, String> {
        let (head, content) = self.wire.exchange(self.template.numbered(number)).await?;
        head.expect(200, &content)?;
        self.exchanges += 1;
        let thorough = self.exchanges % PARSE_EVERY == 1;
        let checked = is_sum(&content, LEADING.iter().sum::<u64>() + 2 * number, thorough);
        checked.map_err(|wrong| format!("{wrong}: {}", excerpt(&content)))?;
        Ok(Outcome { events: 1, first_event: None, reusable: !head.close })
    }

    /// Ends the session, if there is one.
    pub async fn close(mut self) -> Result<(), String> {
        let Some(farewell) = self.farewell.take() else { return Ok(()) };
        let (head, content) = self.wire.exchange(&farewell).await?;
        if head.status < 300 { Ok(()) } else { head.expect(200, &content) }
    }
}

/// Introduces itself; the id of the session.
async fn open_session(wire: &mut Wire, options: &Options) -> Result<String, String> {
    let era = Era::Legacy;
    let params = json!({
        "protocolVersion": era.version(),
        "capabilities": {},
        "clientInfo": { "name": "load", "version": env!("CARGO_PKG_VERSION") },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let (head, content) = wire.exchange(&request(options, "POST", era, "", &initialize.to_string())).await?;
    head.expect(200, &content)?;
    let id = wire.header("mcp-session-id").ok_or("the server opened no session")?.to_owned();
    let session = format!("Mcp-Session-Id: {id}\r\n");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let (head, content) = wire.exchange(&request(options, "POST", era, &session, &initialized.to_string())).await?;
    head.expect(202, &content)?;
    Ok(id)
}

fn modern_call(options: &Options) -> Vec<u8> {
    let version = Era::Modern.version();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "load", "version": env!("CARGO_PKG_VERSION") },
    });
    let headers = "Mcp-Method: tools/call\r\nMcp-Name: add\r\n";
    request(options, "POST", Era::Modern, headers, &call(&format!(r#","_meta":{meta}"#)))
}

fn legacy_call(options: &Options, session: &str) -> Vec<u8> {
    request(options, "POST", Era::Legacy, session, &call(""))
}

fn call(more: &str) -> String {
    let [a, b] = LEADING.map(|leading| leading / 1_000_000_000_000);
    let arguments = format!(r#"{{"a":{a}{HOLE},"b":{b}{HOLE}}}"#);
    let params = format!(r#"{{"name":"add","arguments":{arguments}{more}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{a}{HOLE},"method":"tools/call","params":{params}}}"#)
}

fn request(options: &Options, method: &str, era: Era, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        options.path,
        options.address,
        era.version(),
        body.len()
    )
    .into_bytes()
}

/// Every answer holds its own sum and is no failure; some are looked at member by member.
fn is_sum(content: &[u8], sum: u64, thorough: bool) -> Result<(), String> {
    check::marks(content, &[br#""result":"#, br#""structuredContent":"#, sum.to_string().as_bytes()])?;
    if memmem::find(content, br#""isError":true"#).is_some() {
        return Err("the call failed".to_owned());
    }
    if !thorough {
        return Ok(());
    }
    let reply: Value = serde_json::from_slice(message(content)).map_err(|error| format!("not JSON ({error})"))?;
    let result = &reply["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let said: Value = serde_json::from_str(text).unwrap_or_default();
    match result["structuredContent"]["sum"] == sum && said["sum"] == sum {
        true => Ok(()),
        false => Err(format!("text and structure do not both say {sum}")),
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

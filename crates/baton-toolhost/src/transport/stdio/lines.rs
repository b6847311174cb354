//! Filters a program's standard output for messages, within limits.

use crate::ServerLog;
use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

/// Maximum length of a message.
pub(super) const MAX_LINE: usize = 16 << 20;
/// Maximum consecutive output that is not a message; more counts as flooding.
const MAX_NOISE_LINES: usize = 10_000;
const MAX_NOISE: usize = 8 << 20;
const MAX_DEPTH: usize = 120;
/// Bytes kept from both ends of an overlong line, to find its request id.
const KEPT_END_BYTES: usize = 256;

/// Passes on complete lines that look like messages; all other output is dropped and logged once.
pub(super) struct MessageLineFilter<R> {
    source: R,
    log: ServerLog,
    line: Vec<u8>,
    /// Bytes of a complete line that were already returned.
    returned_bytes: Option<usize>,
    /// Both ends of a line that exceeds the limit.
    overlong: Option<(Vec<u8>, Vec<u8>)>,
    noise: (usize, usize),
    noise_logged: bool,
    is_ended: bool,
}

impl<R: AsyncBufRead + Unpin> MessageLineFilter<R> {
    pub(super) fn new(source: R, log: ServerLog) -> Self {
        let (line, noise) = (Vec::new(), (0, 0));
        Self { source, log, line, returned_bytes: None, overlong: None, noise, noise_logged: false, is_ended: false }
    }

    /// Consumes input; returns the consumed bytes and whether a line is complete.
    fn consume_input(&mut self, available: &[u8]) -> (usize, bool) {
        let end = available.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(available.len(), |at| at + 1);
        let part = &available[..count];
        match &mut self.overlong {
            Some((_, tail)) => {
                tail.extend_from_slice(&part[part.len().saturating_sub(KEPT_END_BYTES)..]);
                tail.drain(..tail.len().saturating_sub(KEPT_END_BYTES));
            }
            None if self.line.len() + count > MAX_LINE => {
                let head = self.line[..self.line.len().min(KEPT_END_BYTES)].to_vec();
                self.overlong = Some((head, part[part.len().saturating_sub(KEPT_END_BYTES)..].to_vec()));
                self.line = Vec::new();
            }
            None => self.line.extend_from_slice(part),
        }
        (count, end.is_some() && self.finish())
    }

    fn finish(&mut self) -> bool {
        if let Some((head, tail)) = self.overlong.take() {
            return self.drop_message("its answer was longer than 16 MiB and was dropped", &head, &tail);
        }
        if is_message(&self.line) {
            if is_too_deep(&self.line) {
                let line = std::mem::take(&mut self.line);
                let (head, tail) =
                    (&line[..line.len().min(KEPT_END_BYTES)], &line[line.len().saturating_sub(KEPT_END_BYTES)..]);
                return self.drop_message("its answer was nested deeper than 120 levels and was dropped", head, tail);
            }
            self.noise = (0, 0);
            self.returned_bytes = Some(0);
            return true;
        }
        self.noise = (self.noise.0 + 1, self.noise.1 + self.line.len());
        if !self.noise_logged && !self.line.iter().all(u8::is_ascii_whitespace) {
            self.noise_logged = true;
            let shown = String::from_utf8_lossy(&self.line[..self.line.len().min(200)]).into_owned();
            self.log.push_line(&format!(
                "[baton] its output has lines that are not MCP messages; they are skipped: {shown}"
            ));
        }
        self.line.clear();
        if self.noise.0 > MAX_NOISE_LINES || self.noise.1 > MAX_NOISE {
            self.fault("it floods its output with text that is not MCP and was stopped".to_owned());
        }
        false
    }

    /// Handles a rejected message: its request fails, or the whole connection if the request is unknown.
    fn drop_message(&mut self, reason: &str, head: &[u8], tail: &[u8]) -> bool {
        self.log.push_line(&format!("[baton] {reason}"));
        let Some(id) = find_request_id(head, tail) else {
            self.fault(format!("{reason}, and the connection was closed"));
            return false;
        };
        let error = serde_json::json!({"code": -32603, "message": reason});
        self.line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").into_bytes();
        self.returned_bytes = Some(0);
        true
    }

    fn fault(&mut self, reason: String) {
        self.log.record_fault(reason);
        self.is_ended = true;
    }
}

impl<R: AsyncBufRead + Unpin> AsyncRead for MessageLineFilter<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if let Some(returned) = this.returned_bytes {
                let rest = &this.line[returned..];
                let count = rest.len().min(out.remaining());
                out.put_slice(&rest[..count]);
                this.returned_bytes = Some(returned + count);
                if returned + count == this.line.len() {
                    this.returned_bytes = None;
                    this.line.clear();
                    this.line.shrink_to(64 << 10);
                }
                return Poll::Ready(Ok(()));
            }
            if this.is_ended {
                return Poll::Ready(Ok(()));
            }
            let available = ready!(Pin::new(&mut this.source).poll_fill_buf(cx))?;
            if available.is_empty() {
                this.is_ended = true;
                continue;
            }
            let available = available.to_vec();
            let (count, _) = this.consume_input(&available);
            Pin::new(&mut this.source).consume(count);
        }
    }
}

/// Whether the line is an object with a `jsonrpc` member; the protocol parser checks the rest.
fn is_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    line.starts_with(b"{") && line.windows(9).any(|window| window == b"\"jsonrpc\"")
}

/// Whether the nesting exceeds the limit of the parser; brackets in strings do not count.
fn is_too_deep(line: &[u8]) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in line {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// The request id of a response, if found at either end: servers write it first or last.
fn find_request_id(head: &[u8], tail: &[u8]) -> Option<String> {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let before = head.split("\"result\"").next().filter(|before| before.len() < head.len()).unwrap_or_default();
    let first = before.split_once("\"id\":").and_then(|(_, rest)| rest.split([',', '}']).next());
    let last = || {
        let inside = tail.trim_end().strip_suffix('}')?;
        inside.rsplit_once("\"id\":").map(|(_, id)| id)
    };
    let id = first.or_else(last)?.trim();
    let is_id = id.parse::<i64>().is_ok() || serde_json::from_str::<String>(id).is_ok();
    is_id.then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, BufReader};

    async fn read(input: Vec<u8>) -> (String, ServerLog) {
        let log = ServerLog::default();
        let mut out = String::new();
        let mut lines = MessageLineFilter::new(BufReader::new(input.as_slice()), log.clone());
        lines.read_to_string(&mut out).await.unwrap();
        (out, log)
    }

    #[tokio::test]
    async fn noise_is_skipped_and_logged_once() {
        let (out, log) = read(b"hello\n{\"a\":1}\n\n{\"jsonrpc\":\"2.0\"}\r\nbye\n".to_vec()).await;
        assert_eq!(out, "{\"jsonrpc\":\"2.0\"}\r\n");
        assert_eq!(log.lines(), ["[baton] its output has lines that are not MCP messages; they are skipped: hello"]);
        assert_eq!(log.take_fault(), None);
    }

    #[tokio::test]
    async fn a_flood_ends_the_program() {
        let (out, log) = read(b"x\n".repeat(MAX_NOISE_LINES + 2)).await;
        assert_eq!(out, "");
        assert!(log.take_fault().unwrap().contains("floods"));
    }

    #[tokio::test]
    async fn an_overlong_answer_becomes_an_error_of_its_request() {
        let long = "x".repeat(MAX_LINE);
        for (input, id) in [
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"id\":9,\"t\":\"{long}\"}}}}\n"), "7"),
            (format!("{{\"result\":{{\"t\":\"{long}\",\"id\":9}},\"jsonrpc\":\"2.0\",\"id\":\"a\"}}\n"), "\"a\""),
        ] {
            let (out, _) = read(input.into_bytes()).await;
            assert!(out.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\"")), "{out}");
        }
        let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}{}}}\n", "[".repeat(200), "]".repeat(200));
        assert!(read(deep.into_bytes()).await.0.starts_with("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\""));
        let flat = format!("{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"\\\"{}\"}}\n", "[".repeat(200));
        assert_eq!(read(flat.clone().into_bytes()).await.0, flat);
        let (out, log) = read(format!("{{\"jsonrpc\":\"2.0\",\"params\":\"{long}\"}}\n").into_bytes()).await;
        assert_eq!(out, "");
        assert!(log.take_fault().unwrap().contains("16 MiB"));
    }
}

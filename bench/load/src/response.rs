//! Reading HTTP/1.1 responses: a length or chunks, nothing else.

use crate::http1::excerpt;
use memchr::memmem;

/// Larger responses are a mistake of the server.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// How the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// By its length.
    Length(usize),
    /// By an empty chunk.
    Chunked,
}

/// The part of a response before its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// How the body ends.
    pub framing: Framing,
    /// Whether the server closes the connection afterwards.
    pub close: bool,
    /// Where the body begins.
    pub length: usize,
}

impl Head {
    /// The status is this one; the body says why it is not.
    pub fn expect(&self, status: u16, body: &[u8]) -> Result<(), String> {
        if self.status == status { Ok(()) } else { Err(format!("status {}: {}", self.status, excerpt(body))) }
    }
}

/// A header of a response that has arrived.
pub fn header<'a>(bytes: &'a [u8], name: &str) -> Option<&'a str> {
    let end = memmem::find(bytes, b"\r\n\r\n")?;
    let mut lines = std::str::from_utf8(&bytes[..end]).ok()?.split("\r\n");
    let found = lines.find_map(|line| line.split_once(':').filter(|(found, _)| found.eq_ignore_ascii_case(name)));
    found.map(|(_, value)| value.trim())
}

/// Reads the head when all of it has arrived.
pub fn head(bytes: &[u8]) -> Result<Option<Head>, String> {
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else {
        return if bytes.len() > 64 * 1024 { Err("endless head".to_owned()) } else { Ok(None) };
    };
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| "head is not text")?;
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap_or_default().split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut head =
        Head { status: status.ok_or("no status")?, framing: Framing::Length(0), close: false, length: end + 4 };
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            head.framing = Framing::Length(value.parse().map_err(|_| "wrong content-length")?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            head.framing = Framing::Chunked;
        } else if name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close") {
            head.close = true;
        }
    }
    Ok(Some(head))
}

/// A body as it arrives.
#[derive(Default)]
pub struct Body {
    /// What has been decoded.
    pub content: Vec<u8>,
    /// Bytes of `input` that are decoded.
    used: usize,
}

impl Body {
    /// Decodes what `input` (everything after the head) holds so far; true when the body is complete.
    pub fn advance(&mut self, framing: Framing, input: &[u8]) -> Result<bool, String> {
        if input.len() > MAX_BODY {
            return Err("body is too large".to_owned());
        }
        match framing {
            Framing::Length(length) => {
                if input.len() < length {
                    return Ok(false);
                }
                self.content.extend_from_slice(&input[..length]);
                Ok(true)
            }
            Framing::Chunked => self.advance_chunks(input),
        }
    }

    fn advance_chunks(&mut self, input: &[u8]) -> Result<bool, String> {
        loop {
            let rest = &input[self.used..];
            let Some(line) = memmem::find(rest, b"\r\n") else { return Ok(false) };
            let size = std::str::from_utf8(&rest[..line]).unwrap_or_default();
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| format!("wrong chunk size '{size}'"))?;
            let end = line + 2 + size + 2;
            if rest.len() < end {
                return Ok(false);
            }
            self.content.extend_from_slice(&rest[line + 2..line + 2 + size]);
            self.used += end;
            if size == 0 {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_in_any_pieces() {
        let response = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n";
        for first in 0..response.len() {
            let Some(head) = head(&response[..first]).expect("well formed") else { continue };
            let mut body = Body::default();
            assert!(!body.advance(head.framing, &response[head.length..first]).expect("well formed"));
            assert!(body.advance(head.framing, &response[head.length..]).expect("well formed"));
            assert_eq!(body.content, b"hello!");
        }
    }

    #[test]
    fn a_body_of_known_length() {
        let response = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\ncontent-length: 2\r\n\r\nno";
        let head = head(response).expect("well formed").expect("complete");
        assert_eq!(head, Head { status: 413, framing: Framing::Length(2), close: true, length: 64 });
        let mut body = Body::default();
        assert!(!body.advance(head.framing, &response[head.length..head.length + 1]).expect("well formed"));
        assert!(body.advance(head.framing, &response[head.length..]).expect("well formed"));
        assert_eq!(body.content, b"no");
        assert_eq!(super::header(response, "connection"), Some("close"));
        assert_eq!(super::header(response, "length"), None);
    }
}

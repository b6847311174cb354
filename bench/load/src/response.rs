//! Parser of HTTP/1.1 responses with a length or chunked encoding.

use crate::http1::excerpt;
use memchr::memmem;

/// Upper bound of a response body; a larger one is an error of the server.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Delimiter of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyDelimiter {
    /// `Content-Length`.
    Length(usize),
    /// Chunked encoding.
    Chunked,
}

/// Status line and headers of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status code.
    pub status: u16,
    /// Delimiter of the body.
    pub framing: BodyDelimiter,
    /// Whether the server closes the connection after the response.
    pub close: bool,
    /// Offset of the body.
    pub length: usize,
}

impl ResponseHead {
    /// Fails with an excerpt of the body if the status is different.
    pub fn expect(&self, status: u16, body: &[u8]) -> Result<(), String> {
        if self.status == status { Ok(()) } else { Err(format!("status {}: {}", self.status, excerpt(body))) }
    }
}

/// A header of a received response.
pub fn header<'a>(bytes: &'a [u8], name: &str) -> Option<&'a str> {
    let end = memmem::find(bytes, b"\r\n\r\n")?;
    let mut lines = std::str::from_utf8(&bytes[..end]).ok()?.split("\r\n");
    let found = lines.find_map(|line| line.split_once(':').filter(|(found, _)| found.eq_ignore_ascii_case(name)));
    found.map(|(_, value)| value.trim())
}

/// Parses the head once it has arrived completely.
pub fn head(bytes: &[u8]) -> Result<Option<ResponseHead>, String> {
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else {
        return if bytes.len() > 64 * 1024 { Err("endless head".to_owned()) } else { Ok(None) };
    };
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| "head is not text")?;
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap_or_default().split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut head = ResponseHead {
        status: status.ok_or("no status")?,
        framing: BodyDelimiter::Length(0),
        close: false,
        length: end + 4,
    };
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            head.framing = BodyDelimiter::Length(value.parse().map_err(|_| "wrong content-length")?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            head.framing = BodyDelimiter::Chunked;
        } else if name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close") {
            head.close = true;
        }
    }
    Ok(Some(head))
}

/// An incremental body decoder.
#[derive(Default)]
pub struct BodyDecoder {
    /// Decoded bytes.
    pub content: Vec<u8>,
    /// Number of decoded bytes of `input`.
    used: usize,
}

impl BodyDecoder {
    /// Decodes the available part of `input` (everything after the head); `true` when the body is complete.
    pub fn advance(&mut self, framing: BodyDelimiter, input: &[u8]) -> Result<bool, String> {
        if input.len() > MAX_BODY_BYTES {
            return Err("body is too large".to_owned());
        }
        match framing {
            BodyDelimiter::Length(length) => {
                if input.len() < length {
                    return Ok(false);
                }
                self.content.extend_from_slice(&input[..length]);
                Ok(true)
            }
            BodyDelimiter::Chunked => self.advance_chunks(input),
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
            let mut body = BodyDecoder::default();
            assert!(!body.advance(head.framing, &response[head.length..first]).expect("well formed"));
            assert!(body.advance(head.framing, &response[head.length..]).expect("well formed"));
            assert_eq!(body.content, b"hello!");
        }
    }

    #[test]
    fn a_body_of_known_length() {
        let response = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\ncontent-length: 2\r\n\r\nno";
        let head = head(response).expect("well formed").expect("complete");
        assert_eq!(head, ResponseHead { status: 413, framing: BodyDelimiter::Length(2), close: true, length: 64 });
        let mut body = BodyDecoder::default();
        assert!(!body.advance(head.framing, &response[head.length..head.length + 1]).expect("well formed"));
        assert!(body.advance(head.framing, &response[head.length..]).expect("well formed"));
        assert_eq!(body.content, b"no");
        assert_eq!(super::header(response, "connection"), Some("close"));
        assert_eq!(super::header(response, "length"), None);
    }
}

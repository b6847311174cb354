//! The bytes of a request; only a number changes from one to the next.

use crate::options::{Mode, Options};

/// Digits of a request's number; always the same, so that the length of the body never changes.
const DIGITS: usize = 12;

/// A request with room for its number.
pub struct Template {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Template {
    /// The request of a measurement.
    pub fn new(options: &Options) -> Self {
        let method = match options.mode {
            Mode::Send | Mode::Submit => "SendMessage",
            Mode::Stream => "SendStreamingMessage",
        };
        let accept = match options.mode {
            Mode::Send | Mode::Submit => "application/json",
            Mode::Stream => "text/event-stream",
        };
        let immediately = options.mode == Mode::Submit;
        let hole = "#".repeat(DIGITS);
        let text = serde_json::Value::from(format!("{} {hole}", options.text));
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"message":{{"messageId":"m-{hole}","role":"ROLE_USER","parts":[{{"text":{text}}}]}},"configuration":{{"returnImmediately":{immediately}}}}}}}"#
        );
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: {accept}\r\nA2A-Version: 1.0\r\n\
             Content-Length: {}\r\n\r\n{body}",
            options.path,
            options.address,
            body.len()
        );
        let places = request.match_indices(&hole).map(|(at, _)| at).collect();
        Self { bytes: request.into_bytes(), places }
    }

    /// The request with this number.
    pub fn numbered(&mut self, number: u64) -> &[u8] {
        let digits = format!("{number:0DIGITS$}");
        for place in &self.places {
            self.bytes[*place..place + DIGITS].copy_from_slice(digits.as_bytes());
        }
        &self.bytes
    }
}

/// What the echo agent must answer to a numbered request.
pub fn expected_echo(text: &str, number: u64) -> String {
    format!("echo: {text} {number:0DIGITS$}")
}

//! The bytes of a request; only a number changes from one to the next.

use crate::{
    options::{Mode, Options},
    protocol::{Binding, Protocol, Version},
};
use baton_proto::{v1::pb as v1, v03::pb as v03};
use prost::Message as _;

/// Digits of a request's number; always the same, so that the length of the body never changes.
const DIGITS: usize = 12;

/// Where the number goes.
pub const HOLE: &str = "############";

/// A request with room for its number.
pub struct Template {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Template {
    /// The request of a measurement as HTTP/1.1.
    pub fn http1(options: &Options, protocol: Protocol) -> Self {
        let body = json(options, protocol);
        let accept = if options.mode == Mode::Stream { "text/event-stream" } else { "application/json" };
        Self::of(
            format!(
                "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: {accept}\r\n\
                 A2A-Version: {}\r\nContent-Length: {}\r\n\r\n{body}",
                path(options, protocol),
                options.address,
                protocol.version.header(),
                body.len()
            )
            .into_bytes(),
        )
    }

    /// The request of a measurement as one gRPC message with its prefix.
    pub fn grpc(options: &Options, version: Version) -> Self {
        let message = message(options, version);
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        let mut bytes = vec![0];
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&message);
        Self::of(bytes)
    }

    /// These bytes, with a number wherever [`HOLE`] is.
    pub fn of(bytes: Vec<u8>) -> Self {
        let places = memchr::memmem::find_iter(&bytes, HOLE).collect();
        Self { bytes, places }
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

/// The path that an operation has.
pub fn path(options: &Options, protocol: Protocol) -> String {
    let (rest, rpc) = match options.mode {
        Mode::Send | Mode::Submit => ("message:send", "SendMessage"),
        Mode::Stream => ("message:stream", "SendStreamingMessage"),
    };
    let base = options.path.trim_end_matches('/');
    match (protocol.binding, protocol.version) {
        (Binding::JsonRpc, _) => options.path.clone(),
        (Binding::HttpJson, Version::V1) => format!("{base}/{rest}"),
        (Binding::HttpJson, Version::V03) => format!("{base}/v1/{rest}"),
        (Binding::Grpc, Version::V1) => format!("/lf.a2a.v1.A2AService/{rpc}"),
        (Binding::Grpc, Version::V03) => format!("/a2a.v1.A2AService/{rpc}"),
    }
}

fn json(options: &Options, protocol: Protocol) -> String {
    let text = serde_json::Value::from(format!("{} {HOLE}", options.text));
    let wait = options.mode != Mode::Submit;
    let params = match (protocol.binding, protocol.version) {
        (_, Version::V1) => format!(
            r#"{{"message":{{"messageId":"m-{HOLE}","role":"ROLE_USER","parts":[{{"text":{text}}}]}},"configuration":{{"returnImmediately":{}}}}}"#,
            !wait
        ),
        (Binding::JsonRpc, Version::V03) => format!(
            r#"{{"message":{{"kind":"message","messageId":"m-{HOLE}","role":"user","parts":[{{"kind":"text","text":{text}}}]}},"configuration":{{"blocking":{wait}}}}}"#
        ),
        (_, Version::V03) => format!(
            r#"{{"message":{{"messageId":"m-{HOLE}","role":"ROLE_USER","content":[{{"text":{text}}}]}},"configuration":{{"blocking":{wait}}}}}"#
        ),
    };
    if protocol.binding != Binding::JsonRpc {
        return params;
    }
    let method = match (protocol.version, options.mode) {
        (Version::V1, Mode::Send | Mode::Submit) => "SendMessage",
        (Version::V1, Mode::Stream) => "SendStreamingMessage",
        (Version::V03, Mode::Send | Mode::Submit) => "message/send",
        (Version::V03, Mode::Stream) => "message/stream",
    };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn message(options: &Options, version: Version) -> Vec<u8> {
    let (message_id, text) = (format!("m-{HOLE}"), format!("{} {HOLE}", options.text));
    match version {
        Version::V1 => {
            let part = v1::Part { content: Some(v1::part::Content::Text(text)), ..Default::default() };
            let role = v1::Role::User.into();
            let message = v1::Message { message_id, role, parts: vec![part], ..Default::default() };
            let configuration = v1::SendMessageConfiguration::default();
            v1::SendMessageRequest { message: Some(message), configuration: Some(configuration), ..Default::default() }
                .encode_to_vec()
        }
        Version::V03 => {
            let part = v03::Part { part: Some(v03::part::Part::Text(text)), ..Default::default() };
            let role = v03::Role::User.into();
            let message = v03::Message { message_id, role, content: vec![part], ..Default::default() };
            let configuration = v03::SendMessageConfiguration { blocking: true, ..Default::default() };
            v03::SendMessageRequest { request: Some(message), configuration: Some(configuration), ..Default::default() }
                .encode_to_vec()
        }
    }
}

/// What the echo agent must answer to a numbered request.
pub fn expected_echo(text: &str, number: u64) -> String {
    format!("echo: {text} {number:0DIGITS$}")
}

//! Request bytes; only the request number changes between requests.

use crate::{
    options::{LoadMode, LoadOptions},
    protocol::{A2aBinding, A2aProtocol, A2aVersion},
};
use baton_proto::{v1::pb as v1, v03::pb as v03};
use prost::Message as _;

/// Digits of a request number; fixed, so that the body length never changes.
const NUMBER_DIGITS: usize = 12;

/// Placeholder of the request number.
pub const PLACEHOLDER: &str = "############";

/// A request with placeholders for its number.
pub struct RequestTemplate {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl RequestTemplate {
    /// The request as HTTP/1.1.
    pub fn http1(options: &LoadOptions, protocol: A2aProtocol) -> Self {
        let body = json(options, protocol);
        let accept = if options.mode == LoadMode::Stream { "text/event-stream" } else { "application/json" };
        Self::new(
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

    /// The request as one length-prefixed gRPC message.
    pub fn grpc(options: &LoadOptions, version: A2aVersion) -> Self {
        let message = message(options, version);
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        let mut bytes = vec![0];
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&message);
        Self::new(bytes)
    }

    /// Creates a template that replaces every [`PLACEHOLDER`] in the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let places = memchr::memmem::find_iter(&bytes, PLACEHOLDER).collect();
        Self { bytes, places }
    }

    /// The request with this number.
    pub fn numbered(&mut self, number: u64) -> &[u8] {
        let digits = format!("{number:0NUMBER_DIGITS$}");
        for place in &self.places {
            self.bytes[*place..place + NUMBER_DIGITS].copy_from_slice(digits.as_bytes());
        }
        &self.bytes
    }
}

/// Request path of the operation.
pub fn path(options: &LoadOptions, protocol: A2aProtocol) -> String {
    let (rest, rpc) = match options.mode {
        LoadMode::Send | LoadMode::Submit => ("message:send", "SendMessage"),
        LoadMode::Stream => ("message:stream", "SendStreamingMessage"),
    };
    let base = options.path.trim_end_matches('/');
    match (protocol.binding, protocol.version) {
        (A2aBinding::JsonRpc, _) => options.path.clone(),
        (A2aBinding::HttpJson, A2aVersion::V1) => format!("{base}/{rest}"),
        (A2aBinding::HttpJson, A2aVersion::V03) => format!("{base}/v1/{rest}"),
        (A2aBinding::Grpc, A2aVersion::V1) => format!("/lf.a2a.v1.A2AService/{rpc}"),
        (A2aBinding::Grpc, A2aVersion::V03) => format!("/a2a.v1.A2AService/{rpc}"),
    }
}

fn json(options: &LoadOptions, protocol: A2aProtocol) -> String {
    let text = serde_json::Value::from(format!("{} {PLACEHOLDER}", options.text));
    let wait = options.mode != LoadMode::Submit;
    let params = match (protocol.binding, protocol.version) {
        (_, A2aVersion::V1) => format!(
            r#"{{"message":{{"messageId":"m-{PLACEHOLDER}","role":"ROLE_USER","parts":[{{"text":{text}}}]}},"configuration":{{"returnImmediately":{}}}}}"#,
            !wait
        ),
        (A2aBinding::JsonRpc, A2aVersion::V03) => format!(
            r#"{{"message":{{"kind":"message","messageId":"m-{PLACEHOLDER}","role":"user","parts":[{{"kind":"text","text":{text}}}]}},"configuration":{{"blocking":{wait}}}}}"#
        ),
        (_, A2aVersion::V03) => format!(
            r#"{{"message":{{"messageId":"m-{PLACEHOLDER}","role":"ROLE_USER","content":[{{"text":{text}}}]}},"configuration":{{"blocking":{wait}}}}}"#
        ),
    };
    if protocol.binding != A2aBinding::JsonRpc {
        return params;
    }
    let method = match (protocol.version, options.mode) {
        (A2aVersion::V1, LoadMode::Send | LoadMode::Submit) => "SendMessage",
        (A2aVersion::V1, LoadMode::Stream) => "SendStreamingMessage",
        (A2aVersion::V03, LoadMode::Send | LoadMode::Submit) => "message/send",
        (A2aVersion::V03, LoadMode::Stream) => "message/stream",
    };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn message(options: &LoadOptions, version: A2aVersion) -> Vec<u8> {
    let (message_id, text) = (format!("m-{PLACEHOLDER}"), format!("{} {PLACEHOLDER}", options.text));
    match version {
        A2aVersion::V1 => {
            let part = v1::Part { content: Some(v1::part::Content::Text(text)), ..Default::default() };
            let role = v1::Role::User.into();
            let message = v1::Message { message_id, role, parts: vec![part], ..Default::default() };
            let configuration = v1::SendMessageConfiguration::default();
            v1::SendMessageRequest { message: Some(message), configuration: Some(configuration), ..Default::default() }
                .encode_to_vec()
        }
        A2aVersion::V03 => {
            let part = v03::Part { part: Some(v03::part::Part::Text(text)), ..Default::default() };
            let role = v03::Role::User.into();
            let message = v03::Message { message_id, role, content: vec![part], ..Default::default() };
            let configuration = v03::SendMessageConfiguration { blocking: true, ..Default::default() };
            v03::SendMessageRequest { request: Some(message), configuration: Some(configuration), ..Default::default() }
                .encode_to_vec()
        }
    }
}

/// Expected answer of the echo agent to a numbered request.
pub fn expected_echo(text: &str, number: u64) -> String {
    format!("echo: {text} {number:0NUMBER_DIGITS$}")
}

//! Refusals as `google.rpc.Status`, which OTLP prescribes for both encodings.

use crate::Encoding;
use prost::Message;
use serde_json::json;
use std::time::Duration;

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, Message)]
pub struct RpcStatus {
    /// One of `google.rpc.Code`.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// What happened.
    #[prost(string, tag = "2")]
    pub message: String,
    /// More about it.
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<RpcDetail>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Message)]
pub struct RpcDetail {
    /// What it is.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The message.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// `google.rpc.RetryInfo`: exporters repeat what was exhausted only when they are told when.
#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    retry_delay: Option<Delay>,
}

/// `google.protobuf.Duration`.
#[derive(Clone, PartialEq, Message)]
struct Delay {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";

impl RpcStatus {
    /// A refusal; the code is one of `google.rpc.Code`.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new() }
    }

    /// The same, for now: it may be tried again after that long.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        let seconds = i64::try_from(delay.as_secs()).unwrap_or(i64::MAX);
        let nanos = i32::try_from(delay.subsec_nanos()).unwrap_or_default();
        let info = RetryInfo { retry_delay: Some(Delay { seconds, nanos }) };
        self.details.push(RpcDetail { type_url: RETRY_INFO.to_owned(), value: info.encode_to_vec() });
        self
    }

    /// How long to wait before it is tried again, when it says so.
    pub fn retry_delay(&self) -> Option<Duration> {
        let info = self.details.iter().find(|detail| detail.type_url == RETRY_INFO)?;
        let delay = RetryInfo::decode(info.value.as_slice()).ok()?.retry_delay?;
        Some(Duration::new(u64::try_from(delay.seconds).ok()?, u32::try_from(delay.nanos).ok()?.min(999_999_999)))
    }

    /// The body of a reply; JSON leaves the details out, which are for gRPC.
    pub fn write(&self, encoding: Encoding) -> Vec<u8> {
        match encoding {
            Encoding::Protobuf => self.encode_to_vec(),
            Encoding::Json => json!({ "code": self.code, "message": self.message }).to_string().into_bytes(),
        }
    }
}

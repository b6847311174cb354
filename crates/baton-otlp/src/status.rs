//! Errors as `google.rpc.JsonSpanStatus`, which OTLP prescribes for both encodings.

use crate::Encoding;
use prost::Message;
use serde_json::json;
use std::time::Duration;

/// `google.rpc.JsonSpanStatus`.
#[derive(Clone, PartialEq, Message)]
pub struct RpcStatus {
    /// One of `google.rpc.Code`.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// Error message.
    #[prost(string, tag = "2")]
    pub message: String,
    /// Additional details, such as `RetryInfo`.
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<RpcDetail>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Message)]
pub struct RpcDetail {
    /// Type of the message.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// Encoded message.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

/// `google.rpc.RetryInfo`: exporters retry after `RESOURCE_EXHAUSTED` only if it is present.
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
    /// Status with this code of `google.rpc.Code`.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new() }
    }

    /// Adds a `RetryInfo` with this delay.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        let seconds = i64::try_from(delay.as_secs()).unwrap_or(i64::MAX);
        let nanos = i32::try_from(delay.subsec_nanos()).unwrap_or_default();
        let info = RetryInfo { retry_delay: Some(Delay { seconds, nanos }) };
        self.details.push(RpcDetail { type_url: RETRY_INFO.to_owned(), value: info.encode_to_vec() });
        self
    }

    /// Delay of the `RetryInfo`, if present.
    pub fn retry_delay(&self) -> Option<Duration> {
        let info = self.details.iter().find(|detail| detail.type_url == RETRY_INFO)?;
        let delay = RetryInfo::decode(info.value.as_slice()).ok()?.retry_delay?;
        Some(Duration::new(u64::try_from(delay.seconds).ok()?, u32::try_from(delay.nanos).ok()?.min(999_999_999)))
    }

    /// Encodes the status as a response body; JSON omits the details, which are for gRPC.
    pub fn write(&self, encoding: Encoding) -> Vec<u8> {
        match encoding {
            Encoding::Protobuf => self.encode_to_vec(),
            Encoding::Json => json!({ "code": self.code, "message": self.message }).to_string().into_bytes(),
        }
    }
}

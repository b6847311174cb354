//! The JSON-RPC 2.0 envelope.

use crate::a2a::v1::{Error, ErrorKind, ErrorObject};
use baton_types::ErrorCode;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// Maximum length of an id in bytes. The id is repeated in every event of a stream.
const MAX_ID_LEN: usize = 1024;

/// Maximum number of entries in a batch.
pub const MAX_BATCH_LEN: usize = 50;

/// A request with unparsed parameters.
#[derive(Clone, Copy, Debug)]
pub struct RpcRequest<'a> {
    /// The id exactly as the client wrote it, possibly `null`; `None` for a notification.
    pub id: Option<&'a RawValue>,
    /// The method.
    pub method: &'a str,
    /// The parameters.
    pub params: Option<&'a RawValue>,
}

/// A request that was rejected before its method was known.
#[derive(Clone, Debug)]
pub struct RejectedRequest<'a> {
    /// The id, if it could be parsed.
    pub id: Option<&'a RawValue>,
    /// The error to return.
    pub error: Error,
}

#[derive(Deserialize)]
struct RequestEnvelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "nullable_raw")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

/// Distinguishes `null` from an absent member.
fn nullable_raw<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> RpcRequest<'a> {
    /// Parses the envelope. The nesting depth of the body must have been checked before.
    pub fn read(body: &'a str) -> Result<Self, RejectedRequest<'a>> {
        let refuse = |id, kind, message: &str| RejectedRequest {
            id,
            error: Error::new(kind, ErrorCode::INVALID_REQUEST, message),
        };
        let envelope = match serde_json::from_str::<RequestEnvelope<'a>>(body) {
            Ok(envelope) if body.trim_ascii_start().starts_with('{') => envelope,
            _ if serde_json::from_str::<IgnoredAny>(body).is_err() => {
                return Err(refuse(None, ErrorKind::Parse, "the body is not JSON"));
            }
            _ => return Err(refuse(None, ErrorKind::InvalidRequest, "the body is not a JSON-RPC request object")),
        };
        let id = envelope.id;
        if id.is_some_and(|id| !is_id(id.get())) {
            let message = "id must be a string of at most 1,024 bytes, a number or null";
            return Err(refuse(None, ErrorKind::InvalidRequest, message));
        }
        if envelope.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
            return Err(refuse(id, ErrorKind::InvalidRequest, "jsonrpc must be \"2.0\""));
        }
        let method = envelope.method.map_or("", RawValue::get);
        match method.strip_prefix('"').and_then(|method| method.strip_suffix('"')) {
            Some(method) if !method.is_empty() => Ok(Self { id, method, params: envelope.params }),
            _ => Err(refuse(id, ErrorKind::InvalidRequest, "method must be a string")),
        }
    }
}

/// The unparsed entries of a batch, or `None` if the body is not an array. The nesting depth of the body must have been
/// checked before.
pub fn read_batch(body: &str) -> Option<Result<Vec<&RawValue>, Error>> {
    if !body.trim_ascii_start().starts_with('[') {
        return None;
    }
    let refuse = |kind, message: &str| Err(Error::new(kind, ErrorCode::INVALID_REQUEST, message));
    Some(match serde_json::from_str::<RpcBatch<'_>>(body) {
        Err(_) => refuse(ErrorKind::Parse, "the body is not JSON"),
        Ok(RpcBatch(entries)) if entries.is_empty() => refuse(ErrorKind::InvalidRequest, "the batch is empty"),
        Ok(RpcBatch(entries)) if entries.len() > MAX_BATCH_LEN => {
            refuse(ErrorKind::InvalidRequest, &format!("a batch has at most {MAX_BATCH_LEN} entries"))
        }
        Ok(RpcBatch(entries)) => Ok(entries),
    })
}

/// Entries of an array. Beyond the limit only one more entry is kept.
struct RpcBatch<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for RpcBatch<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RpcBatchVisitor;
        impl<'de> Visitor<'de> for RpcBatchVisitor {
            type Value = RpcBatch<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while entries.len() <= MAX_BATCH_LEN {
                    let Some(entry) = sequence.next_element()? else { return Ok(RpcBatch(entries)) };
                    entries.push(entry);
                }
                while sequence.next_element::<IgnoredAny>()?.is_some() {}
                Ok(RpcBatch(entries))
            }
        }
        deserializer.deserialize_seq(RpcBatchVisitor)
    }
}

fn is_id(raw: &str) -> bool {
    raw == "null" || raw.len() <= MAX_ID_LEN && raw.starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9'))
}

fn write_head(out: &mut Vec<u8>, id: Option<&RawValue>, member: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.map_or("null", RawValue::get).as_bytes());
    out.extend_from_slice(member.as_bytes());
}

/// Appends a response with a result.
pub fn write_result(out: &mut Vec<u8>, id: Option<&RawValue>, result: &impl Serialize) {
    let start = out.len();
    write_head(out, id, ",\"result\":");
    if serde_json::to_writer(&mut *out, result).is_ok() {
        out.push(b'}');
    } else {
        out.truncate(start);
        let message = "the result could not be written as JSON";
        write_error(out, id, &Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, message));
    }
}

/// Appends a response with an error.
pub fn write_error(out: &mut Vec<u8>, id: Option<&RawValue>, error: &Error) {
    write_error_object(out, id, &ErrorObject::from(error));
}

/// Appends a response with the error object of a dialect.
pub fn write_error_object(out: &mut Vec<u8>, id: Option<&RawValue>, error: &ErrorObject) {
    let start = out.len();
    write_head(out, id, ",\"error\":");
    if serde_json::to_writer(&mut *out, error).is_ok() {
        out.push(b'}');
    } else {
        out.truncate(start);
        write_head(out, id, ",\"error\":{\"code\":-32603,\"message\":\"internal error\"}}");
    }
}

/// A request as a client sends it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RpcCall<'a, T> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: &'a T,
}

impl<'a, T: Serialize> RpcCall<'a, T> {
    /// A call of `method`.
    pub fn new(id: u64, method: &'a str, params: &'a T) -> Self {
        Self { jsonrpc: "2.0", id, method, params }
    }
}

/// A response as a client receives it: `result` or `error`.
#[derive(Clone, Debug, Deserialize)]
pub struct RpcResponse<'a> {
    /// The result.
    #[serde(borrow, default)]
    pub result: Option<Cow<'a, RawValue>>,
    /// The error.
    #[serde(default)]
    pub error: Option<ErrorObject>,
}

//! Replies, independent of the binding.

use super::{Binding, Op};
use axum::body::Body;
use baton_proto::{error_from_status, v1::pb, v03};
use baton_wire::a2a::v1;
use bytes::{Buf as _, BytesMut};
use http::{HeaderMap, Response, header};
use http_body_util::BodyExt as _;
use prost::Message;
use serde::Serialize;
use serde_json::Value;
use tonic::Status;

/// A complete reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) http: u16,
    pub(crate) headers: HeaderMap,
    /// Results in the binding's JSON; results of gRPC in the JSON of 1.0.
    pub(crate) items: Vec<Value>,
    pub(crate) refusal: Option<Box<Refusal>>,
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Code of the binding: JSON-RPC code, HTTP status, or name of the gRPC code.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) reason: String,
    pub(crate) domain: String,
    pub(crate) baton_code: String,
    pub(crate) fields: Vec<String>,
}

impl Reply {
    pub(crate) async fn read(binding: Binding, op: Op, response: Response<Body>) -> Self {
        let (http, headers) = (response.status().as_u16(), response.headers().clone());
        let streamed = is(&headers, "text/event-stream") || binding.is_grpc();
        let mut events = Events::new(binding, op, response);
        let (items, refusal) = if streamed {
            let mut items = Vec::new();
            while let Some(item) = events.next().await {
                items.push(item);
            }
            (items, events.refusal)
        } else {
            let bytes = events.body.collect().await.unwrap().to_bytes();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match unwrapped(binding, http, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{http} {text}"))) {
                Ok(item) => (vec![item], None),
                Err(refusal) => (Vec::new(), Some(refusal)),
            }
        };
        Self { http, headers, items, refusal }
    }

    /// The only result.
    pub(crate) fn one(&self) -> &Value {
        assert!(self.refusal.is_none() && self.items.len() == 1, "{self:?}");
        &self.items[0]
    }

    /// The task of the only result, with or without the `task` member around it.
    pub(crate) fn task(&self) -> &Value {
        let one = self.one();
        one.get("task").unwrap_or(one)
    }

    pub(crate) fn refused(&self) -> &Refusal {
        self.refusal.as_ref().unwrap_or_else(|| panic!("not refused: {self:?}"))
    }
}

fn is(headers: &HeaderMap, media_type: &str) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| value.to_str().unwrap().starts_with(media_type))
}

/// A stream of results.
pub(crate) struct Events {
    binding: Binding,
    op: Op,
    body: Body,
    buffer: BytesMut,
    /// Error that ended the stream.
    pub(crate) refusal: Option<Box<Refusal>>,
}

impl Events {
    pub(crate) fn new(binding: Binding, op: Op, response: Response<Body>) -> Self {
        // A gRPC error without messages has its status in the headers.
        let refusal = binding.is_grpc().then(|| Status::from_header_map(response.headers())).flatten();
        let refusal = refusal.as_ref().and_then(refusal_of);
        Self { binding, op, body: response.into_body(), buffer: BytesMut::new(), refusal }
    }

    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            let found = if self.binding.is_grpc() { self.message() } else { self.event() };
            if found.is_some() {
                return found;
            }
            let Some(frame) = self.body.frame().await else {
                assert!(self.buffer.is_empty(), "cut off: {:?}", self.buffer);
                return None;
            };
            match frame.unwrap().into_data() {
                Ok(data) => self.buffer.extend_from_slice(&data),
                Err(frame) => {
                    let trailers = frame.into_trailers().unwrap();
                    self.refusal = refusal_of(&Status::from_header_map(&trailers).unwrap());
                }
            }
        }
    }

    fn event(&mut self) -> Option<Value> {
        loop {
            let end = self.buffer.windows(2).position(|two| two == b"\n\n")?;
            let event = self.buffer.split_to(end + 2);
            let text = std::str::from_utf8(&event).unwrap();
            let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) else { continue };
            match unwrapped(self.binding, 200, serde_json::from_str(data).unwrap()) {
                Ok(item) => return Some(item),
                Err(refusal) => self.refusal = Some(refusal),
            }
        }
    }

    fn message(&mut self) -> Option<Value> {
        let length = self.buffer.get(1..5)?.get_u32() as usize;
        if self.buffer.len() < 5 + length {
            return None;
        }
        assert_eq!(self.buffer[0], 0, "not compressed");
        self.buffer.advance(5);
        let bytes = self.buffer.split_to(length);
        Some(if self.binding == Binding::OldGrpc { old_message(self.op, &bytes) } else { message(self.op, &bytes) })
    }
}

fn refusal_of(status: &Status) -> Option<Box<Refusal>> {
    if status.code() == tonic::Code::Ok {
        return None;
    }
    let details = String::from_utf8_lossy(status.details()).into_owned();
    let error = error_from_status(status, baton_server::error_codes::all());
    let known = details.contains("ErrorInfo");
    Some(Box::new(Refusal {
        code: format!("{:?}", status.code()),
        message: status.message().to_owned(),
        reason: if known { error.kind.reason().to_owned() } else { String::new() },
        domain: if details.contains("a2a-protocol.org") { "a2a-protocol.org".to_owned() } else { String::new() },
        baton_code: if known { error.code.code.to_owned() } else { String::new() },
        fields: error.violations.into_iter().map(|violation| violation.field).collect(),
    }))
}

/// The result in an envelope, or the error, whose members must be exactly the specified ones.
fn unwrapped(binding: Binding, http: u16, value: Value) -> Result<Value, Box<Refusal>> {
    let members = |value: &Value| {
        let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let (object, code, details) = match binding {
        Binding::JsonRpc | Binding::OldJsonRpc => {
            assert_eq!(value["jsonrpc"], "2.0");
            let Some(error) = value.get("error") else {
                assert_eq!(members(&value), ["id", "jsonrpc", "result"]);
                return Ok(value["result"].clone());
            };
            assert_eq!((members(&value), members(error)), (names(&["error", "id", "jsonrpc"]), names(&OBJECT)));
            (error, error["code"].to_string(), &error["data"])
        }
        // A path that is not found has no dialect, so its error has the REST format of 1.0.
        Binding::Rest | Binding::OldRest if http >= 400 && value.get("error").is_some() => {
            let error = &value["error"];
            assert_eq!((members(&value), members(error)), (names(&["error"]), names(&AIP_193)));
            assert_eq!(error["code"], http);
            (error, format!("{http} {}", error["status"].as_str().unwrap()), &error["details"])
        }
        Binding::OldRest if http >= 400 => {
            assert_eq!(members(&value), OBJECT);
            (&value, format!("{http} {}", value["code"]), &value["data"])
        }
        Binding::Rest | Binding::OldRest | Binding::Grpc | Binding::OldGrpc => {
            assert!(http < 400, "{http} {value}");
            return Ok(value);
        }
    };
    let (info, rest) = details.as_array().unwrap().split_first().unwrap();
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert!(rest.iter().all(|detail| detail["@type"] == "type.googleapis.com/google.rpc.BadRequest"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let violations = rest.iter().flat_map(|detail| detail["fieldViolations"].as_array().unwrap());
    Err(Box::new(Refusal {
        code,
        message: text(&object["message"]),
        reason: text(&info["reason"]),
        domain: text(&info["domain"]),
        baton_code: text(&info["metadata"]["batonCode"]),
        fields: violations.map(|violation| text(&violation["field"])).collect(),
    }))
}

const OBJECT: [&str; 3] = ["code", "data", "message"];
const AIP_193: [&str; 4] = ["code", "details", "message", "status"];

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A message with the gRPC frame header.
pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0][..], &length, message].concat()
}

fn json(value: impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap()
}

macro_rules! as_json {
    ($bytes:expr, $message:ty, $wire:ty) => {
        json(<$wire>::try_from(<$message>::decode($bytes).unwrap()).unwrap())
    };
}

fn message(op: Op, bytes: &[u8]) -> Value {
    match op {
        Op::Send => as_json!(bytes, pb::SendMessageResponse, v1::SendMessageResponse<'static>),
        Op::Stream | Op::Subscribe => as_json!(bytes, pb::StreamResponse, v1::StreamResponse<'static>),
        Op::Get | Op::Cancel => as_json!(bytes, pb::Task, v1::Task<'static>),
        Op::List => as_json!(bytes, pb::ListTasksResponse, v1::ListTasksResponse<'static>),
        Op::CreatePush | Op::GetPush => {
            as_json!(bytes, pb::TaskPushNotificationConfig, v1::TaskPushNotificationConfig<'static>)
        }
        Op::ListPush => as_json!(
            bytes,
            pb::ListTaskPushNotificationConfigsResponse,
            v1::ListTaskPushNotificationConfigsResponse<'static>
        ),
        Op::DeletePush => Value::Null,
        Op::Card => as_json!(bytes, pb::AgentCard, v1::AgentCard),
    }
}

fn old_message(op: Op, bytes: &[u8]) -> Value {
    use v03::pb;
    match op {
        Op::Send => as_json!(bytes, pb::SendMessageResponse, v1::SendMessageResponse<'static>),
        Op::Stream | Op::Subscribe => as_json!(bytes, pb::StreamResponse, v1::StreamResponse<'static>),
        Op::Get | Op::Cancel => as_json!(bytes, pb::Task, v1::Task<'static>),
        Op::CreatePush | Op::GetPush => {
            as_json!(bytes, pb::TaskPushNotificationConfig, v1::TaskPushNotificationConfig<'static>)
        }
        Op::ListPush => as_json!(
            bytes,
            pb::ListTaskPushNotificationConfigResponse,
            v1::ListTaskPushNotificationConfigsResponse<'static>
        ),
        Op::Card => as_json!(bytes, pb::AgentCard, v1::AgentCard),
        Op::DeletePush | Op::List => Value::Null,
    }
}

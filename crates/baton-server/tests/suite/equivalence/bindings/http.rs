//! Requests over HTTP with JSON or server-sent events as reply.

use super::super::{
    operation::{ClientRequest, Item, Items},
    world::World,
};
use async_stream::stream;
use axum::body::Body;
use futures_util::StreamExt as _;
use http::{HeaderMap, Method, Request, header};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

pub(in super::super) struct Reply {
    pub(super) status: u16,
    pub(super) acknowledged: Option<String>,
    pub(in super::super) body: ReplyBody,
}

pub(in super::super) enum ReplyBody {
    Text(String),
    Events(Body),
}

/// Sends a request to `path`; `named` has the headers of the dialect.
pub(in super::super) async fn exchange(
    world: &World,
    ask: &ClientRequest,
    (method, path): (Method, String),
    body: Option<String>,
    named: &[(&str, &str)],
) -> Reply {
    let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost:8700");
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    for (name, value) in named.iter().copied().chain(ask.headers.iter().map(|(name, value)| (*name, value.as_str()))) {
        request = request.header(name, value);
    }
    let request = request.body(Body::from(body.unwrap_or_default())).unwrap();
    let response = world.router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let text = |headers: &HeaderMap, name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let acknowledged = ["a2a-extensions", "x-a2a-extensions"].iter().find_map(|name| text(response.headers(), name));
    let kind = text(response.headers(), "content-type").unwrap_or_default();
    let body = if kind == "text/event-stream" {
        ReplyBody::Events(response.into_body())
    } else {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        ReplyBody::Text(String::from_utf8(bytes.to_vec()).unwrap())
    };
    Reply { status, acknowledged, body }
}

/// Items of a stream; `read` parses one event into the item and its `final` flag.
pub(super) fn items(
    body: Body,
    read: impl Fn(&str) -> (baton_wire::a2a::v1::StreamResponse<'static>, Option<bool>) + Send + 'static,
) -> Items {
    Box::pin(stream! {
        let mut bytes = body.into_data_stream();
        let mut unread = String::new();
        while let Some(more) = bytes.next().await {
            unread.push_str(std::str::from_utf8(&more.unwrap()).unwrap());
            while let Some((event, rest)) = unread.split_once("\n\n") {
                let line = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                let number = line("id").map(|number| number.parse().unwrap());
                let item = line("data").map(|data| {
                    let (shown, is_final) = read(data);
                    Item { number, shown, is_final }
                });
                unread = rest.to_owned();
                if let Some(item) = item {
                    yield item;
                }
            }
        }
    })
}

/// Percent-encoded path segment.
pub(super) fn segment(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::new(), |mut out, byte| {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// Members of the request as a query string, without those in the path.
pub(super) fn query(request: &impl serde::Serialize, in_path: &[&str]) -> String {
    let value = serde_json::to_value(request).unwrap();
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in value.as_object().unwrap() {
        if !in_path.contains(&name.as_str()) {
            query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    match query.finish() {
        empty if empty.is_empty() => empty,
        query => format!("?{query}"),
    }
}

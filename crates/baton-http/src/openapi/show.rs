//! `GET /api/openapi.json`.

use super::{ApiResource, OpenApiDocument, Operation};
use crate::{HttpContext, RouteAccess, RouteEntry, Routes, SurfaceRoutes, Validators, base_url, cacheable, reply};
use axum::{extract::State, response::Response};
use baton_types::Digest;
use http::{HeaderMap, HeaderValue, header};
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};

/// Path of the document.
const OPENAPI_PATH: &str = "/api/openapi.json";

const SERVER: ApiResource = ApiResource::new("server", "The server itself", &[]);

/// Placeholder of the base URL in the rendered text. No description contains it.
const BASE_URL_MARK: &str = "\u{1}";

struct OpenApiState {
    http: Arc<HttpContext>,
    entries: Vec<RouteEntry>,
    text: OnceLock<RenderedDocument>,
}

/// The text of the document around the base URL.
struct RenderedDocument {
    head: String,
    tail: String,
    digest: Digest,
}

/// The route of the document.
pub(crate) fn mount(context: &Arc<HttpContext>, entries: Vec<RouteEntry>) -> SurfaceRoutes {
    let state = OpenApiState { http: Arc::clone(context), entries, text: OnceLock::new() };
    Routes::new(context).operation(own_operation(), show).name_spans().with_state(Arc::new(state))
}

/// The operation of the document.
///
/// The document is open, also if agent cards are private: it is the same for every server of this version and names no
/// agent.
pub(super) fn own_operation() -> Operation {
    SERVER
        .get(OPENAPI_PATH, RouteAccess::Open, "getOpenApi", "Show this document")
        .reply::<Map<String, Value>>()
        .reply_header("ETag", "Version of the document")
}

async fn show(State(state): State<Arc<OpenApiState>>, headers: HeaderMap) -> Response {
    let rendered = state.text.get_or_init(|| RenderedDocument::new(&state.entries));
    let base_url = base_url(&state.http, &headers);
    let tag = Digest::compute(format!("{} {base_url}", rendered.digest).as_bytes());
    let tag = format!("\"{}\"", &tag.as_str()[..32]);
    let valid = Validators { tag, changed_at: state.http.options.started_at, max_age: 300 };
    let mut response = cacheable(&headers, &valid, || reply::json_bytes(rendered.at(&base_url).into_bytes()));
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Host"));
    response
}

impl RenderedDocument {
    fn new(entries: &[RouteEntry]) -> Self {
        let text = OpenApiDocument::from_entries(entries).at(BASE_URL_MARK).to_string();
        let mark = Value::from(BASE_URL_MARK).to_string();
        let (head, tail) = text.split_once(&mark).unwrap_or((&text, ""));
        Self { head: head.to_owned(), tail: tail.to_owned(), digest: Digest::compute(text.as_bytes()) }
    }

    fn at(&self, base_url: &str) -> String {
        format!("{}{}{}", self.head, Value::from(base_url), self.tail)
    }
}

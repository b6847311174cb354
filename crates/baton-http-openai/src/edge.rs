//! Common handling of OpenAI API requests: trailing slashes are removed from paths, and every reply has a request id.

use super::is_openai_path;
use axum::extract::Request;
use baton_engine::Engine;
use baton_http::RequestEdge;
use http::{HeaderValue, Uri, uri::PathAndQuery};

/// Numbers the replies to OpenAI clients.
pub struct OpenAiEdge(Engine);

impl OpenAiEdge {
    /// An edge with ids of this engine.
    pub fn new(engine: Engine) -> Self {
        Self(engine)
    }
}

impl RequestEdge for OpenAiEdge {
    fn enter(&self, request: &mut Request) -> Option<HeaderValue> {
        if !is_openai_path(request.uri().path()) {
            return None;
        }
        if let Some(uri) = without_slash(request.uri()) {
            *request.uri_mut() = uri;
        }
        HeaderValue::from_str(&format!("req_{}", self.0.fresh_id())).ok()
    }
}

/// URI without trailing slashes in its path; `None` if there are none.
fn without_slash(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    let trimmed = path.trim_end_matches('/');
    if trimmed.len() == path.len() || trimmed.is_empty() {
        return None;
    }
    let path_and_query = match uri.query() {
        Some(query) => format!("{trimmed}?{query}"),
        None => trimmed.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path_and_query).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_at_the_end_go_and_queries_stay() {
        for (given, expect) in [
            ("/v1/responses/", Some("/v1/responses")),
            ("/v1/responses//?a=/", Some("/v1/responses?a=/")),
            ("http://host:1/v1/models/", Some("http://host:1/v1/models")),
            ("/v1/responses", None),
            ("/", None),
        ] {
            let shown = without_slash(&given.parse().unwrap()).map(|uri| uri.to_string());
            assert_eq!(shown.as_deref(), expect, "{given}");
        }
    }
}

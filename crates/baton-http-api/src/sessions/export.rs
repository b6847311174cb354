//! `GET /api/v1/sessions/{context}/export?agent=&format=`.

use super::{SessionPath, SessionQuery, file, invalid_field, load_session, markdown, read_query, read_session_ref};
use crate::state::ApiState;
use axum::{body::Body, extract::State, response::Response};
use baton_http::{Caller, reply};
use baton_rules::Access;
use http::{HeaderValue, header};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Query parameters.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ExportSessionQuery {
    /// Agent of the session; required if several agents have a session with this context.
    agent: Option<String>,
    /// `json`, the default, or `markdown`.
    format: Option<String>,
}

/// Exports a session as a file.
pub(crate) async fn export(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: SessionPath,
    query: SessionQuery<ExportSessionQuery>,
) -> Response {
    let exported = async {
        let ExportSessionQuery { agent, format } = read_query(query)?;
        let as_text = match format.as_deref() {
            None | Some("" | "json") => false,
            Some("markdown" | "md") => true,
            Some(_) => return Err(invalid_field("format", "must be json or markdown".to_owned())),
        };
        let session_ref = read_session_ref(&shared, &caller, path, agent)?;
        load_session(&shared, &caller, Access::Read, &session_ref).await.map(|view| (view, as_text))
    };
    match exported.await {
        Ok((view, false)) => reply::json(&file::write(&view)),
        Ok((view, true)) => {
            let mut response = Response::new(Body::from(markdown::write(&view)));
            let kind = HeaderValue::from_static("text/markdown; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Err(error) => reply::error(&error),
    }
}
